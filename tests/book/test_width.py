"""Integers of 64 bits, or any length, wherever values are: a browser's NumPy has 32."""

import ast

import numpy as np
import pytest
import width
from conftest import ROOT

import sensitivity_lab as sl

# Calls that make integers of the default width, or may, where no `dtype` is named.
MAKERS = {"arange", "array", "full", "cumsum", "cumprod", "sum", "prod", "indices", "fromiter"}
METHODS = {"sum", "cumsum", "prod", "cumprod"}
# What has no one width: sums in the dtype of what is summed.
ALLOWED = {
    ("sensitivity_lab/catalogue.py", "x.sum(axis=1)"): "int64 or Python's ints, by `_integers`",
    ("sensitivity_lab/catalogue.py", "(x * x).sum(axis=1)"): "as the records: by `_integers`",
}


def of_no_width(tree):
    """Calls in a module that leave the width of integers to NumPy."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        of_numpy = isinstance(node.func.value, ast.Name) and node.func.value.id == "np"
        named = {keyword.arg for keyword in node.keywords} & {"dtype", "out"}
        if node.func.attr in (MAKERS if of_numpy else METHODS) and not named:
            yield node
        # `int` as a dtype has the default width, too
        given = [*node.args, *(word.value for word in node.keywords if word.arg == "dtype")]
        takes_dtype = node.func.attr in {"astype", "dtype", "view"} or "dtype" in named
        if takes_dtype and any(isinstance(one, ast.Name) and one.id == "int" for one in given):
            yield node
        if of_numpy and node.func.attr in {"int_", "uint"}:
            yield node


def test_every_integer_of_the_package_names_its_width():
    """Catches integers in NumPy's default width: values are `np.int64`, positions `np.intp`."""
    found = {
        (str(path.relative_to(ROOT)), ast.unparse(node))
        for package in ("sensitivity_lab", "beyond")
        for path in (ROOT / package).rglob("*.py")
        for node in of_no_width(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == set(ALLOWED)


def test_the_answers_are_pythons_own():
    """Catches a number that does not fit its array: every question has a second route."""
    assert len(list(width.questions())) > 40
    assert width.disagreements() == []


@pytest.mark.parametrize("kind", [np.uint8, np.int32, np.uint32, np.uint64, bool])
def test_rows_may_answer_in_few_bits(kind):
    """Catches a gap that is taken in a reader's own width, where 0 − 1 is 255."""
    query = sl.Query(
        "ones", sum, rows=lambda rows, universe: ((rows[:, :1] > 0)[:, 0].astype(kind), 1)
    )
    found = sl.global_sensitivity(
        query, sl.Universe.value_range([0, 1]), size=1, relation=sl.Change(1), method="sweep"
    )
    assert found.value == 1
    assert found.witness == ((0,), (1,))
