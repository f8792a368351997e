"""Grading outside a page: what a notebook hands in, the page's judges, and what is made up."""

import json
from fractions import Fraction

import numpy as np
import pytest
from sensitivity_book.answers.check import verdict
from sensitivity_book.grading import BLANK, function, grade, hand_in, handed_in, number, pair

import sensitivity_lab as sl

FEW = sl.Universe.population([1, 4, 9])
STOPS = "With [] it gives 'ZeroDivisionError: division by zero', which is no number."
SWAP = pair(sum, FEW, 2, sl.Change(1), 8)
TOP = function(lambda d: max(d, default=0), [([4, 1],), ([Fraction(7, 2)],), ([],)])


@pytest.mark.parametrize("given", [19, 19.0, "19", "19 days", 20, 0, "nineteen", [19]])
def test_a_number_gets_what_its_page_says(given):
    """Catches a judge, a tolerance or a sentence of its own."""
    assert grade("by-hand-sum-swapped", given) == verdict("by-hand-sum-swapped", given)


@pytest.mark.parametrize("given", [..., None])
def test_a_blank_is_no_answer(given, capsys):
    """Catches a notebook that nobody filled in and that is graded, or stops the grader."""
    for name in ("by-hand-sum-swapped", "by-hand-both-widest", "school-designed"):
        assert grade(name, given) == BLANK
    hand_in(given)
    assert handed_in(capsys.readouterr().out) is None


@pytest.mark.parametrize("asked", [number(8), SWAP, TOP], ids=["number", "pair", "function"])
def test_a_line_that_somebody_made_up_is_wrong(asked):
    """Catches data that are run, that stop the marker, or that keep it for ever."""
    for line in (
        "[" * 60_000, "9" * 5_000, "nope", '"1e999999999"', '[["1e999999999"], [1]]', "{}", "NaN",
        '"__import__"', "[]", "[[], []]", "[[[1]], [1]]", '["lambda d: 0"]', "[null]", "[4]",
    ):  # fmt: skip
        assert not grade(asked, handed_in(f"Handed in: {line}")).right, line[:40]
    for given in (7, (1, 2), ([1, ...], [2]), object(), "1, 2", (object(), [1])):
        assert not grade(SWAP, given).right


def test_an_answer_is_handed_in_as_it_is_and_a_result_as_its_value(capsys):
    """Catches a number rounded on its way, one that has none, a point lost for `.value`."""
    for given, data in (
        (Fraction(19, 6), "19/6"), (np.float64(0.5), 0.5), (np.int64(7), 7), (10**40, 10**40),
        ("19 days", "19 days"), ((range(2), np.arange(2)), [[0, 1], [0, 1]]), (1 / 3, 1 / 3),
        (sl.global_sensitivity(sl.SUM, FEW, size=2, relation=sl.Change(1)), 8),
    ):  # fmt: skip
        hand_in(given)
        *said, last = capsys.readouterr().out.splitlines()
        assert last == f"Handed in: {json.dumps(data)}"
        assert handed_in(f"Handed in: 0\nmine\n{last}") == data
    assert said == ["You gave a whole result. Its value is handed in."]


def test_a_function_is_judged_by_what_it_gave(capsys):
    """Catches a function that the marker runs, and an output that is held to another input."""
    for own, words in (
        (lambda d: max([0, *d]), "Your function is right on all 3 inputs that were tried."),
        (lambda d: 4 if 4 in d else 7 / (2 * len(d)), STOPS),
        (lambda d: d.sort(), "With [4, 1] it gives nothing. Is a return missing?"),
        (lambda d: d[0] if d else 1, "With [] it gives 1. Right is 0."),
    ):
        hand_in(own, [([4, 1],), ([Fraction(7, 2)],), ([],)])
        assert grade(TOP, handed_in(capsys.readouterr().out)).words == words


def test_answers_of_ones_own_have_the_same_tolerance():
    """Catches a private variant marked otherwise than the page, or sent to a hint it has not."""
    tried = [(0.7310585, own) for own in (0.731, 0.7311, 0.73, 0.732)] + [(0.3302, 0.33)]
    assert [grade(number(right), own).right for right, own in tried] == [1, 1, 0, 0, 1]
    assert grade(number(9), 8).words == "It is another number."
    assert grade(SWAP, ([1, 4], [4, 9])).right
    assert grade(SWAP, ([1, 4], [1, 9])).words == "These two are 5 apart: not far enough."
    assert "there is only 1 record" in grade(SWAP, ([1, 4], [9, 9])).words
