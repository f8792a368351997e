"""The search for what refutes a claim, and the tables of what it finds.

A claim says of each case of a world that its left side is at most its right side. Where the worlds
are populations, a claim can be written as a comparison: of a query, the records, the size of a
release and a distance it gives the two sides, or None for a side that does not exist.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sensitivity_book.theory.research.worlds import Records
from sensitivity_lab import Query

Case = tuple[Any, ...]
Claim = Callable[[Any], Iterator[tuple[Case, Any, Any]]]
Comparison = Callable[..., tuple[Any, Any]]


@dataclass(frozen=True, repr=False)
class Searched:
    """How many worlds and cases a search went through, and the first case that refutes, if any.

    >>> Searched(2, 7, None)
    none found: 2 searched, 7 cases
    """

    worlds: int
    cases: int
    counterexample: tuple[Any, Case] | None

    def __repr__(self) -> str:
        """Say it in a line, and the counterexample in a second one."""
        tried = f"{self.worlds:,} searched, {self.cases:,} cases"
        if self.counterexample is None:
            return f"none found: {tried}"
        world, case = self.counterexample
        return f"refuted: {tried}\n  {world}, case {case}"


def search(claim: Claim, worlds: Iterable[Any]) -> Searched:
    """Hold a claim to every case of every world, up to the first that refutes it.

    >>> def halves(n):
    ...     yield (n,), n // 2, 1
    >>> search(halves, range(9))
    refuted: 5 searched, 5 cases
      4, case (4,)
    """
    visited = cases = 0
    for world in worlds:
        visited += 1
        for case, left, right in claim(world):
            cases += 1
            if exceeds(left, right):
                return Searched(visited, cases, (world, case))
    return Searched(visited, cases, None)


def exceeds(left: Any, right: Any) -> bool:
    """Whether the left side is larger; two floats within one part in 10⁹ count as equal.

    >>> exceeds(2, 1), exceeds(0.1 + 0.2, 0.3)
    (True, False)
    """
    return bool(left > right and not (isinstance(left, float) and math.isclose(left, right)))


# --- comparisons -----------------------------------------------------------------------------


def cases(schools: Iterable[Records]) -> Iterator[tuple[Records, int, int]]:
    """Yield (records, n, k) for each population, each size n and each distance k up to its size.

    >>> list(cases([(0, 1)]))
    [((0, 1), 1, 1), ((0, 1), 1, 2), ((0, 1), 2, 1), ((0, 1), 2, 2)]
    """
    for records in schools:
        sizes = range(1, len(records) + 1)
        yield from ((records, n, k) for n in sizes for k in sizes)


def where(condition: Callable[..., bool], comparison: Comparison) -> Comparison:
    """Return the comparison without the cases in which the condition does not hold.

    >>> even = where(lambda n: n % 2 == 0, lambda n: (n, 3))
    >>> even(1), even(2)
    ((None, None), (2, 3))
    """

    def restricted(*case: Any) -> tuple[Any, Any]:
        return comparison(*case) if condition(*case) else (None, None)

    return restricted


def of_populations(comparison: Comparison, query: Query) -> Claim:
    """Turn a comparison into a claim about a population, without the cases that lack a side.

    >>> fewer = where(lambda query, records, n, k: n + k <= len(records),
    ...               lambda query, records, n, k: (query(records[:n]), query(records[: n + k])))
    >>> from sensitivity_lab import MAX
    >>> search(of_populations(fewer, MAX), [(0, 1), (0, 0, 1)])
    none found: 2 searched, 4 cases
    """

    def claim(records: Records) -> Iterator[tuple[Case, Any, Any]]:
        for _, n, k in cases([records]):
            left, right = comparison(query, records, n, k)
            if left is not None and right is not None:
                yield (n, k), left, right

    return claim


def refuted(
    comparison: Comparison, queries: Sequence[Query], schools: Callable[[], Iterable[Records]]
) -> pd.DataFrame:
    """Return a row for each query: the first case that refutes the comparison, or "none".

    >>> from sensitivity_lab import MAX, MIN
    >>> grows = lambda query, records, n, k: (query(records[:n]), query(records[-n:]))
    >>> shrinks = lambda *case: grows(*case)[::-1]
    >>> refuted(shrinks, [MAX, MIN], lambda: [(0, 1), (1, 1), (0, 2)])
        records  n  k left right  cases
    max  (0, 1)  1  1    1     0      1
    min  (0, 1)  1  1    1     0      1
    """
    rows = [_row(comparison, query, schools()) for query in queries]
    columns = ["records", "n", "k", "left", "right", "cases"]
    return pd.DataFrame(rows, index=[query.name for query in queries], columns=columns)


def _row(comparison: Comparison, query: Query, schools: Iterable[Records]) -> list[Any]:
    """The records, the case, its two sides and the number of cases; or "none" and blanks."""
    found = search(of_populations(comparison, query), schools)
    if found.counterexample is None:
        return ["none", *4 * [""], found.cases]
    records, case = found.counterexample
    return [records, *case, *comparison(query, records, *case), found.cases]


def tally(claim: Claim, worlds: Iterable[Any]) -> dict[str, int]:
    """Count the cases in which the left side is smaller, equal and larger.

    >>> def halves(n):
    ...     yield (n,), n // 2, 1
    >>> tally(halves, range(5))
    {'smaller': 2, 'equal': 2, 'larger': 1}
    """
    counted = dict.fromkeys(("smaller", "equal", "larger"), 0)
    for world in worlds:
        for _, left, right in claim(world):
            if exceeds(left, right):
                counted["larger"] += 1
            else:
                counted["smaller" if exceeds(right, left) else "equal"] += 1
    return counted
