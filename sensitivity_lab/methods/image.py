"""A query of a function of the records is the query itself over the function's image.

If q is asked of f(record), the datasets of a universe become those of the numbers that f makes of
its records, neighbours become neighbours, and every pair of the image comes from a pair of
records (thm-image on the book's page of proofs). So whatever answers a problem of numbers answers
this one, and its pair is told in records again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from sensitivity_lab.catalogue import over_numbers
from sensitivity_lab.numbers.exact import brief, exact_number, is_real
from sensitivity_lab.problem import Problem
from sensitivity_lab.proved.sorted_records import SortedRecords
from sensitivity_lab.proved.worst_pair import AtPositions, Parted, Parts, WorstPair
from sensitivity_lab.queries import Query
from sensitivity_lab.universe import Dataset, Indices, Universe


def has_image(query: Query, universe: Universe) -> bool:
    """Whether a query is asked of numbers that are said, one for each record of a universe."""
    return over_numbers(query, universe) is not None


def _is_of_numbers(problem: Problem) -> bool:
    """Whether a problem is one over an image; not where records keep some of their columns."""
    return problem.kept is None and has_image(problem.query, problem.universe)


class Images:
    """The images of some problems, each made once."""

    def __init__(self) -> None:
        self._known: list[tuple[Problem, Image]] = []

    def _of(self, problem: Problem) -> Image:
        """A problem's image; queries may have no hash, so they are looked up as they are."""
        for known, image in self._known:
            if known.query is problem.query and known.universe is problem.universe:
                return image
        image = Image.of(problem.universe, problem.query)
        self._known.append((problem, image))
        return image

    def of_numbers(self, problem: Problem) -> Problem:
        """The problem over numbers. Cost: a call for each record; of a column, one sort."""
        if not _is_of_numbers(problem):
            return problem
        image = self._of(problem)
        return replace(problem, query=image.asked, universe=image.numbers)

    def of_dataset(self, problem: Problem, dataset: Indices) -> Indices:
        """One dataset of records as a dataset of numbers, both as positions."""
        if not _is_of_numbers(problem):
            return dataset
        number = self._of(problem).number_of
        return tuple(sorted(int(number[i]) for i in dataset))

    def told(self, problem: Problem, pair: WorstPair) -> WorstPair:
        """A pair of numbers, told in the problem's own records."""
        return self._of(problem).lifted(pair) if _is_of_numbers(problem) else pair

    def told_locally(self, problem: Problem, pair: WorstPair, dataset: Indices) -> WorstPair:
        """A pair of numbers whose first side is a dataset of records."""
        if not _is_of_numbers(problem):
            return pair
        neighbour = self._of(problem).neighbour(pair, dataset)
        return WorstPair.between(pair.gap, dataset, neighbour, problem.universe)


@dataclass(frozen=True, eq=False)
class Image:
    """The numbers that a function makes of a universe's records."""

    universe: Universe
    asked: Query  # of the numbers
    numbers: Universe
    made: Any  # the number of each of the m records

    @classmethod
    def of(cls, universe: Universe, query: Query) -> Image:
        """The image of a universe under what a query is asked of."""
        over = over_numbers(query, universe)
        assert over is not None
        made = universe.numbers_of(over.of_what)
        if not isinstance(made, np.ndarray):
            for number in made:
                if not (is_real(number) or (number is None and over.query.takes_missing)):
                    raise TypeError(
                        f"what {query.name} is asked of must be a number for every record, "
                        f"got {brief(number)}"
                    )
        numbers = Universe.of(made, f"what {query.name} is asked of", unlimited=universe.unlimited)
        return cls(universe, over.query, numbers, made)

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

    def lifted(self, pair: WorstPair) -> WorstPair:
        """A pair of numbers as a pair of records."""
        if isinstance(pair.records, SortedRecords):  # its parts are runs of the sorted numbers
            turned = pair.records.order  # a proof may sort them by something else
            order = self.order if turned is None else self.order[turned]
            return replace(pair, records=Members(self.universe, order))
        position_of = self._positions(pair)
        sides = [
            [(position_of[key], n) for key, n in side]
            for side in (pair.common, pair.removed, pair.added)
        ]
        if self.universe.unlimited:
            first = self.universe.source.positions_at(self.order[self.starts])
            parts = [tuple((int(first[i]), n) for i, n in side) for side in sides]
            return pair.in_copies(parts, records=AtPositions(self.universe))
        shared = Counter(dict(sides[0]))  # what only one side has comes after what is shared
        parts = [tuple(self._run(i, 0, n) for i, n in sides[0])]
        parts += [tuple(self._run(i, shared[i], n) for i, n in side) for side in sides[1:]]
        return told(pair, parts, Members(self.universe, self.order))

    def _positions(self, pair: WorstPair) -> dict[Any, int]:
        """By what a pair's parts name: the position of a number among the different ones."""
        if isinstance(pair.records, AtPositions):
            return {i: i for i in range(self.numbers.distinct)}
        return {value: i for i, value in enumerate(self.numbers.exact_values)}

    @cached_property
    def number_of(self) -> np.ndarray:
        """The position of each record's number among the different ones, (v,)."""
        positions = self.universe.source.positions_at(self.order)
        each = np.arange(len(self.starts), dtype=np.intp)
        numbers = np.repeat(each, np.diff(self.starts, append=len(self.order)))
        number_of = np.zeros(self.universe.distinct, dtype=np.int64)
        number_of[positions] = numbers
        return number_of

    def neighbour(self, pair: WorstPair, dataset: Indices) -> Indices:
        """The neighbour of a dataset of records that loses and gains the numbers of a pair."""
        position_of = self._positions(pair)
        held = Counter(dataset)
        most = sum(n for _, n in pair.added)
        spare = Counter(dict(enumerate(self.universe.copies(len(dataset) + most))))
        spare.subtract(held)
        for key, n in pair.removed:
            held -= Counter(self._some(held, position_of[key], n))
        for key, n in pair.added:
            held += Counter(self._some(spare, position_of[key], n))
        return tuple(sorted(held.elements()))

    def _some(self, records: Counter[int], number: int, n: int) -> list[int]:
        """So many of some records that have a number."""
        alike = (i for i in np.flatnonzero(self.number_of == number).tolist())
        return [i for i in alike for _ in range(records[i])][:n]

    def _run(self, position: int, after: int, count: int) -> tuple[int, int]:
        """So many of the records with one number, after those that are shared."""
        start = int(self.starts[position]) + after
        return start, start + count


def told(pair: WorstPair, parts: Sequence[Parts], records: Parted) -> WorstPair:
    """A pair with other parts."""
    common, removed, added = parts
    return replace(pair, common=common, removed=removed, added=added, records=records)


@dataclass(frozen=True, eq=False)
class Members:
    """Records of a universe whose parts are runs of an order of its m records."""

    universe: Universe
    order: np.ndarray

    def dataset(self, parts: Parts) -> Dataset:
        """The records of some runs, in the universe's own order."""
        given: Dataset = self.universe.source.at(self._members(parts))
        return given

    def positions(self, parts: Parts) -> list[int]:
        """Where the records of some runs stand among the universe's values, sorted."""
        positions = self.universe.source.positions_at(self._members(parts))
        return sorted(positions.tolist())

    def multiset(self, parts: Parts) -> frozenset[tuple[Any, int]]:
        """The different records of some runs, each with its number of copies."""
        values = self.universe.values
        return frozenset((values[i], n) for i, n in Counter(self.positions(parts)).items())

    def _members(self, parts: Parts) -> np.ndarray:
        nothing = np.zeros(0, dtype=np.int64)
        runs = [self.order[start:stop] for start, stop in parts]
        return np.sort(np.concatenate([nothing, *runs]))
