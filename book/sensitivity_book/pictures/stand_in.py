"""Which small universe stands for the real one: four questions, and what each answer is worth."""

from __future__ import annotations

from matplotlib.figure import Figure

from sensitivity_lab.plotting import EXACT, INK, LOOSE, PAPER, styled_figure

# A question, then what to do where the answer is yes, and where it is no.
QUESTIONS = (
    ("Does the package know the query?", "the real bounds\nand sizes: a proof", "go on"),
    (
        "Does a person add the same,\nwhoever else is there?",
        "sizes 0 and 1:\na proof for all sizes",
        "all sizes that you can,\npast each threshold",
    ),
    (
        "Are the sorted records only\nweighed and added up?",
        "the two ends:\na proof for all",
        "the ends, and both\nsides of each constant",
    ),
    ("Is a person cut down to m rows?", "m + 1 rows,\nfor a small m", "bound them first"),
)


def plot_stand_in() -> Figure:
    """Draw the questions from top to bottom, with both answers below each.

    >>> len(plot_stand_in().axes[0].texts)
    12
    """
    with styled_figure(figsize=(4.8, 6.2)) as figure:
        axes = figure.subplots()
        axes.set_axis_off()
        axes.set(xlim=(0, 10), ylim=(-len(QUESTIONS) * 3.1, 0))
        for place, (question, yes, no) in enumerate(QUESTIONS):
            top = -place * 3.1
            axes.text(5, top - 0.55, question, ha="center", va="center", fontweight="bold")
            for x, word, told, colour in ((2.2, "yes", yes, EXACT), (7.35, "no", no, LOOSE)):
                axes.annotate(
                    f"{word}: {told}",
                    (5, top - 1.0),
                    (x, top - 2.1),
                    ha="center",
                    va="center",
                    fontsize=12,
                    color=INK,
                    bbox={"boxstyle": "round,pad=0.35", "facecolor": PAPER, "edgecolor": colour},
                    arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 1.5},
                )
    return figure
