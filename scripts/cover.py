"""Draw the cover figure again: `python scripts/cover.py` writes book/_static/cover.svg."""

from pathlib import Path

import matplotlib as mpl

import sensitivity_lab as sl

COVER = Path(__file__).parents[1] / "book" / "_static" / "cover.svg"


def draw(path: Path) -> None:
    """Draw the witness of the mean: six pupils, one of them swapped for another."""
    absences = sl.Universe.population([1, 2, 3, 4, 5, 6, 7, 8, 15, 20])
    found = sl.global_sensitivity(sl.MEAN, absences, size=6, relation=sl.Change(1))
    with mpl.rc_context({"svg.hashsalt": "cover", "svg.fonttype": "path"}):
        sl.plot_witness(found).savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    draw(COVER)
