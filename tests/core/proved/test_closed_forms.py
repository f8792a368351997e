"""Closed forms, of at least m records and in bins, beside what is enumerated."""

from fractions import Fraction

import pytest
from conftest import MONOTONE, SPREADS, a_third
from conftest import STANDARD as RELATIONS

import sensitivity_lab as sl

QUERIES = [*MONOTONE, *SPREADS, sl.count_distinct]


def assert_attained(form, query, relation):
    dataset, neighbour = form.witness
    assert relation.are_neighbours(dataset, neighbour)
    assert float(abs(query(dataset) - query(neighbour))) == pytest.approx(float(form), abs=1e-12)


def widest_in_words(c, a, b, ddof):
    """D of the variance on [0, 1], a sum over everything that the theorem leaves open."""
    higher, lower = c + a, c + b
    if a >= b:  # the lower side is constant
        return max(Fraction(i * (higher - i), higher * (higher - ddof)) for i in range(a + 1))
    return max(
        Fraction((i + j) * (higher - i - j), higher * (higher - ddof))
        - (Fraction(j * (c - j), c * (lower - ddof)) if c else 0)
        for i in range(a + 1)
        for j in range(c + 1)
    )


@pytest.mark.parametrize("ddof", a_third([0, 1, 2, 3]))
def test_at_least_m_records_are_decided_by_the_shares_with_the_fewest(ddof):
    """Catches a share of thm-sizes-mixed, with a < b above all, that is wider than its formula."""
    shares = 0
    for k in range(1, 9):
        for least in range(ddof + 1, 15):
            if ddof == 3 and k == 1:  # the one step that the theorem leaves out
                continue
            form = sl.closed_form(
                sl.variance(ddof=ddof), bounds=(0, 1), min_size=least,
                relation=sl.SymmetricDifference(k),
            )  # fmt: skip
            gaps = [
                widest_in_words(c, a, b, ddof)
                for a in range(k + 1)
                for b in range(k + 1 - a)
                for c in range(max(0, least - min(a, b)), least + 4)
            ]
            assert (form.value, form.status) == (max(gaps), "exact"), (k, least)
            assert min(map(len, form.witness)) >= least
            assert_attained(form, sl.variance(ddof=ddof), sl.SymmetricDifference(k))
            shares += len(gaps)
    assert shares > 5_000


def test_a_ddof_of_4_and_more_has_only_a_bound():
    """Catches a formula called exact where three records that join five do more: 9/10 over 4/5."""
    values, relation = sl.Universe.value_range([0, Fraction(2, 5), 1]), sl.SymmetricDifference(3)
    sizes = range(5, 9)
    query = sl.variance(ddof=4)
    found = sl.global_sensitivity(query, values, size=sizes, relation=relation, method="sweep")
    form = sl.closed_form(query, bounds=(0, 1), min_size=5, relation=relation)
    fewest = max(
        widest_in_words(max(0, 5 - b), a, b, 4)
        for a in range(1, 4)
        for b in range(min(a, 3 - a) + 1)
    )
    assert (found.value, fewest) == (Fraction(9, 10), Fraction(4, 5))
    assert form.status == "upper bound"
    assert form.value >= found.value


def test_the_interval_is_more_than_its_grid():
    """On an interval there are always new values to add: distinct values grow without bound."""
    form = sl.closed_form(sl.count_distinct, bounds=(0, 1), size=3, relation=sl.Add(5))
    assert form.value == 5
    assert_attained(form, sl.count_distinct, sl.Add(5))
    assert sl.closed_form(sl.count_distinct, bounds=(2, 2), size=3, relation=sl.Add(5)).value == 0


def test_a_comparison_says_how_loose_a_formula_is():
    """Catches a formula below what is found where copies run out, one for an own function."""
    school = sl.Universe.population([1, 2, 3, 4, 5, 6, 7, 8, 15, 20])
    relations = [sl.Change(1), sl.Change(4)]
    table = sl.compare([sl.MEDIAN, sl.STD], {"days": school}, size=6, relations=relations)
    assert set(table["status"]) == {"upper bound"}
    assert (table["ratio"] >= 1).all()
    assert (table["ratio"] > 1).any()
    dice = {"dice": sl.Universe.value_range([1, 2, 3, 4, 5, 6])}
    ask = {"size": 3, "relations": [sl.Change(1)]}
    table = sl.compare([sl.SUM, lambda x: x[-1] - x[0]], dice, **ask)
    assert table["closed_form"].tolist() == [5, None]
    assert table["status"].tolist() == ["exact", None]
    assert table["ratio"].iloc[0] == 1
    loose = sl.compare([sl.COUNT, sl.SUM], dice, **ask, bounds=(0, 10))
    assert loose["ratio"].tolist() == [1, 2]  # 0 against 0 is exact; 10 against 5


@pytest.mark.parametrize("family", RELATIONS, ids=lambda family: family.__name__)
def test_with_at_least_m_records_no_known_size_has_a_wider_range(family):
    """Catches a larger size that was not asked about; some known size attains the value."""
    for least in (1, 5):
        for k in (1, 3):
            asked = {"bounds": (0, 1), "relation": family(k)}
            form = sl.closed_form(sl.RANGE, min_size=least, **asked)
            sizes = sl.closed_form(sl.RANGE, size=range(least, least + 22 + 2 * k), **asked)
            assert (form.value, form.status) == (sizes.value, "exact"), (least, k)
            assert min(map(len, form.witness)) >= least
            assert abs(sl.RANGE(form.witness[0]) - sl.RANGE(form.witness[1])) == form.value
