"""A query by group at one dataset, beside the random ones of `test_people_vectors`."""

import numpy as np
import pandas as pd
import pytest
from sensitivity_beyond.proofs import groups_at_one as groups

import sensitivity_lab as sl


def test_numbers_text_and_cells_are_asked_by_group():
    """Catches records that are no rows, and a proof that is claimed where there is none."""
    even = sl.MEDIAN.by(lambda number: number % 2)
    ask = even, (0, 1, 2, 8), sl.Universe.population(range(9))
    solved, walked = (
        sl.local_sensitivity(*ask, relation=sl.Change(1), method=method)
        for method in ("solver", "walk")
    )
    assert solved.value == walked.value
    staff = sl.Universe.product(team=["a", "b"], pay=[0, 4])
    rows = pd.DataFrame({"team": ["a", "b"], "pay": [4, 4]})
    for query in (sl.STD, sl.histogram([0, 2, 4])):
        by = query.of("pay").by("team")
        with pytest.raises(sl.NotProved):
            sl.local_sensitivity(by, rows, staff, relation=sl.Change(1), method="solver")


def test_many_rows_are_answered_without_a_walk(monkeypatch):
    """Catches seconds, or a refusal, where each group is a problem of one column."""
    cells = np.arange(4_000)
    frame = pd.DataFrame({"g": cells % 40, "x": cells * cells % 997})
    universe, dataset = sl.Universe.population(frame), frame.iloc[:3_000]
    for query in (sl.MEAN, sl.MEDIAN, sl.quantile(0.9)):
        by = query.of("x").by("g")
        found = sl.local_sensitivity(by, dataset, universe, relation=sl.Change(2))
        assert found.method == "solver"
        assert found.check()
    spread = sl.STD.of("x").by("g")
    with pytest.raises(sl.TooLarge, match=r"by group.* VARIANCE"):
        sl.local_sensitivity(spread, dataset, universe, relation=sl.Change(1))
    monkeypatch.setattr(groups, "MOST_ASKED", 10)
    with pytest.raises(sl.TooLarge, match="by group"):
        sl.local_sensitivity(by, dataset, universe, relation=sl.Change(2))


def test_a_function_that_fails_on_a_row_is_told_with_the_dataset():
    """Catches a bare error from a group that was asked alone."""
    frame = pd.DataFrame({"g": [1] * 40, "x": range(40)})
    asked = sl.MEAN.of(lambda row: 1 / row["x"]).by("g")
    ask = asked, frame.iloc[:35], sl.Universe.population(frame)
    with pytest.raises(ValueError, match="division by zero"):
        sl.local_sensitivity(*ask, relation=sl.Remove(1))
