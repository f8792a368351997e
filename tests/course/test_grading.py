"""Grading outside a page: the page's judges, and what a submission may look like."""

import pytest
from sensitivity_book.answers.check import verdict
from sensitivity_book.grading import BLANK, grade, number, pair

import sensitivity_lab as sl

TWICE = [1, 2, 4, 8, 15, 20], [1, 2, 3, 4, 8, 15]
FEW = sl.Universe.population([1, 4, 9])


@pytest.mark.parametrize("given", [19, 19.0, "19", "19 days", 20, 0, "nineteen", [19]])
def test_a_number_gets_what_its_page_says(given):
    """Catches a judge, a tolerance or a sentence of its own."""
    assert grade("by-hand-sum-swapped", given) == verdict("by-hand-sum-swapped", given)


def test_a_pair_and_a_function_get_what_their_page_says():
    """Catches a pair whose halves are not told apart, and a function that is not called."""
    widest = [1, 2, 3, 7, 8, 15], [2, 3, 7, 8, 15, 20]
    for x, y in (TWICE, widest, ([1], [2])):
        assert grade("by-hand-both-widest", (x, y)) == verdict("by-hand-both-widest", x, y)
    assert grade("by-hand-span-written", lambda x: max(x) - min(x)).right
    assert "With [1" in grade("by-hand-span-written", max).words


@pytest.mark.parametrize("name", ["by-hand-sum-swapped", "by-hand-both-widest", "school-designed"])
@pytest.mark.parametrize("given", [..., None])
def test_a_blank_is_no_answer(name, given):
    """Catches a notebook that nobody filled in and that is graded, or stops the grader."""
    assert grade(name, given) == BLANK


@pytest.mark.parametrize("given", [7, (1, 2), ([1, ...], [2]), object(), "1, 2", (object(), [1])])
def test_nonsense_in_place_of_two_datasets_is_wrong(given):
    """Catches a type that stops the grader."""
    assert not grade("by-hand-both-widest", given).right


def test_answers_of_ones_own_have_the_same_tolerance():
    """Catches a private variant that is marked otherwise than the page."""
    right = [grade(number(0.7310585), own).right for own in (0.731, 0.7311, 0.73, 0.732)]
    assert right == [True, True, False, False]
    swap = pair(sum, FEW, 2, sl.Change(1), 8)
    assert grade(swap, ([1, 4], [4, 9])).right
    assert grade(swap, ([1, 4], [1, 9])).words == "These two are 5 apart: not far enough."
    assert "there is only 1 record" in grade(swap, ([1, 4], [9, 9])).words
