"""What several test modules ask about, and how they hold a refusal to its words."""

import re
from fractions import Fraction

import pytest

import sensitivity_lab as sl

# The five whose formulas and solvers are proved; and every relation that the package has.
STANDARD = [sl.Add, sl.Remove, sl.AddRemove, sl.SymmetricDifference, sl.Change]
RELATIONS = [*STANDARD]
METHODS = ["auto", "walk", "sweep"]

MONOTONE = [
    sl.COUNT,
    sl.SUM,
    sl.MEAN,
    sl.MEDIAN,
    sl.quantile(0.25),
    sl.quantile(0.9),
    sl.quantile(Fraction(1, 3)),
    sl.MIN,
    sl.MAX,
]
SPREADS = [sl.VARIANCE, sl.STD, sl.variance(ddof=1), sl.std(ddof=1)]
# Those of which `oracle.QUERIES` has a brute force, by name.
QUERIES = {
    query.name: query
    for query in (
        sl.COUNT, sl.SUM, sl.MEAN, sl.MEDIAN, sl.quantile(0.25), sl.quantile(0.9), sl.VARIANCE,
        sl.variance(ddof=1), sl.STD, sl.std(ddof=1), sl.MIN, sl.MAX, sl.count_distinct,
    )
}  # fmt: skip

SCHOOL = sl.Universe.population([1, 2, 3, 10])
ABSENCES = sl.Universe.population([1, 2, 3, 4, 5, 6, 7, 8, 15, 20], name="absence_days")


def intervals(query):
    """Two lengths tell R from its powers; the sum alone asks on which side of 0 they lie."""
    return [(-2, 3), (1, 3), *([(-3, -1)] if query is sl.SUM else [])]


def refused(error, *words):
    """A context in which `error` must be raised with every one of the words in its text."""
    everything = "".join(f"(?=.*{re.escape(word)})" for word in words)
    return pytest.raises(error, match=f"(?s){everything}")
