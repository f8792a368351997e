"""A formula from numbers: what it finds, what it refuses, and that unseen cases take no part."""

from fractions import Fraction
from functools import cache

import pytest
from conftest import in_turn, turn
from sensitivity_book.theory.conjecture import conjecture

import sensitivity_lab as sl

ENDS = [(0, 2), (-3, 2), (1, 4), (-1, 4)]
RANGES = tuple(sl.Universe.value_range(range(low, high + 1)) for low, high in ENDS)
SIZES = {
    "Change": range(1, 7),
    "Add": range(1, 7),
    "SymmetricDifference": range(1, 7),
    "Remove": range(5, 11),
}


@cache  # several tests ask the same
def found_of(query, relation, sizes=None, distances=(1, 2, 3, 4), universes=RANGES):
    asked = [relation(k) for k in distances]
    return conjecture(query, universes, sizes=sizes or SIZES[relation.__name__], relations=asked)


SHEET = [
    (sl.COUNT, sl.Change, "0"),
    (sl.COUNT, sl.Add, "k"),
    (sl.SUM, sl.Change, "R·min(k, n)"),
    (sl.SUM, sl.SymmetricDifference, "k·max(|L|, |U|)"),
    (sl.MEAN, sl.Change, "R·min(k, n)/n"),
    (sl.MEAN, sl.Add, "k·R/(k + n)"),
    (sl.MEAN, sl.Remove, "k·R/n"),
    (sl.MEDIAN, sl.Change, "min(2, k)·R/2 for even sizes, R for odd"),
    (sl.MIN, sl.Change, "R"),
]


@pytest.mark.parametrize(("query", "relation", "formula"), in_turn(SHEET), ids=str)
def test_formulas_of_the_sheet_are_found(query, relation, formula):
    """Catches a form that is not grown, or a longer one that is taken before it."""
    found = found_of(query, relation)
    assert (found.status, found.formula) == ("conjecture", formula)
    assert found.fits == len(found.cases) > 40
    for case in found.cases[::7]:
        assert case.value == sl.global_sensitivity(
            query, case.universe, size=case.size, relation=case.relation
        ).value  # fmt: skip


def test_a_formula_of_small_cases_is_refuted_by_others():
    """Catches a winner that is not held to unseen cases; kR/(m + k) fails where k > m."""
    found = found_of(
        sl.MEAN,
        sl.SymmetricDifference,
        tuple(range(m, m + 8) for m in (2, 3, 4)),
        distances=(1, 2, 3),
    )
    assert (found.status, found.formula) == ("refuted", "k·R/(k + m)")
    case = found.counterexample
    assert not case.seen
    assert (case.relation.k, min(case.size), case.value, found.said) == (
        3, 2, Fraction(4, 3), Fraction(6, 5)
    )  # fmt: skip


@turn(1, 2)
def test_a_formula_that_fits_all_is_still_no_proof():
    """Catches words that promise more: this one fits 96 of 96, and the next k refutes it."""
    found = found_of(sl.MEDIAN, sl.Add)
    assert repr(found) == (
        "median: R·⌈k/2⌉/2 for even sizes, min(2, k)·R/2 for odd fits 96 of 96, "
        "51 of them unseen: a conjecture, not a proof"
    )
    five = sl.global_sensitivity(sl.MEDIAN, RANGES[0], size=2, relation=sl.Add(5))
    assert five.value == 2 < Fraction(2 * 3, 2)  # R·⌈k/2⌉/2


def planted(dataset):
    """The sum, until there are five records."""
    return sum(dataset) if len(dataset) < 5 else 2 * sum(dataset)


@pytest.mark.parametrize(
    ("sizes", "status"), [(range(1, 5), "conjecture"), (range(1, 6), "refuted")]
)
def test_a_planted_function_turns_where_no_case_was_seen(sizes, status):
    """Catches unseen cases that are left out: the function changes at the last size alone."""
    universes = tuple(sl.Universe.value_range([0, end]) for end in (1, 2, 3))
    found = found_of(planted, sl.Change, sizes, (1, 2, 3), universes)
    assert (found.status, found.formula) == (status, "R·min(k, n)")
    if status == "refuted":
        assert found.counterexample.size == 5
        assert found.counterexample.value == 2 * found.said


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"relations": [sl.Change(1), sl.Add(1)]}, "relations must be of one kind"),
        ({"sizes": [2]}, "must be 4 to see and 1 unseen at the least, got 1 and 1"),
        ({"query": sl.STD}, "must be exact numbers"),
        ({"universes": [sl.Universe.population(["a", "b"])] * 3, "query": sl.COUNT},
            "must be exact numbers"),
    ],
)  # fmt: skip
def test_what_no_formula_can_be_sought_for_is_refused(options, words):
    """Catches floats that are fitted nearly, text that has no ends, and a fit of two numbers."""
    ask = {
        "query": sl.MEAN,
        "universes": RANGES[:2],
        "sizes": range(1, 5),
        "relations": [sl.Change(1)],
    }
    with pytest.raises(ValueError, match=words):
        conjecture(**(ask | options))
