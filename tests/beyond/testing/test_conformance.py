"""Every standard query is right by every route; and a query that is not is found out."""

from dataclasses import replace
from fractions import Fraction

import pytest
from conftest import MONOTONE, SPREADS, a_third, in_turn
from sensitivity_beyond.testing import check_query

import sensitivity_lab as sl
from sensitivity_lab.proved.ranks import Quantile

COUNTS = [sl.count_distinct, sl.count_where(bool), sl.histogram([-2, 1, 3])]
FEW = {"sizes": [2], "relations": [sl.Change(1), sl.SymmetricDifference(2)]}
QUERIES = [*MONOTONE, *SPREADS, sl.RANGE, *COUNTS]


@pytest.mark.parametrize("query", a_third(QUERIES), ids=str)
def test_a_standard_query_is_one_by_every_route(query):
    """Catches a route that disagrees with the definition, or one that nobody asks."""
    sizes = (1, 2, 3) if query in in_turn(a_third(QUERIES)) else [2]
    asked = check_query(query, sizes=sizes)
    assert set(asked) == {"walk", "sweep", "solver", "local", "closed form", "at least m"}
    assert min(asked.values()) > 4 * len(sizes)


@pytest.mark.parametrize("norm", in_turn([1, 2, float("inf")]))
def test_a_histogram_is_one_in_every_norm(norm):
    """Catches a split that is best in another norm."""
    assert min(check_query(sl.histogram([-2, 0, 1, 3]), norm=norm).values()) > 20


def test_a_function_of_ones_own():
    """Catches a query without a proof for which the suite fails, or is silent."""
    plain = check_query(sl.Query("first", lambda x: x[0], smallest_size=1), **FEW)
    assert set(plain) == {"walk", "sweep"}


class Wider(Quantile):
    """A proof that claims too much: D of a size more."""

    def on_interval(self, interval, norm):
        d = super().on_interval(interval, norm)
        return lambda c, a, b: replace(pair := d(c, a, b), gap=2 * pair.gap)


def test_a_proof_that_is_wrong_is_found_out():
    """Catches a suite that holds a query to its own proof."""
    told = r"median, Change\(1\), size 2, .*: the solver gives 5, not 5/2"
    with pytest.raises(AssertionError, match=told):
        check_query(replace(sl.MEDIAN, proved=Wider(Fraction(1, 2))), **FEW)
    with pytest.raises(AssertionError, match=r"max, .*: the solver's witness .* is no pair at 5"):
        check_query(replace(sl.MAX, rows=None, function=min), sizes=[2], relations=[sl.Add(1)])


def test_what_is_no_question_is_refused():
    """Catches a function taken for a query, and relations that the definition does not know."""
    with pytest.raises(TypeError, match="query must be a Query"):
        check_query(max)
    with pytest.raises(ValueError, match="relations must be standard ones"):
        check_query(sl.MAX, relations=[max])
