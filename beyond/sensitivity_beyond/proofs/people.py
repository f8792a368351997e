"""A column over anybody: D of people, from that of the numbers of the rows that they bring."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, product
from typing import Any

from sensitivity_beyond.proofs.groups import gaps_by_group
from sensitivity_beyond.proofs.reach import widest
from sensitivity_beyond.proofs.vectors import gaps_of_vectors, of_one_row
from sensitivity_beyond.tables.asking import Grouping, asks_rows, inner
from sensitivity_beyond.tables.lifting import lift
from sensitivity_beyond.tables.people import people_or_none
from sensitivity_lab.problem import Problem
from sensitivity_lab.proved.family import Family
from sensitivity_lab.proved.worst_pair import CopiesAt, D, Share, WorstPair
from sensitivity_lab.universe import Universe

MOST_ASKED = 20_000  # shares of rows: up to 3 ms each for a standard deviation, so a minute


def gaps_of_people(problem: Problem, of_numbers: Callable[[Problem], D | None]) -> D | None:
    """Return D for a problem whose query is of a column over anybody, or None without a proof."""
    query, people = problem.query, people_or_none(problem.universe)
    of_column = inner(query) is not None and asks_rows(query)
    if people is None or people.brings is None or not people.brings_any:
        return None
    if not of_column or query.proved is None:
        return None
    needed, (rows, bounds) = query.smallest_size or 0, people.brings
    if needed and not bounds[0]:
        query.called(people.given([]))
    try:
        query.called(rows.given([*range(len(rows.values))] * max(1, needed)))
    except ValueError:
        return None
    anything = Universe(rows, True, None)
    image = lift(query, anything)
    d = image and of_numbers(image.asked_by(problem))
    if not (image and d):
        return None
    return OfPeople(d, query.proved, image.back, anything, problem.universe, bounds)


def gaps_by_group_of_people(problem: Problem, grouping: Grouping) -> D | None:
    """Return D for a count or a sum by group over people, or None without a proof."""
    universe, proved = problem.universe, grouping.query.proved
    people = people_or_none(universe)
    assert people is not None
    asked = of_one_row(grouping, people)
    if people.brings is None or not (people.brings_any and problem.norm):
        return gaps_of_vectors(problem, people, asked)
    rows, bounds = people.brings
    anything, query = Universe(rows, True, None), replace(problem.query, function=asked)
    d = gaps_by_group(replace(problem, query=query, universe=anything), asked)
    told = anything, universe, bounds
    return OfPeople(d, proved, lambda pair: pair, *told) if d and proved else None


@dataclass(frozen=True)
class OfPeople:
    """D of anybody, from that of the numbers of the rows that they bring (thm-people-rows)."""

    of_rows: D
    proved: Family
    back: Callable[[WorstPair], WorstPair]  # to rows
    rows: Universe
    people: Universe
    bounds: tuple[int, int]  # of the rows that a person brings

    def __call__(self, c: int, a: int, b: int) -> WorstPair | None:
        """The widest pair of rows that people bring, dealt to them."""
        shared, own = self._brought(c, a, b)
        best = widest(self.of_rows, ((more, *each, False) for more in shared for each in own))
        if best is None:
            return None
        best = self.back(best)
        rows, parts = self.rows.values, []
        position_of = self.people.source.position_of
        for part, many in zip(best.parts, (c, a, b), strict=True):
            hands = dealt(part, many, *self.bounds).items()
            held = (tuple(rows[i] for i in hand) for hand, _ in hands)
            parts.append([(position_of[one], n) for one, (_, n) in zip(held, hands, strict=True)])
        return best.in_copies(parts, CopiesAt(self.people))

    def affordable(self, asked: Iterable[Share]) -> bool:
        """Whether few shares of rows must be asked for some shares of people."""
        if self.proved.at_ends:
            return True
        brought = (self._brought(c, a, b) for c, a, b, _ in asked)
        totals = accumulate(len(shared) * len(own) for shared, own in brought)
        return all(total <= MOST_ASKED for total in totals)

    def _brought(self, c: int, a: int, b: int) -> tuple[range, Sequence[tuple[int, int]]]:
        """How many rows are shared, and how many each side's own, where D may be largest."""
        least, most = self.bounds
        of_a, of_b = (range(least * people, most * people + 1) for people in (a, b))
        if self.proved.at_ends:
            of_a, of_b = (each[:: max(1, len(each) - 1)] for each in (of_a, of_b))
        return self.proved.shared(least * c, most * c), list(product(of_a, of_b))


def dealt(
    rows: Sequence[tuple[Any, int]], people: int, least: int, most: int
) -> Counter[tuple[int, ...]]:
    """Rows dealt to so many people: as many as they may bring to each, while there are enough."""
    runs = [[row, copies] for row, copies in reversed(rows) if copies]
    full, rest = divmod(sum(copies for _, copies in runs) - least * people, max(1, most - least))
    hands: Counter[tuple[int, ...]] = Counter()
    for size, many in ((most, full), (least + rest, people - full > 0), (least, people - full - 1)):
        left = many
        while left > 0:
            hand: list[int] = []
            times = left  # of no rows
            while len(hand) < size:
                row, copies = runs[-1]
                whole = 0 if hand else copies // size  # hands of this row alone
                times = min(left, whole) or 1
                hand += [row] * (size if whole else 1)
                runs[-1][1] -= len(hand) * times if whole else 1
                if not runs[-1][1]:
                    runs.pop()
            hands[tuple(sorted(hand))] += times
            left -= times
    return hands
