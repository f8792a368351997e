"""The `Image` of records in the numbers they say, and from these back to rows, groups and people.

If q is asked of f(record), the datasets of a universe become those of the numbers that f makes of
its records, neighbours become neighbours, and every pair of numbers comes from a pair of records
(thm-image on the book's page of proofs). So whatever answers a problem of numbers answers this
one, and its pair is told in records again. By group a record is a group and a number; people bring
rows, of which any mix can be dealt to them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from sensitivity_lab.numbers.exact import brief, exact_number, is_real, simplest
from sensitivity_lab.of_and_by import Grouping
from sensitivity_lab.over_numbers import asks_rows, over_numbers
from sensitivity_lab.problem import Problem
from sensitivity_lab.proved.entries.bins import BinsOfRuns
from sensitivity_lab.proved.entries.splits import Ends, Entries, Groups, between_ends, of_population
from sensitivity_lab.proved.family import Family
from sensitivity_lab.proved.sorted_records import Run, SortedRecords
from sensitivity_lab.proved.worst_pair import (
    AtPositions,
    CopiesAt,
    D,
    Parted,
    Share,
    WorstPair,
    widest,
)
from sensitivity_lab.queries import Query
from sensitivity_lab.records.columns import codes_of
from sensitivity_lab.records.numbers import in_whole_numbers
from sensitivity_lab.universe import Dataset, Indices, Universe

MOST_ASKED = 20_000  # shares of rows: up to 3 ms each for a standard deviation, so a minute


@dataclass(frozen=True, eq=False)
class Members(AtPositions[Run]):
    """Records of a universe whose parts are runs of an order of its m records."""

    order: np.ndarray

    def dataset(self, parts: Sequence[Run]) -> Dataset:
        """The records of some runs, in the universe's own order."""
        given: Dataset = self.universe.source.at(self._members(parts))
        return given

    def positions(self, parts: Sequence[Run]) -> list[int]:
        """Where the records of some runs stand among the universe's values, sorted."""
        positions = self.universe.source.positions_at(self._members(parts))
        return sorted(positions.tolist())

    def _members(self, parts: Sequence[Run]) -> np.ndarray:
        nothing = np.zeros(0, dtype=np.int64)
        runs = [self.order[start:stop] for start, stop in parts]
        return np.sort(np.concatenate([nothing, *runs]))


# -- of numbers that records say -----------------------------------------------------------------


def images_of(problems: Sequence[Problem]) -> list[Image | None]:
    """The images of some problems, for one query and universe the same."""
    made: dict[tuple[int, int], Image | None] = {}
    images = []
    for problem in problems:
        key = id(problem.query), id(problem.universe)  # queries may have no hash
        if key not in made:
            made[key] = Image.of(problem.universe, problem.query)
        images.append(made[key])
    return images


@dataclass(frozen=True, eq=False)
class Image:
    """The numbers that a function makes of a universe's records."""

    universe: Universe
    asked: Query  # of the numbers
    numbers: Universe
    made: Any  # the number of each of the m records

    @classmethod
    def of(cls, universe: Universe, query: Query) -> Image | None:
        """The image of a universe under what a query is asked of; None where that is no number.

        Cost: a call for each record; of a column, one sort.
        """
        over = over_numbers(query, universe)
        if over is None:
            return None
        made = universe.numbers_of(over.of_what)
        if not isinstance(made, np.ndarray):
            for number in made:
                if not (is_real(number) or (number is None and over.query.takes_missing)):
                    raise TypeError(
                        f"what {query.name} is asked of must be a number for every record, "
                        f"got {brief(number)}{_way_out(number)}"
                    )
        numbers = Universe.of(made, f"what {query.name} is asked of", unlimited=universe.unlimited)
        return cls(universe, over.query, numbers, made)

    def asked_by(self, problem: Problem) -> Problem:
        """A problem of records as one of the numbers."""
        return replace(problem, query=self.asked, universe=self.numbers)

    @cached_property
    def order(self) -> np.ndarray:
        """The m records in the order of their numbers, (m,)."""
        if isinstance(self.made, np.ndarray):
            return np.argsort(self.made, kind="stable")
        keys = [(n is None, 0 if n is None else exact_number(n)) for n in self.made]
        return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)

    @cached_property
    def starts(self) -> np.ndarray:
        """Where each different number begins in that order, (v,)."""
        known = Universe.of(self.made, "of", unlimited=False)
        return np.concatenate([[0], np.cumsum(known.counts, dtype=np.intp)[:-1]])

    @cached_property
    def number_of(self) -> np.ndarray:
        """The position of each record's number among the different ones, (v,)."""
        positions = self.universe.source.positions_at(self.order)
        each = np.arange(len(self.starts), dtype=np.intp)
        number_of = np.zeros(self.universe.distinct, dtype=np.int64)
        number_of[positions] = np.repeat(each, np.diff(self.starts, append=len(self.order)))
        return number_of

    def lifted(self, pair: WorstPair) -> WorstPair:
        """A pair of numbers as a pair of records."""
        if isinstance(pair.records, SortedRecords):  # its parts are runs of the sorted numbers
            turned = pair.records.order  # a proof may sort them by something else
            order = self.order if turned is None else self.order[turned]
            return replace(pair, records=Members(self.universe, order))
        common, removed, added = self._by_number(pair)
        if self.universe.unlimited:
            first = self.universe.source.positions_at(self.order[self.starts]).tolist()
            parts = [[(first[i], n) for i, n in side] for side in (common, removed, added)]
            return pair.in_copies(parts, CopiesAt(self.universe))
        first, shared = self.starts.tolist(), Counter(dict(common))
        own = [[(first[i] + shared[i], n) for i, n in side] for side in (removed, added)]
        placed = [(first[i], n) for i, n in common], *own
        runs = [tuple((start, start + n) for start, n in part) for part in placed]
        members = Members(self.universe, self.order)
        return replace(pair, common=runs[0], removed=runs[1], added=runs[2], records=members)

    def _by_number(self, pair: WorstPair) -> list[list[tuple[int, int]]]:
        """The parts of a pair of numbers, each named by its position among the different ones."""
        position_of: Any = range(self.numbers.distinct)
        if not isinstance(pair.records, AtPositions):
            position_of = {value: i for i, value in enumerate(self.numbers.exact_values)}
        return [[(position_of[key], n) for key, n in part] for part in pair.parts]

    def of_dataset(self, dataset: Indices) -> Indices:
        """One dataset of records as a dataset of numbers, both as positions."""
        return tuple(sorted(self.number_of[list(dataset)].tolist()))

    def lifted_at(self, dataset: Indices, pair: WorstPair) -> WorstPair:
        """A dataset of records, and that which loses and gains the numbers of a pair."""
        _, removed, added = self._by_number(pair)
        held = Counter(dataset)
        most = sum(n for _, n in added)
        spare = Counter(dict(enumerate(self.universe.copies(len(dataset) + most))))
        spare.subtract(held)
        for number, n in removed:
            held -= Counter(self._some(held, number, n))
        for number, n in added:
            held += Counter(self._some(spare, number, n))
        neighbour = tuple(sorted(held.elements()))
        return WorstPair.between(pair.gap, dataset, neighbour, self.universe)

    def _some(self, records: Counter[int], number: int, n: int) -> list[int]:
        """So many of some records that have a number."""
        alike = (i for i in np.flatnonzero(self.number_of == number).tolist())
        return [i for i in alike for _ in range(records[i])][:n]


def _way_out(said: Any) -> str:
    """How what a record says becomes a number."""
    if said is None:
        return ": say what a missing one counts as, as in SUM.of('pay', missing=0)"
    how = "row['day'].toordinal()" if isinstance(said, date) else "float(row['pay'])"
    return f": make a number of it, as in SUM.of(lambda row: {how})"


# -- by group ------------------------------------------------------------------------------------


def gaps_by_group(problem: Problem, grouping: Grouping) -> D | None:
    """Return D for a problem whose query is a sum or a count by group, or None without a proof."""
    adds = grouping.query.proved.adds if grouping.query.proved else None
    universe, norm = problem.universe, problem.norm
    if adds is None or universe.holds_people or universe.has_missing:
        return None
    if norm == 0 and adds == "number" and grouping.keys is None:
        return None
    records, runs, counted = by_group(universe, grouping, adds)
    if universe.unlimited:
        d = between_ends(_ends(universe, records, runs), norm)
        return with_records(d, CopiesAt(universe))
    entries: Entries = Groups(records, runs)
    if adds == "one":
        entries = BinsOfRuns(runs[:counted], runs[counted:].tolist())
    d = of_population(records, entries, norm)
    return with_records(d, Members(universe, records.given))


def with_records(d: D, records: Parted[Any]) -> D:
    """D whose pairs are told in other records."""

    def told(c: int, a: int, b: int) -> WorstPair | None:
        pair = d(c, a, b)
        return pair and replace(pair, records=records)

    return told


def by_group(
    universe: Universe, grouping: Grouping, adds: str
) -> tuple[SortedRecords, np.ndarray, int]:
    """The m records of a universe by group, then by number; each group's run;
    how many have a known key.

    As they were given the records are positions, (m,); the runs are (groups, 2).
    What is in no group comes last.
    """
    said, keys = universe.said(grouping.by_what, "by"), grouping.keys
    codes, known = codes_of(said) if keys is None else _codes(said, keys), len(keys or ())
    whole, scale = np.ones(len(codes), dtype=np.int64), 1
    if adds == "number":
        whole, scale = in_whole_numbers(universe.numbers_of(grouping.of_what))
    if keys is not None:
        whole = np.where(codes < known, whole, 0)
    order = np.lexsort((whole, codes))
    stops = np.flatnonzero(np.diff(codes[order], append=-1)) + 1
    starts = np.concatenate([[0], stops[:-1]])
    counted = len(starts) if keys is None else int(np.count_nonzero(codes[order[starts]] < known))
    return SortedRecords(order, whole[order], scale), np.stack([starts, stops], axis=1), counted


def _codes(said: Iterable[Any], keys: Sequence[Any]) -> np.ndarray:
    """The position of each key among those that are known, or their number."""
    position_of = {key: i for i, key in enumerate(keys)}
    return np.array([position_of.get(key, len(position_of)) for key in said], dtype=np.int64)


def _ends(universe: Universe, records: SortedRecords, runs: np.ndarray) -> list[Ends]:
    """The lowest and the highest number of each group, and the positions of who has them."""
    ends = runs.T - [[0], [1]]
    places = [universe.source.positions_at(records.given[end]).tolist() for end in ends]
    numbers = [
        [simplest(Fraction(int(n), records.scale)) for n in records.whole[end]] for end in ends
    ]
    return [Ends(*held) for held in zip(*numbers, *places, strict=True)]


# -- of a column over people -----------------------------------------------------------------------


def gaps_of_people(problem: Problem, of_numbers: Callable[[Problem], D | None]) -> D | None:
    """Return D for a problem whose query is of a column over anybody, or None without a proof."""
    query, people = problem.query, problem.universe.source
    of_column = query.inner is not None and asks_rows(query)
    if people.brings is None or not people.brings_any or not of_column or query.proved is None:
        return None
    needed, (rows, bounds) = query.smallest_size or 0, people.brings
    if needed and not bounds[0]:
        query.called(people.given([]))
    try:
        query.called(rows.given([*range(len(rows.values))] * max(1, needed)))
    except ValueError:
        return None
    image = Image.of(Universe(rows, True, None), query)
    d = image and of_numbers(image.asked_by(problem))
    if not (image and d):
        return None
    return OfPeople(d, query.proved, image, problem.universe, bounds)


@dataclass(frozen=True)
class OfPeople:
    """D of anybody, from that of the numbers of the rows that they bring (thm-people-rows)."""

    of_rows: D
    proved: Family
    image: Image
    people: Universe
    bounds: tuple[int, int]  # of the rows that a person brings

    def __call__(self, c: int, a: int, b: int) -> WorstPair | None:
        """The widest pair of rows that people bring, dealt to them."""
        shared, own = self._brought(c, a, b)
        best = widest(self.of_rows, ((more, *each, False) for more in shared for each in own))
        if best is None:
            return None
        best = self.image.lifted(best)
        rows, parts = self.image.universe.values, []
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
        total = 0
        for c, a, b, _ in asked:
            shared, own = self._brought(c, a, b)
            total += len(shared) * len(own)
            if total > MOST_ASKED:
                return False
        return True

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
