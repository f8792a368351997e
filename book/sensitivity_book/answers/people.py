"""The fields of *One person, many rows*: a gym, fines, siblings, and charging sessions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations_with_replacement, count, product
from typing import Any

import sensitivity_lab as sl
from sensitivity_book.answers.kinds import Answer, DatasetAnswer, NumberAnswer, Verdict
from sensitivity_book.answers.ladder import ladder
from sensitivity_lab.numbers import Exact, counted

DAYS, A_DAY, A_WEEK = 7, 2, 4  # of a gym: days, and the visits of a member that are counted
FINES, FINED = (-5, 0, 10, 20), 2  # and the rows of a person that are counted
SUBJECTS, LENT = 4, 2  # and the subjects in which a person is counted, once in each
BUSIEST, DRIVERS = 20, 10  # sessions of the busiest driver, and how many drivers there are
MOST = 192  # sessions of the busiest driver of the firm


def gym_week() -> Answer:
    """How far a member moves the counts of seven days, in L2."""
    return NumberAnswer(
        "With at most two visits a day, in L2",
        A_DAY * math.sqrt(DAYS),
        slips={
            DAYS * A_DAY: "That is L1, the sum of the moves.",
            math.sqrt(DAYS * A_DAY): "Each count moves by 2, and what is summed is 2 squared.",
            math.sqrt(DAYS): "That is one visit a day.",
            DAYS * A_DAY**2: "The root is missing.",
        },
        why="Seven counts move by 2 each.",
    )


def gym_four() -> Answer:
    """A week of four visits that moves the counts as far as can be."""
    weeks = [week for week in product(range(A_DAY + 1), repeat=DAYS) if sum(week) <= A_WEEK]
    most = max(sum(visits**2 for visits in week) for week in weeks)

    def judge(week: tuple[int, ...]) -> Verdict:
        visits, squares = sum(week), sum(visits**2 for visits in week)
        if visits > A_WEEK:
            return Verdict(False, f"These are {visits} visits, and at most {A_WEEK} are counted.")
        here = f"In L1 the counts move by {visits}, in L2 by {_root(squares)}"
        if visits < A_WEEK:
            return Verdict(False, f"{here}. Another week does more to both.")
        if squares < most:
            return Verdict(False, f"{here}. Another week does more in L2.")
        return Verdict(True, f"{here}: no week does more to either.")

    return DatasetAnswer(
        ("The visits of a member, from Monday to Sunday",),
        judge,
        sl.Universe.value_range(range(A_DAY + 1)),
        ("1, 1, 1, 0, 0, 0, 0",),
        DAYS,
        by=("records",),
    )


def joined() -> Answer:
    """How far a person who joins or leaves moves the sum of the fines."""
    return NumberAnswer(
        "A person who joins or leaves moves the sum by at most",
        _fines_moved(sl.SymmetricDifference(1)),
        ladder(sum, (((0,), _table(0, rows)) for rows in _persons()), "sum"),
        {
            20: "That is one row, and two are counted.",
            10: "That is what a person may be given back. Fines weigh more.",
            50: "Nobody comes in the place of the one who leaves.",
        },
    )


def exchanged() -> Answer:
    """How far a person who comes in the place of another moves the sum of the fines."""
    both = product(_persons(), repeat=2)
    return NumberAnswer(
        "One person changed for another moves it by at most",
        _fines_moved(sl.Change(1)),
        ladder(sum, ((_table(0, rows), _table(0, other)) for rows, other in both), "sum"),
        {
            40: "That is a person who joins or leaves. Here another comes as well.",
            25: "That is one row for another, and two are counted.",
        },
    )


def siblings_alike() -> Answer:
    """How far two people move four counts in L2."""
    return NumberAnswer(
        "Two people move the counts in L2 by at most",
        _two_moved(_tastes()),
        slips={
            math.sqrt(LENT): "That is one person.",
            2: "That is two people who share no subject.",
            2 * LENT: "That is L1, the sum of the moves.",
            math.sqrt(6): "That is two people who share one subject.",
        },
        why="They have the same taste.",
    )


def siblings_apart() -> Answer:
    """How far two people move four counts in L2 who share no subject."""
    tastes = _tastes()
    apart = (
        sum(map(max, one, other)) for one in tastes for other in tastes if _share(one, other) == 0
    )
    return NumberAnswer(
        "Two who share no subject, in L2",
        math.isqrt(max(apart)),
        slips={
            2 * LENT: "That is L1, the sum of the moves.",
            math.sqrt(LENT): "That is one person.",
            math.sqrt(8): "That is two people with the same taste.",
        },
        why="Four counts move by 1 each.",
    )


def uncut() -> Answer:
    """Sessions of ten drivers for which it is best that nobody loses a row."""

    def judge(held: tuple[int, ...]) -> Verdict:
        if BUSIEST not in held:
            return Verdict(False, f"The busiest has {held[-1]} sessions, not {BUSIEST}.")
        errors = {bound: _squared(held, bound) for bound in range(BUSIEST + 1)}
        own = f"The bound {BUSIEST} loses nothing, and its squared error is {errors[BUSIEST]}"
        rival = min(range(BUSIEST), key=errors.__getitem__)
        lost = counted(_lost(held, rival), "row")
        there = f"the bound {rival} loses {lost}, and has {errors[rival]}"
        if errors[rival] < errors[BUSIEST]:
            return Verdict(False, f"{own}. But {there}.")
        return Verdict(True, f"{own}. No other bound comes below it: {there}.")

    return DatasetAnswer(
        ("The sessions of ten drivers",),
        judge,
        sl.Universe.value_range(range(1, BUSIEST + 1)),
        ("20, 10, 7, 5, 4, 3, 3, 2, 2, 2",),
        DRIVERS,
    )


def busiest() -> Answer:
    """How many must have the most loans for the bound to be worth its noise."""
    many = next(
        n for n in count(1) if _squared((MOST,) * n, MOST) < _squared((MOST,) * n, MOST - 1)
    )
    saved = 2 * (MOST**2 - (MOST - 1) ** 2)
    return NumberAnswer(
        f"Drivers with {MOST} sessions each that it takes",
        many,
        slips={
            1: "One is what the firm has.",
            many - 1: (
                f"The bound {MOST - 1} loses {many - 1} rows, squared {(many - 1) ** 2}, "
                f"and saves more: {saved}."
            ),
            20: "The variance is 2(m/ε)²: there is a 2 before the square.",
            saved: "That is the variance that is saved. The rows lost are squared.",
        },
        why=f"The bound {MOST - 1} loses {many} rows, squared {many**2}, and saves only {saved}.",
    )


def _root(squares: int) -> str:
    """A root in words: exact where it is whole."""
    whole = math.isqrt(squares)
    return str(whole) if whole**2 == squares else f"√{squares} ≈ {math.sqrt(squares):.2f}"


def _persons() -> Iterator[tuple[int, ...]]:
    """What a person may bring: one or two fines."""
    for rows in range(1, FINED + 1):
        yield from combinations_with_replacement(FINES, rows)


def _table(stays: int, rows: tuple[int, ...]) -> tuple[int, ...]:
    """All fines: that of somebody who stays, and those of a person."""
    return tuple(sorted((stays, *rows)))


def _fines_moved(relation: sl.Relation) -> Exact:
    payers = sl.Universe.people(sl.Universe.product(fine=FINES), most_rows=FINED)
    fines = sl.SUM.of("fine").clipped(min(FINES), max(FINES))
    value: Exact = sl.global_sensitivity(fines, payers, size=2, relation=relation).value
    return value


def _tastes() -> list[tuple[int, ...]]:
    """A person as a row of four counts, each 0 or 1, at most two of them 1."""
    return [one for one in product((0, 1), repeat=SUBJECTS) if sum(one) <= LENT]


def _share(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    return sum(map(min, one, other))


def _two_moved(tastes: list[tuple[int, ...]]) -> float:
    """The sensitivity of four counts in L2, where a record is a person."""

    def counts(people: tuple[tuple[int, ...], ...]) -> list[int]:
        return [sum(person[i] for person in people) for i in range(SUBJECTS)]

    universe, two = sl.Universe.value_range(tastes), sl.SymmetricDifference(2)
    value: Any = sl.global_sensitivity(counts, universe, size=0, relation=two, norm=2).value
    return float(value)


def _lost(held: tuple[int, ...], bound: int) -> int:
    return sum(max(own - bound, 0) for own in held)


def _squared(held: tuple[int, ...], bound: int) -> int:
    """The square of the rows lost, and the variance of Laplace noise at ε = 1."""
    return _lost(held, bound) ** 2 + 2 * bound**2
