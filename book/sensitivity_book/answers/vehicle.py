"""The fields of *A vehicle*: ratings from 1 to 3, a scale to find, and copies that run out."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import sensitivity_lab as sl
from sensitivity_book.answers.judges import number, same
from sensitivity_book.answers.kinds import (
    Answer,
    DatasetAnswer,
    FunctionAnswer,
    NumberAnswer,
    Verdict,
)
from sensitivity_book.answers.ladder import Pair, pairs
from sensitivity_book.data import scenarios
from sensitivity_lab.numbers import Exact, dataset_text, number_text

RATING = scenarios.vehicle().universes["driving_proficiency"]
TWO, JOIN = sl.Change(2), sl.Add(1)
WHOLE = 2  # from one end of the ratings to the other
BOTH, SIZE = (1, 2), 2  # the values that are imitated, and the size


def zigzag() -> Answer:
    """How far two changes move a median of two to five ratings, added up."""
    moved = [
        sl.global_sensitivity(sl.MEDIAN, RATING, size=n, relation=TWO).value for n in (2, 3, 4, 5)
    ]
    return NumberAnswer(
        "Your four numbers, added up",
        sum(moved),
        slips={
            6: "1, 2, 1 and 2 is the zigzag of one driver. Now two ratings may change.",
            7: "Look again at 2 and at 4 ratings, where two records lie in the middle.",
            2: "The field takes the sum of all four.",
        },
        why=f"The four are {', '.join(map(number_text, moved))}.",
    )


def crossed() -> Answer:
    """Six ratings whose median two changes carry across the whole scale."""

    def judge(x: tuple[Exact, ...], y: tuple[Exact, ...]) -> Verdict:
        here, there = sl.MEDIAN(x), sl.MEDIAN(y)
        gap = abs(here - there)
        words = (
            f"The medians are {number_text(here)} and {number_text(there)}, "
            f"{number_text(gap)} apart"
        )
        if gap < WHOLE:
            return Verdict(False, f"{words}. The scale is {WHOLE} wide.")
        return Verdict(True, f"{words}: two changes have carried both in the middle across.")

    return DatasetAnswer(
        ("Six ratings", "The same with two changed"),
        judge,
        RATING,
        ("1, 1, 2, 2, 3, 3", "1, 2, 2, 3, 3, 3"),
        6,
        TWO,
        by=("median",),
    )


def scale() -> Answer:
    """A scale on which whoever comes or goes moves the sum less than a change."""

    def judge(values: tuple[Exact, ...]) -> Verdict:
        own = sl.Universe.value_range(sorted(set(values)))
        moved, changed = (
            sl.global_sensitivity(sl.SUM, own, size=4, relation=relation).value
            for relation in (sl.SymmetricDifference(1), sl.Change(1))
        )
        here = (
            f"Whoever joins or leaves moves the sum by up to {moved}, "
            f"and a change by up to {changed}"
        )
        if moved < changed:
            return Verdict(True, f"{here}.")
        return Verdict(
            False, f"{here}: {'equally far' if moved == changed else 'that is less far'}."
        )

    return DatasetAnswer(
        ("The values of a range, from −5 to 5",),
        judge,
        sl.Universe.value_range(range(-5, 6)),
        ("1, 2, 3",),
    )


def alarm() -> Answer:
    """A query to which the imitation of a scale gives too small a sensitivity."""
    return FunctionAnswer("A query, of a list of ratings", "def alarm(ratings):\n    ", _missed)


def copies() -> Answer:
    """How many copies of both values are enough for one more than two ratings."""
    wanted = {*pairs(sl.Universe.value_range([*BOTH]), SIZE, JOIN)}
    return NumberAnswer(
        "Enough copies of each value, whatever the query",
        next(each for each in count(1) if {*pairs(_imitated(each), SIZE, JOIN)} == wanted),
        slips={
            2: "Those are the copies of the exercise. From them some query comes out too small.",
            4: "Four are safe, and fewer are enough.",
            1: "From one copy of each, no dataset of three can be built at all.",
        },
        why="A dataset has no more places, and the larger of the two may hold one value only.",
    )


def _missed(query: Callable[..., Any]) -> Verdict:
    """Judge whether a query moves further on the scale than from two copies of each value."""
    known = _widest(query, _imitated(2))
    true = _widest(query, sl.Universe.value_range([*BOTH]))
    if known[0] < true[0] and not same(known[0], true[0]):
        return Verdict(
            True,
            (
                f"From the copies it moves by up to {number_text(known[0])}, "
                f"on the scale {_told(*true)}."
            ),
        )
    if true[0] == 0:
        return Verdict(False, "One more rating never moves it, from the copies or on the scale.")
    return Verdict(False, f"The copies already show all that it can do: {_told(*known)}.")


def _widest(query: Callable[..., Any], universe: sl.Universe) -> tuple[Any, Pair]:
    def gap(pair: Pair) -> Any:
        here, there = (number(query, ([*side],)) for side in pair)
        return abs(there - here)

    return max(((gap(pair), pair) for pair in pairs(universe, SIZE, JOIN)), key=lambda one: one[0])


def _told(gap: Any, pair: Pair) -> str:
    x, y = map(dataset_text, pair)
    return f"by {number_text(gap)}, from {x} to {y}"


def _imitated(each: int) -> sl.Universe:
    return sl.Universe.population(BOTH * each)
