"""A brute force over labelled records, which shares no code with the package.

Every record bears a label, its place in the list. A dataset is a set of labels; a neighbour
is found by set operations on labels; an answer is a plain formula over Fractions. Roots are
Decimals of 120 digits. Nothing is clever, so that little can be wrong.
"""

from collections import Counter
from decimal import Context, Decimal
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from math import floor, inf, isfinite
from typing import NamedTuple

DIGITS = Context(prec=120)
TIE = Decimal(10) ** -90  # roots this close are equal: these universes are small


class Found(NamedTuple):
    value: object  # Fraction, or Decimal for a root
    witnesses: set  # every attaining (dataset, neighbour), as sorted tuples of Fractions


# -- what is asked ---------------------------------------------------------------------------


def root(number):
    number = Fraction(number)
    return DIGITS.sqrt(DIGITS.divide(Decimal(number.numerator), Decimal(number.denominator)))


def mean(x):
    return Fraction(sum(x), len(x)) if all(isinstance(v, int) for v in x) else sum(x) / len(x)


def quantile(q):
    q = Fraction(q)

    def answer(x):
        place = q * (len(x) - 1)
        below = floor(place)
        above = min(below + 1, len(x) - 1)
        return (1 - (place - below)) * x[below] + (place - below) * x[above]

    return answer


def variance(ddof):
    def answer(x):
        centre = mean(x)
        return sum((v - centre) ** 2 for v in x) / Fraction(len(x) - ddof)

    return answer


def histogram(edges):
    last = len(edges) - 2

    def holds(i, v):
        return edges[i] <= v < edges[i + 1] or (i == last and v == edges[-1])

    return lambda x: tuple(sum(holds(i, v) for v in x) for i in range(last + 1))


# name of the query: (answer, smallest size)
QUERIES = {
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


def gap(a, b, norm):
    """How far two answers are apart; a Decimal where a root is involved."""
    if norm == 0:
        ends = zip(a, b, strict=True) if isinstance(a, tuple) else [(a, b)]
        return sum(p != q for p, q in ends)
    if isinstance(a, Decimal):
        return DIGITS.abs(DIGITS.subtract(a, b))
    if not isinstance(a, tuple):
        return abs(a - b)
    parts = [abs(p - q) for p, q in zip(a, b, strict=True)]
    if norm == 2:
        return root(sum(part * part for part in parts))
    return sum(parts) if norm == 1 else max(parts)


# -- who is a neighbour ----------------------------------------------------------------------


def related(relation, k, removed, added):
    """Whether so many removals and additions make a neighbour."""
    return {
        "Add": removed == 0 and added == k,
        "Remove": removed == k and added == 0,
        "AddRemove": (removed, added) in {(k, 0), (0, k)},
        "SymmetricDifference": removed + added <= k,
        "Change": removed == added <= k,
    }[relation]


def population_pairs(records, size, relation, k):
    """All (dataset, neighbour) of known records, by labels; sizes are an int or a range."""
    labels = range(len(records))
    everything = [frozenset(c) for n in range(len(records) + 1) for c in combinations(labels, n)]

    def shown(dataset):
        return tuple(sorted(records[label] for label in dataset))

    return {
        (shown(x), shown(y))
        for x in everything
        if len(x) in sizes_of(size)
        for y in everything
        if (isinstance(size, int) or len(y) in size)
        and related(relation, k, len(x - y), len(y - x))
    }


def range_pairs(values, size, relation, k):
    """All (dataset, neighbour) where copies never run out: every two multisets are compared."""
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


def sizes_of(size):
    return [size] if isinstance(size, int) else size


def smallest(answer):
    """The smallest size that a plain function answers: 0, or 1 where nothing is too little."""
    try:
        found = answer(())
        return (
            0 if all(isfinite(n) for n in (found if isinstance(found, tuple) else [found])) else 1
        )
    except Exception:
        return 1


# -- the greatest gap ------------------------------------------------------------------------


def greatest(answer, smallest, pairs, norm=1):
    """The greatest gap over all pairs on which the query is defined; None if there is none."""
    defined = [(x, y) for x, y in pairs if min(len(x), len(y)) >= smallest]
    if not defined:
        return None
    answers = {x: answer(x) for pair in defined for x in pair}
    gaps = {(x, y): gap(answers[x], answers[y], norm) for x, y in defined}
    best = max(gaps.values())
    value = Fraction(0) if best == 0 else best
    if isinstance(best, Decimal):
        return Found(value, {pair for pair, apart in gaps.items() if best - apart <= TIE})
    return Found(value, {pair for pair, apart in gaps.items() if apart == best})


def local(answer, smallest, dataset, pairs, norm=1):
    """The greatest gap between one dataset and its neighbours."""
    return greatest(answer, smallest, {pair for pair in pairs if pair[0] == dataset}, norm)


NORMS = (1, 2, inf)
