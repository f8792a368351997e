"""The sums of a private search, and where the search stops."""

import numpy as np
import pytest
from sensitivity_book.data.census import census_like
from sensitivity_book.stage.bounds import clipped_sums, levels_off
from sensitivity_book.stage.dots.bound import clipped


def test_what_a_sum_loses_is_what_lies_above_the_bound():
    """Catches a bound that is off by one, by the game's own count of lost years."""
    ages = census_like()["age"].tolist()
    bounds = [1, 17, 65, 85, 86, 128]
    lost = sum(ages) - clipped_sums(ages, bounds)
    assert lost.tolist() == [clipped(ages, bound, "1").bias for bound in bounds]


@pytest.mark.parametrize(
    ("answers", "ahead", "stop"),
    [
        ([1, 2, 3, 4, 5], 1, 16),  # never level: the last bound
        ([1, 2, 2, 4, 5], 1, 2),  # a tie is not beaten
        ([5, 4, 3, 2, 1], 3, 1),
        ([1, 9, 3, 4, 8], 3, 2),  # 9 is not beaten by the 8 three bounds on
        ([1, 9, 3, 4, 10], 3, 16),
        ([1, 2], 2, 16),
    ],
)
def test_the_rule_reads_only_the_answer_ahead(answers, ahead, stop):
    """Catches a rule that looks at the wrong answer, or that falls back to the first bound."""
    assert levels_off([1, 2, 4, 8, 16], answers, ahead=ahead) == stop
    assert levels_off(np.array([1, 2, 4, 8, 16]), np.array(answers), ahead=ahead) == stop
