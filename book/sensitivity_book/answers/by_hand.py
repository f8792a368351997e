"""The fields of *By hand*: ten pupils, studies of six."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb

import sensitivity_lab as sl
from sensitivity_book.answers.judges import agrees
from sensitivity_book.answers.kinds import (
    Answer,
    DatasetAnswer,
    FunctionAnswer,
    NumberAnswer,
    Verdict,
)
from sensitivity_book.answers.ladder import ladder, pairs
from sensitivity_book.data import scenarios
from sensitivity_lab.numbers import Exact, number_text

SIZE = 6
TEN = scenarios.school_large().universes["absence_days"]
SWAP, MOVE = sl.Change(1), sl.AddRemove(1)


def sum_swapped() -> Answer:
    """How far a swap moves the sum."""
    return NumberAnswer(
        "One swap moves the sum by at most",
        _most(sl.SUM, SWAP),
        ladder(sum, pairs(TEN, SIZE, SWAP), "sum"),
        {20: "Rick takes 20 days with him, but whoever replaces him brings some back."},
        unit="days",
    )


def sum_moved() -> Answer:
    """How far one who leaves or joins moves the sum."""
    return NumberAnswer(
        "One pupil who leaves or joins moves it by at most",
        _most(sl.SUM, MOVE),
        ladder(sum, pairs(TEN, SIZE, MOVE), "sum"),
        {19: "19 is Rick for Chris, a swap. Here nobody takes the place of the one who leaves."},
        unit="days",
    )


def span(dataset: list[int]) -> int:
    """Return the largest minus the smallest."""
    return max(dataset) - min(dataset)


def span_written() -> Answer:
    """The span, in Python."""
    few = sl.Universe.value_range([1, 2, 4, 7])
    return FunctionAnswer(
        "The span as a function of a list",
        "def span(dataset):\n    ",
        agrees(span, lambda: (([*x],) for size in (1, 2, 3) for x in few.datasets(size))),
    )


def span_moved() -> Answer:
    """How far one who leaves or joins moves the span."""
    return NumberAnswer(
        "One pupil who leaves or joins moves the span by at most",
        _most(span, MOVE),
        ladder(span, pairs(TEN, SIZE, MOVE), "span"),
        {14: "14 is what one who joins can do."},
        unit="days",
    )


def swaps_counted() -> Answer:
    """How many pairs a computer would have to look at."""
    studies, inside, outside = comb(30, 15), 15, 15
    return NumberAnswer(
        "Swaps for 30 pupils and studies of 15",
        studies * inside * outside,
        slips={
            studies * 30: "That is one pupil who leaves or joins: 30 neighbours each.",
            studies * inside: "That counts who leaves. Somebody joins as well.",
            studies: "That is the number of studies. Each has many neighbours.",
            Fraction(studies * inside * outside, 2): "The page counts a pair in both directions.",
        },
        why=f"Each of the {studies:,} studies has 15 · 15 swaps.",
    )


def both_widest() -> Answer:
    """A swap that is widest for the mean and for the median."""
    wanted = [(query, _most(query, SWAP)) for query in (sl.MEAN, sl.MEDIAN)]

    def judge(x: tuple[Exact, ...], y: tuple[Exact, ...]) -> Verdict:
        moved = [(query, abs(query(x) - query(y)), most) for query, most in wanted]
        words = " and ".join(
            f"the {query.name} moves by {number_text(own)}" for query, own, _ in moved
        )
        short = [
            f"the {query.name} lacks {number_text(most - own)}"
            for query, own, most in moved
            if own < most
        ]
        ending = f"; {' and '.join(short)}." if short else ": no swap does more to either."
        return Verdict(not short, f"{words[0].upper()}{words[1:]}{ending}")

    return DatasetAnswer(
        ("A study of six, as days", "The same after one swap"),
        judge,
        TEN,
        ("1, 2, 3, 4, 5, 6", "2, 3, 4, 5, 6, 20"),
        SIZE,
        SWAP,
        by=("mean moved", "median moved"),
    )


def _most(query: Callable[[list[int]], Exact] | sl.Query, relation: sl.Relation) -> Exact:
    value: Exact = sl.global_sensitivity(query, TEN, size=SIZE, relation=relation).value
    return value
