"""The fields of *Audits*: what a false claim costs, and claims that break and hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import sensitivity_lab as sl
from sensitivity_book.answers.judges import belief, number, same
from sensitivity_book.answers.kinds import (
    Answer,
    DatasetAnswer,
    FunctionAnswer,
    NumberAnswer,
    Verdict,
)
from sensitivity_book.answers.ladder import pairs
from sensitivity_lab.numbers import dataset_text, number_text

DIGITS = sl.Universe.value_range([0, 1, 2, 3])
RATINGS = sl.Universe.value_range([1, 2, 3, 4, 5])
CLAIMED = Fraction(3, 2)  # of the midrange
SPENT = Fraction(3, 2)  # of an ε of 1

# Ten claims of libraries, by their number on the page: why they hold, and why they do not.
HOLD = {
    1: "one record is counted once",
    3: "one category loses a record and another gains it",
    4: "four counts move by 2 each",
    5: "it is attained from −2 to 3",
    7: "a record that changes moves it by at most 1, so the claim is loose",
    8: "two rows bring at most 100 each",
    10: "a person brings at most two rows of 100",
}
TOO_SMALL = {2: "a 3 joins", 6: "a −1 leaves and a 1 joins", 9: "5 divided by ½ is 10"}
Row = tuple[int, int]  # k, and a size


def spent() -> Answer:
    """The ε that is kept if a claim is too small by a half."""
    return NumberAnswer(
        "ε is",
        SPENT,
        slips={
            1: "That is the promise.",
            1 / SPENT: "That is less than the promise, and a claim that is too small spends more.",
        },
        why="The scale is one claim, and the answers lie 1.5 claims apart.",
    )


def spent_right() -> Answer:
    """How often an attacker can be right, in truth."""
    return NumberAnswer(
        "An attacker is right in at most this share of cases, in truth",
        belief(math.exp(SPENT)),
        slips={
            belief(math.e): "That is the promise.",
            1 - math.exp(-SPENT / 2) / 2: "That is the plainest guess, at the middle. "
            "The question is what no attacker at all exceeds.",
            math.exp(SPENT): "Those are the odds. As a share they are odds / (1 + odds).",
        },
        why="Her odds are e to the power 1.5.",
    )


def midrange(dataset: tuple[int, ...]) -> Fraction:
    """Return the middle between the smallest and the largest record."""
    return Fraction(dataset[0] + dataset[-1], 2)


def midrange_broken() -> Answer:
    """Two neighbours whose midranges are further apart than is claimed."""
    most = sl.global_sensitivity(midrange, DIGITS, size=1, relation=sl.Change(1)).value

    def judge(x: tuple[int, ...], y: tuple[int, ...]) -> Verdict:
        gap = abs(midrange(x) - midrange(y))
        here = f"{_answered(midrange, x, y)} are {number_text(gap)} apart"
        if gap <= CLAIMED:
            return Verdict(False, f"{here}, and 3/2 is claimed: this pair does not break it.")
        worst = "no pair breaks it further" if gap == most else "another pair breaks it further"
        return Verdict(True, f"{here}, and 3/2 is claimed; {worst}.")

    return DatasetAnswer(
        ("A dataset of numbers from 0 to 3", "The same after one change"),
        judge,
        DIGITS,
        ("0, 3", "3, 3"),
        relation=sl.Change(1),
    )


def midrange_mended() -> Answer:
    """A claim for the midrange that is exact at every size."""
    return FunctionAnswer(
        "Your claim, as a function of the size",
        "def mended(size):\n    return 3 / 2",
        exact_claim(midrange, DIGITS, [(1, size) for size in range(1, 6)], lambda k, size: (size,)),
    )


def ten() -> Answer:
    """Which three of ten claims of libraries are too small."""

    def judge(chosen: tuple[int, ...]) -> Verdict:
        if len({*chosen}) < len(TOO_SMALL):
            return Verdict(False, "These are not three numbers.")
        for one in chosen:
            if one not in TOO_SMALL:
                return Verdict(False, f"Number {one} holds: {HOLD[one]}.")
        return Verdict(True, "; ".join(f"{one}: {why}" for one, why in TOO_SMALL.items()) + ".")

    claims = sl.Universe.value_range(range(1, len(HOLD) + len(TOO_SMALL) + 1))
    three, example = ("The numbers of the three",), ("1, 2, 3",)
    return DatasetAnswer(three, judge, claims, example, len(TOO_SMALL), by=("records",))


def repaired() -> Answer:
    """A function without the smallest and the largest rating, for which 4/n is exact."""
    rows = [(1, size) for size in range(3, 7)]

    def judge(function: Callable[..., Any]) -> Verdict:
        datasets = [x for _, size in rows for x in RATINGS.datasets(size)]
        answers = {x: number(function, (list(x),)) for x in datasets}
        for x in datasets:
            y = (1, *x[1:-1], 5)
            if not same(answers[x], answers[y]):
                here = _answered(answers.__getitem__, x, y)
                return Verdict(False, f"{here}: the smallest or the largest rating still counts.")
        claims = {(k, size): Fraction(4 * k, size) for k, size in rows}
        failure = _failure(answers.__getitem__, RATINGS, claims, "the claim 4/n is")
        low, high = (number_text(answers[each, each, each]) for each in (1, 5))
        bias = f"It pays with a bias: it makes {low} of (1, 1, 1), and {high} of (5, 5, 5)."
        return failure or Verdict(True, f"Both ends are dropped, and 4/n is exact. {bias}")

    return FunctionAnswer(
        "Your function of a sorted list of ratings",
        "def shrunk(dataset):\n    kept = dataset[1:-1]\n    return Fraction(sum(kept), len(kept))",
        judge,
    )


def exact_claim(
    query: Callable[[Any], Any],
    universe: sl.Universe,
    rows: Iterable[Row],
    given: Callable[[int, int], tuple[int, ...]],
) -> Callable[[Callable[..., Any]], Verdict]:
    """Return a judge of claims: exact in every row, or the first that is not, with its pair."""

    def judge(function: Callable[..., Any]) -> Verdict:
        claims = {(k, size): number(function, given(k, size)) for k, size in rows}
        for (k, size), claim in claims.items():
            if claim < 0:
                here = f"{_at(k, size, claims)} you claim {number_text(claim)}"
                return Verdict(False, f"{here}. A claim is never negative.")
        failure = _failure(query, universe, claims, "you claim")
        return failure or Verdict(
            True, f"Your claim is exact in all {len(claims)} rows that were asked."
        )

    return judge


def _failure(
    query: Callable[[Any], Any], universe: sl.Universe, claims: dict[Row, Any], who: str
) -> Verdict | None:
    """Audit claims; return what is said of the first row that is too small, or else loose."""
    rows = [
        sl.audit(query, claim, universe, sizes=[size], relations=[sl.Change(k)]).worst
        for (k, size), claim in claims.items()
    ]
    held = sum(row.verdict == "exact" for row in rows)
    so_far = f"It is exact in {held} of {len(rows)} rows."
    for wrong in ("too small", "loose"):
        for row, (k, size) in zip(rows, claims, strict=True):
            if row.verdict != wrong:
                continue
            claim = claims[k, size]
            here = f"{_at(k, size, claims)} {who} {number_text(claim)}"
            if wrong == "loose":
                return Verdict(
                    False, f"{here}: loose, for no two neighbours are so far apart. {so_far}"
                )
            x, y, gap = _nearest_above(query, universe, k, size, claim)
            apart = f"{_answered(query, x, y)} are {number_text(gap)} apart"
            return Verdict(False, f"{here}: too small, for {apart}. {so_far}")
    return None


def _nearest_above(
    query: Callable[[Any], Any], universe: sl.Universe, k: int, size: int, claim: Any
) -> tuple[Any, Any, Any]:
    """The pair of neighbours with the smallest gap that breaks a claim."""
    gaps = ((x, y, abs(query(x) - query(y))) for x, y in pairs(universe, size, sl.Change(k)))
    broken = (found for found in gaps if found[2] > claim and not same(found[2], claim))
    return min(broken, key=lambda found: found[2])


def _at(k: int, size: int, claims: dict[Row, Any]) -> str:
    several = len({k for k, _ in claims}) > 1
    return f"With k = {k} and size {size}" if several else f"At size {size}"


def _answered(query: Callable[[Any], Any], x: tuple[int, ...], y: tuple[int, ...]) -> str:
    here, there = (f"{dataset_text(side)} → {number_text(query(side))}" for side in (x, y))
    return f"{here} and {there}"
