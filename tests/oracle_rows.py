"""A brute force over labelled rows and labelled people, which shares no code with the package.

A population is a list, and a label is a place in it: two equal rows are two rows. A dataset is a set of
labels, a person a label with rows of their own, and a neighbour is found by set operations on
labels. A range has kinds of records: a dataset is a multiset of labels of kinds. Rows are dicts.
"""

import math
from collections import Counter
from decimal import Context, Decimal
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

DIGITS = Context(prec=80)
RELATIONS = ("Add", "Remove", "AddRemove", "SymmetricDifference", "Change")


class Worst(NamedTuple):
    value: object  # Fraction, int, or a float for norm 2
    pairs: set  # every (dataset, neighbour) that attains it, as sorted tuples of labels


# -- who is a neighbour ----------------------------------------------------------------------


def is_neighbour(relation, k, left, joined):
    """Whether so many who left and so many who joined make a neighbour."""
    if relation == "Add":
        return left == 0 and joined == k
    if relation == "Remove":
        return left == k and joined == 0
    if relation == "AddRemove":
        return (left, joined) in ((k, 0), (0, k))
    if relation == "SymmetricDifference":
        return left + joined <= k
    return left == joined <= k


def of_population(people, size, relation, k):
    """All (dataset, neighbour) of so many labelled records; `size` is an int, or a range for both."""
    chosen = [x for n in range(people + 1) for x in combinations(range(people), n)]
    return neighbours([(x, frozenset(x)) for x in chosen], len, size, relation, k)


def of_range(kinds, size, relation, k):
    """All (dataset, neighbour) of so many kinds of records, each in any number of copies."""
    largest = size + k if isinstance(size, int) else max(size)
    chosen = [x for n in range(largest + 1) for x in combinations_with_replacement(range(kinds), n)]
    return neighbours([(x, Counter(x)) for x in chosen], Counter.total, size, relation, k)


def neighbours(everything, many, size, relation, k):
    """All pairs of some sets, or multisets, of labels; `many` says how many one holds."""
    sizes = size if isinstance(size, range) else [size]
    return [
        (x, y)
        for x, held in everything
        if len(x) in sizes
        for y, there in everything
        if (isinstance(size, int) or len(y) in sizes)
        and is_neighbour(relation, k, many(held - there), many(there - held))
    ]


# -- the greatest gap ------------------------------------------------------------------------


def apart(a, b, norm):
    """How far two answers are apart; squared in L2."""
    if not isinstance(a, tuple):
        return abs(Fraction(a) - Fraction(b)) ** (2 if norm == 2 else 1)
    steps = [abs(Fraction(p) - Fraction(q)) for p, q in zip(a, b, strict=True)]
    if norm == 2:
        return sum(step * step for step in steps)
    return max(steps, default=Fraction(0)) if norm == math.inf else sum(steps)


def greatest(answer, pairs, norm=1, smallest=0):
    """The greatest gap of pairs whose sizes are enough; None if there is no pair."""
    asked = [(x, y) for x, y in pairs if min(len(x), len(y)) >= smallest]
    if not asked:
        return None
    answers = {side: answer(side) for pair in asked for side in pair}
    gaps = {(x, y): apart(answers[x], answers[y], norm) for x, y in asked}
    widest = max(gaps.values())
    attained = {pair for pair, gap in gaps.items() if gap == widest}
    if norm == 2:
        widest = root(widest)
    return Worst(widest, attained)


def root(square):
    """The square root of a Fraction, to the nearest float."""
    quotient = DIGITS.divide(Decimal(square.numerator), Decimal(square.denominator))
    return float(DIGITS.sqrt(quotient))


# -- rows and people -------------------------------------------------------------------------


def asked_of(function, records):
    """A function of records as one of labels."""
    return lambda labels: function([records[label] for label in labels])


def people_of(tables, id):
    """Everybody named in any table, each with their rows of every table."""
    names = sorted({row[id] for rows in tables.values() for row in rows})
    return [
        {table: [row for row in rows if row[id] == name] for table, rows in tables.items()}
        for name in names
    ]


def anybody(rows, most):
    """Every person who brings at most so many of some rows."""
    different = [row for i, row in enumerate(rows) if row not in rows[:i]]
    return [
        list(brought)
        for n in range(most + 1)
        for brought in combinations_with_replacement(different, n)
    ]


# -- what is said of a record ----------------------------------------------------------------


def cut(number, low, high):
    return low if number < low else high if number > high else number


def plain(query, numbers):
    """A standard query of numbers, in its own words."""
    x = sorted(map(Fraction, numbers))
    n = len(x)
    return {
        "count": lambda: n,
        "sum": lambda: sum(x),
        "mean": lambda: sum(x) / n,
        "min": lambda: x[0],
        "max": lambda: x[-1],
        "median": lambda: (x[(n - 1) // 2] + x[n // 2]) / 2,
        "variance": lambda: sum((each - sum(x) / n) ** 2 for each in x) / n,
        "count_distinct": lambda: len(set(x)),
    }[query]()


SMALLEST = {"mean": 1, "min": 1, "max": 1, "median": 1, "variance": 1}
