"""What a person's rows come to where a query adds them up."""

import pandas as pd
import pytest

import sensitivity_lab as sl

PAY = pd.DataFrame({"who": list("aabc"), "pay": [7, 5, 9, 4]})
NAMED = sl.Universe.people(PAY, id="who")
ANYBODY = sl.Universe.people(PAY[["pay"]], most_rows=2)


@pytest.mark.parametrize(
    ("universe", "count", "total"), [(NAMED, 1, 12), (ANYBODY, 2, 18)], ids=["named", "anybody"]
)
def test_a_count_of_a_column_is_not_its_sum(universe, count, total):
    """Catches 12 euros for the one well-paid row of a person who leaves."""
    ask = {"size": 2, "relation": sl.Remove(1)}
    for query, worst in ((sl.count_where(lambda pay: pay > 5), count), (sl.SUM, total)):
        assert sl.global_sensitivity(query.of("pay"), universe, **ask).value == worst
