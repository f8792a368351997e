"""What the chapters on the school and the vehicle state, held to the brute force over labelled records."""

import random
from fractions import Fraction

import nbformat
import pytest
from conftest import ROOT

from sensitivity_lab.definition import QUERIES, greatest, population_pairs, range_pairs

DAYS = [1, 2, 3, 4, 5, 6, 7, 8, 15, 20]


def sensitivity(query, pairs):
    return greatest(*QUERIES[query], pairs).value


def steps(records, n, k):
    """The steps of thm-school-used-up: the j-th highest record minus the j-th lowest."""
    low, high = sorted(records), sorted(records, reverse=True)
    most = min(k, n, len(records) - n)
    return [b - a for a, b in zip(low[:most], high[:most], strict=True)]


@pytest.mark.parametrize("seed", range(6))
def test_a_sum_moves_by_the_records_that_are_not_used_up(seed):
    """Catches a step that is missing or counted twice, with equal and negative records, at every size and k."""
    rng = random.Random(seed)
    records = [rng.randint(-4, 6) for _ in range(rng.randint(2, 6))]
    for n in range(len(records) + 1):
        for k in range(1, len(records) + 1):
            pairs = population_pairs(records, n, "Change", k)
            assert sensitivity("sum", pairs) == sum(steps(records, n, k)), (records, n, k)


@pytest.mark.parametrize("values", [[1, 2, 3], [-3, 0, 5], [0, 1]])
@pytest.mark.parametrize("n", range(1, 8))
def test_a_median_zigzags(values, n):
    """Catches the width where half of it is due, or half of it where it is all due."""
    width = max(values) - min(values)
    expected = width if n % 2 else Fraction(width, 2)
    assert sensitivity("median", range_pairs(values, n, "Change", 1)) == expected


def test_the_schools_picture_is_told_as_it_is_drawn():
    """Catches an alternative text whose last numbers are another curve's."""
    told = alternative("school", "fig-school-bend")
    for k in (3, 4):
        assert f"{float(sensitivity('sum', population_pairs(DAYS, 6, 'Change', k))):.3g}" in told


def alternative(chapter, figure):
    cells = nbformat.read(ROOT / "notebooks" / f"{chapter}.ipynb", as_version=4).cells
    shown = [
        cell.metadata["mystnb"] for cell in cells if "figure" in cell.metadata.get("mystnb", {})
    ]
    return next(one["image"]["alt"] for one in shown if one["figure"]["name"] == figure)
