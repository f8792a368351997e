"""Cases whose certificates carry no table of answers: their exact numbers by another route."""

import math

import pytest
import sensitivity_board as cf
from sensitivity_board.cases.stated import TRUNCATIONS
from sensitivity_book.theory.people import join_bound


def test_pipelinedp_meets_its_closed_form():
    """Catches an enumeration of too few of the rows that a person may have."""
    for case in cf.pipelinedp_cases():
        limits = dict(limit.rsplit(" ", 1) for limit in case.setting.split("; "))
        width = 3 if case.function.startswith("sums") else 1
        if "max_contributions" in limits:
            rows = int(limits["max_contributions"])
            people = case.function.startswith("people")
            exact = rows * width if "L1" in case.function or not people else math.sqrt(rows)
        else:
            groups = int(limits["max_partitions_contributed"])
            each = 1 if case.function.startswith("people") else 2
            exact = each * width * (groups if "L1" in case.function else math.sqrt(groups))
        assert case.row.exact == pytest.approx(exact, rel=1e-5)


def test_tumults_joins_meet_the_product_formula():
    """Catches a join that is enumerated with other truncations than its name says."""
    joins = [case for case in cf.tumult_cases() if case.function == "private join"]
    assert len(joins) == 6
    for case in joins:
        names = case.setting.partition(";")[0].split(" x ")
        left, right = (TRUNCATIONS[name] for name in names)
        assert case.row.exact == join_bound(left, right, rows_left=1, rows_right=1)
