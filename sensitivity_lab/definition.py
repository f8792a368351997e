"""The idea in one file: how much can k records change an answer?

Try every dataset and every neighbour.

    a population          a list of records; the place in it is a record's label
    a dataset x           a set of labels
    a neighbour y         a dataset that differs from x in k records: `related` says how
    the gap of x and y    how far apart the answers on them are: `gap`
    the sensitivity       the greatest gap of all such pairs: `greatest`
    a witness             a pair that has it

>>> pairs = population_pairs([0, 2, 9], size=2, relation="Change", k=1)
>>> greatest(mean, 1, pairs).value
Fraction(9, 2)
>>> ((0, 2), (2, 9)) in greatest(mean, 1, pairs).witnesses
True

Nothing here is clever, so that little can be wrong, and nothing here is shared with the rest of the
package: every method must equal this file, and the tests hold it to that. It is slow: all pairs of
datasets are visited, 4ᵐ of m records. Numbers are exact: answers are Fractions, roots have 120
digits.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, pairwise
from math import floor, inf
from typing import Any, NamedTuple

Dataset = tuple[Any, ...]  # its records, sorted
Pairs = set[tuple[Dataset, Dataset]]
Answer = Callable[[Dataset], Any]

DIGITS = Context(prec=120)
TIE = Decimal(10) ** -90  # roots of small rationals that are this close are equal
NORMS = (1, 2, inf)  # and 0, which counts the entries that differ


class Found(NamedTuple):
    """The greatest gap, and every pair that has it."""

    value: Any  # a Fraction, or a Decimal for a root
    witnesses: Pairs


# -- what is asked --


def root(number: Any) -> Decimal:
    """The square root of a rational."""
    number = Fraction(number)
    return DIGITS.sqrt(DIGITS.divide(Decimal(number.numerator), Decimal(number.denominator)))


def mean(x: Dataset) -> Any:
    """The sum of the records divided by their number."""
    return Fraction(sum(x), len(x)) if all(isinstance(v, int) for v in x) else sum(x) / len(x)


def quantile(q: Any) -> Answer:
    """The record at place q·(n − 1) of the sorted ones, from 0; between two records, their mix."""
    q = Fraction(q)

    def answer(x: Dataset) -> Any:
        place = q * (len(x) - 1)
        below = floor(place)
        above = min(below + 1, len(x) - 1)
        return (1 - (place - below)) * x[below] + (place - below) * x[above]

    return answer


def variance(ddof: int) -> Answer:
    """The squared distances from the mean, summed, divided by n − ddof."""

    def answer(x: Dataset) -> Any:
        centre = mean(x)
        return sum((v - centre) ** 2 for v in x) / Fraction(len(x) - ddof)

    return answer


def histogram(edges: Sequence[Any]) -> Answer:
    """How many records are in each bin; the last one holds its right edge, too."""
    bins = list(pairwise(edges))
    return lambda x: tuple(sum(a <= v < b or v == b == edges[-1] for v in x) for a, b in bins)


QUERIES: dict[str, tuple[Answer, int]] = {  # name: (answer, smallest size)
    "count": (len, 0),
    "sum": (sum, 0),
    "mean": (mean, 1),
    "median": (quantile("1/2"), 1),
    "quantile(0.25)": (quantile("1/4"), 1),
    "quantile(0.9)": (quantile("9/10"), 1),
    "variance": (variance(0), 1),
    "variance(ddof=1)": (variance(1), 2),
    "std": (lambda x: root(variance(0)(x)), 1),
    "std(ddof=1)": (lambda x: root(variance(1)(x)), 2),
    "min": (min, 1),
    "max": (max, 1),
    "count_distinct": (lambda x: len(set(x)), 0),
}


def gap(a: Any, b: Any, norm: float) -> Any:
    """How far apart two answers are; a Decimal where a root is involved."""
    if isinstance(a, Decimal) and norm:
        return DIGITS.abs(DIGITS.subtract(a, b))
    if not isinstance(a, tuple):
        return int(a != b) if norm == 0 else abs(a - b)
    parts = [abs(p - q) for p, q in zip(a, b, strict=True)]
    if norm == 0:
        return sum(part != 0 for part in parts)
    if norm == 2:
        return root(sum(part * part for part in parts))
    return sum(parts) if norm == 1 else max(parts)


# -- who is a neighbour --


def related(relation: str, k: int, removed: int, added: int) -> bool:
    """Whether so many removals and additions make a neighbour."""
    return {
        "Add": removed == 0 and added == k,
        "Remove": removed == k and added == 0,
        "AddRemove": (removed, added) in {(k, 0), (0, k)},
        "SymmetricDifference": removed + added <= k,
        "Change": removed == added <= k,
    }[relation]


def population_pairs(records: Sequence[Any], size: int | range, relation: str, k: int) -> Pairs:
    """All (dataset, neighbour) of known records: each is in a dataset at most once."""
    labels = range(len(records))
    everything = [frozenset(c) for n in range(len(records) + 1) for c in combinations(labels, n)]

    def shown(dataset: Iterable[int]) -> Dataset:
        return tuple(sorted(records[label] for label in dataset))

    return {
        (shown(x), shown(y))
        for x in everything
        if len(x) in sizes_of(size)
        for y in everything
        if (isinstance(size, int) or len(y) in size)
        and related(relation, k, len(x - y), len(y - x))
    }


def range_pairs(values: Iterable[Any], size: int | range, relation: str, k: int) -> Pairs:
    """All (dataset, neighbour) of records that take any of some values: copies never run out."""
    largest = max(sizes_of(size)) + (k if isinstance(size, int) else 0)
    everything = [
        (x, Counter(x))
        for n in range(largest + 1)
        for x in combinations_with_replacement(sorted(set(values)), n)
    ]
    return {
        (x, y)
        for x, count_x in everything
        if len(x) in sizes_of(size)
        for y, count_y in everything
        if (isinstance(size, int) or len(y) in size)
        and related(relation, k, (count_x - count_y).total(), (count_y - count_x).total())
    }


def sizes_of(size: int | range) -> Sequence[int]:
    """One size, or the sizes of a range."""
    return [size] if isinstance(size, int) else size


# -- the greatest gap --


def greatest(answer: Answer, smallest: int, pairs: Pairs, norm: float = 1) -> Found | None:
    """The greatest gap of all pairs on which the query is defined; None if there is none."""
    defined = [(x, y) for x, y in pairs if min(len(x), len(y)) >= smallest]
    if not defined:
        return None
    answers = {x: answer(x) for pair in defined for x in pair}
    gaps = {(x, y): gap(answers[x], answers[y], norm) for x, y in defined}
    best = max(gaps.values())
    tie = TIE if isinstance(best, Decimal) else 0
    return Found(best or Fraction(0), {pair for pair, g in gaps.items() if best - g <= tie})


def local(answer: Answer, smallest: int, x: Dataset, pairs: Pairs, norm: float = 1) -> Found | None:
    """The greatest gap between one dataset and its neighbours."""
    return greatest(answer, smallest, {pair for pair in pairs if pair[0] == x}, norm)
