"""Two published bounds on the sensitivity of counting joins: elastic and residual sensitivity.

Both are asked for the same thing: an upper bound on the local sensitivity of every dataset within
k rows of the one at hand, where a row is added or removed. They read a few numbers of the dataset
for this: how often the most frequent value of a column comes, or the most matches that any row
could have in some of the tables.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, combinations

from sensitivity_book.theory.joins.shapes import Record, Shape

Frequencies = Mapping[tuple[str, int], int]  # by table and column
Boundaries = Mapping[frozenset[int], int]  # by the positions of some parts


# --- elastic sensitivity ----------------------------------------------------------------------


def frequencies(shape: Shape, records: Sequence[Record]) -> Frequencies:
    """How often the most frequent value of each column comes: mf."""
    found = {}
    for table, letters in shape.parts:
        for i in range(len(letters)):
            times = Counter(row[i] for name, *row in records if name == table)
            found[table, i] = max(times.values(), default=0)
    return found


def elastic(shape: Shape, most: Frequencies, distance: int = 0) -> int:
    """The elastic sensitivity at a distance: tables are joined in the order of the shape.

    Source: Johnson, Near and Song, "Towards practical differential privacy for SQL queries",
        doi:10.1145/3177732.3177733, as their program has it, uber-archive/sql-differential-privacy.
    """
    (first, letters), *rest = shape.parts
    held = {c: most[first, i] + distance for i, c in enumerate(letters)}
    moved, seen = 1, {first}
    for table, letters in rest:
        new = {c: most[table, i] + distance for i, c in enumerate(letters)}
        on = held.keys() & new.keys()
        if not on:
            raise ValueError(
                f"{table} must share a column with the tables before it, got {letters}"
            )
        both = moved if table in seen else 0
        parts = [(held[c], new[c] * moved) for c in on]
        moved = min(sum(sides) + both if table in seen else max(sides) for sides in parts)
        left, right = min(held[c] for c in on), min(new[c] for c in on)
        found = {c: n * right for c, n in held.items()}
        for c, n in new.items():
            found[c] = min(found.get(c, n * left), n * left)
        held, seen = found, {*seen, table}
    return moved


def smooth_elastic(shape: Shape, most: Frequencies, beta: float) -> tuple[float, int]:
    """The largest e^(−βk) of the elastic sensitivity at distance k, and the k."""
    return _discounted(lambda k: elastic(shape, most, k), beta, len(shape.parts))


def stops_early(shape: Shape, most: Frequencies, beta: float) -> float:
    """What comes of stopping at the first k that has less than the one before."""
    best, k = 0.0, 0
    while (now := math.exp(-beta * k) * elastic(shape, most, k)) >= best and now:
        best, k = now, k + 1
    return best


# --- residual sensitivity ---------------------------------------------------------------------


def boundaries(shape: Shape, records: Sequence[Record]) -> Boundaries:
    """T_F of some of the parts, for all F: the most of its join's rows that
    agree on the boundary."""
    found = {}
    for parts in subsets(range(len(shape.parts))):
        shared = shape.boundary(parts)
        times = Counter(tuple(row[c] for c in shared) for row in shape.results(records, parts))
        found[parts] = max(times.values(), default=0)
    return found


def residual(shape: Shape, most: Boundaries, distance: int = 0) -> int:
    """The bound of residual sensitivity on the local sensitivity at a distance.

    Source: Dong and Yi, "Residual sensitivity for differentially private multi-way joins",
        doi:10.1145/3448016.3452813, as their program for joins of different tables has it,
        hkustDB/ResidualSensitivity. Of a table that is joined with itself a new row may stand for
        any of its parts, so the same sum is added up over all sets A of these in place of {i}, and
        all its parts have one s_j: this extension, and its proof, are ours.
    """
    return max(
        sum(n * _product(news, powers) for powers, n in terms)
        for table, terms in _polynomials(shape, most).items()
        for news in _splits(distance, len(terms[0][0]))
    )


def smooth_residual(shape: Shape, most: Boundaries, beta: float) -> tuple[float, int]:
    """The largest e^(−βk) of the residual bound at distance k, and the k: residual sensitivity."""
    degree = len(shape.parts) - 1
    polynomials = _polynomials(shape, most).values()
    best, at, k = 0.0, 0, 0
    while True:
        now = math.exp(-beta * k) * residual(shape, most, k)
        if now > best:
            best, at = now, k
        above = max(sum(n * (k + 1) ** sum(powers) for powers, n in terms) for terms in polynomials)
        if k >= degree / beta and math.exp(-beta * (k + 1)) * above <= best:
            return best, at
        k += 1


Terms = list[tuple[tuple[int, ...], int]]  # powers of each table's s, and the factor


def _polynomials(shape: Shape, most: Boundaries) -> dict[str, Terms]:
    """By the table that a row joins, the bound as a polynomial in how many rows of each are new."""
    return {
        table: [(powers, sum(most[rest] for rest in left)) for powers, left in terms]
        for table, terms in _left_by_powers(shape).items()
    }


@cache
def _left_by_powers(shape: Shape) -> dict[str, list[tuple[tuple[int, ...], list[frozenset[int]]]]]:
    """By the table that a row joins and the powers of each s: the parts that are as they were."""
    everything = frozenset(range(len(shape.parts)))
    found = {}
    for table, own in shape.tables.items():
        terms: dict[tuple[int, ...], list[frozenset[int]]] = {}
        for taken in subsets(own)[1:]:
            others = everything - taken
            for new in subsets(others):
                terms.setdefault(_powers(shape, new), []).append(others - new)
        tables = range(len(shape.tables))
        live = [j for j in tables if any(powers[j] for powers in terms)] or [0]
        found[table] = [(tuple(powers[j] for j in live), left) for powers, left in terms.items()]
    return found


def _powers(shape: Shape, parts: frozenset[int]) -> tuple[int, ...]:
    """How many of some parts are of each table."""
    return tuple(len(parts & {*own}) for own in shape.tables.values())


def _product(news: Sequence[int], powers: Sequence[int]) -> int:
    return math.prod(s**power for s, power in zip(news, powers, strict=True))


def subsets(positions: Iterable[int]) -> list[frozenset[int]]:
    """All subsets of some positions, the smaller first."""
    listed = sorted(positions)
    sizes = (combinations(listed, n) for n in range(len(listed) + 1))
    return [frozenset(some) for some in chain.from_iterable(sizes)]


@cache
def _splits(total: int, among: int) -> list[tuple[int, ...]]:
    """All ways to split a number among so many."""
    return list(_split(total, among))


def _split(total: int, among: int) -> Iterator[tuple[int, ...]]:
    if among == 1:
        yield (total,)
        return
    for first in range(total + 1):
        yield from ((first, *rest) for rest in _split(total - first, among - 1))


def _discounted(at: Callable[[int], int], beta: float, degree: int) -> tuple[float, int]:
    """The largest e^(−βk) of a bound, for k up to where it can only fall; the first k of equals."""
    values = [math.exp(-beta * k) * at(k) for k in range(math.ceil(degree / beta) + 2)]
    best = max(values)
    return best, values.index(best)
