"""The neighbouring pairs by which Google tests its library,
scored against the worst pair there is."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pandas as pd

from sensitivity_board.figures import figures
from sensitivity_board.peers.score import Score

MIDDLE = {"deviations": 1, "squares": 2}  # which power of the distance from the middle is added up


@dataclass(frozen=True)
class Moved:
    """One quantity of one pair: how far the pair moves it, and how far a person can."""

    group: str
    number: int
    quantity: str
    reached: Fraction
    exact: Fraction

    @property
    def ratio(self) -> float:
        """What the pair reaches, over the exact sensitivity."""
        return float((self.reached / self.exact) ** Fraction(1, 2))


def exact_square(quantity: str, settings: dict[str, str]) -> Fraction:
    """Return the exact sensitivity of a quantity to one person, squared."""
    partitions = int(settings.get("max_partitions_contributed", 1))
    entries = int(
        settings.get("max_contributions_per_partition", settings.get("max_contributions", 1))
    )
    gaussian = settings["noise_type"] == "GAUSSIAN"
    one_entry = _one_entry(quantity, settings) ** 2
    if quantity == "tree":
        height = int(settings["tree_height"])
        one_entry = Fraction(height if gaussian else height**2)
    return (partitions if gaussian else partitions**2) * entries**2 * one_entry


def _one_entry(quantity: str, settings: dict[str, str]) -> Fraction:
    """The most that one entry moves a quantity in one partition."""
    if quantity in ("count", "bins", "tree"):
        return Fraction(1)
    low, high = Fraction(settings["lower_bound"]), Fraction(settings["upper_bound"])
    if quantity == "sum":
        return max(abs(low), abs(high))
    return Fraction((high - low) / 2) ** MIDDLE[quantity]


def moved() -> list[Moved]:
    """Return every quantity of every pair, in the order of the files.

    Source: google/differential-privacy, `proto/testing/*_dp_test_cases.textproto`,
        measured by `peers/measure_google_pairs.py`.
    """
    found = []
    for row in figures("google_pairs").itertuples():
        case, *settings = str(row.parameters).split("; ")
        quantity = str(row.quantity).removesuffix(": squared distance")
        exact = exact_square(quantity, dict(one.split(" ") for one in settings))
        number = int(case.removeprefix("case "))
        found.append(Moved(str(row.query), number, quantity, Fraction(str(row.value)), exact))
    return found


def ratios() -> pd.DataFrame:
    """Return the ratio of each pair: that of its quantity which moves least."""
    least: dict[tuple[str, int], float] = {}
    for one in moved():
        pair = one.group, one.number
        least[pair] = min(least.get(pair, one.ratio), one.ratio)
    rows = [(*pair, ratio) for pair, ratio in least.items()]
    return pd.DataFrame(rows, columns=["group", "number", "ratio"])


def by_group() -> pd.DataFrame:
    """Return a row a group: its pairs, those that attain the exact value,
    fall short and go beyond."""
    found: dict[str, list[int | str]] = {}
    for group, ratio in ratios().groupby("group", sort=False)["ratio"]:
        attain, short = int((ratio == 1).sum()), int((ratio < 1).sum())
        ends = f"{ratio.min():.3g}", f"{ratio.max():.3g}"
        found[str(group)] = [len(ratio), attain, short, len(ratio) - attain - short, *ends]
    names = ["pairs", "attain", "short", "beyond", "least", "largest"]
    return pd.DataFrame.from_dict(found, orient="index", columns=names)


def scored() -> Score:
    """Return the score: how many pairs move all that is made noisy by its exact sensitivity."""
    found = ratios()["ratio"]
    return Score(
        benchmark="Google's neighbouring pairs",
        source="https://github.com/google/differential-privacy/tree/main/proto/testing",
        asked=len(found),
        found=int((found == 1).sum()),
        what="pairs that attain the exact sensitivity",
        worst="() and (1000), bounds 0 and 1: the sum moves by 1",
    )
