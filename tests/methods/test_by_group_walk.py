"""Groups that come again are not asked again: the same answers as one dataset at a time."""

import numpy as np
import pandas as pd
import pytest
from conftest import in_turn

import sensitivity_lab as sl
from sensitivity_lab.methods import walk

QUERIES = [sl.MEAN, sl.MEDIAN, sl.quantile(0.3), sl.STD, sl.MAX, sl.SUM]


@pytest.mark.parametrize("query", in_turn(QUERIES), ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_groups_that_are_kept_answer_as_datasets_alone(query, seed, monkeypatch):
    """Catches a group that is taken for another, or whose rows are told apart wrongly."""
    rng = np.random.default_rng(seed)
    keys = ["a", "b", None] if seed % 2 else [1, 2]
    frame = pd.DataFrame({"g": rng.choice(keys, 6), "x": rng.integers(0, 9, 6)})
    universe = [sl.Universe.population, sl.Universe.value_range][seed % 2](frame)
    relation = [sl.Change(1), sl.AddRemove(1), sl.SymmetricDifference(2), sl.Remove(1)][seed]
    asked = query.of("x").by("g", keys=["a", "z", 1] if seed > 1 else None)
    monkeypatch.setattr(walk, "LONG", 10**9)
    alone = sl.global_sensitivity(asked, universe, size=3, relation=relation, method="walk")
    monkeypatch.setattr(walk, "LONG", 0)
    kept = sl.global_sensitivity(asked, universe, size=3, relation=relation, method="walk")
    assert kept == alone
    assert kept.check()
    x = alone.witness[0]
    assert sl.local_sensitivity(asked, x, universe, relation=relation).value == alone.value


def test_one_long_dataset_is_walked_and_what_no_solver_serves_refused_at_once():
    """Catches a spread by group of one dataset that takes minutes, or is refused after them."""
    frame = pd.DataFrame({"g": np.arange(320) % 8, "x": np.arange(320) ** 2 % 97})
    universe, asked = sl.Universe.population(frame), sl.MEAN.of("x").by("g")
    found = sl.local_sensitivity(asked, frame.iloc[:300], universe, relation=sl.Change(1))
    assert found.method == "walk"
    assert found.check()
    large = pd.concat([frame] * 50, ignore_index=True)
    with pytest.raises(sl.TooLarge, match=r"by group.* VARIANCE"):
        sl.local_sensitivity(
            sl.STD.of("x").by("g"),
            large.iloc[:8000],
            sl.Universe.population(large),
            relation=sl.Change(1),
        )


def test_a_function_that_fails_on_a_row_is_told_with_the_dataset():
    """Catches a bare error from a group that was asked alone."""
    frame = pd.DataFrame({"g": [1] * 40, "x": range(40)})
    asked = sl.MEAN.of(lambda row: 1 / row["x"]).by("g")
    with pytest.raises(ValueError, match="division by zero"):
        sl.local_sensitivity(
            asked, frame.iloc[:35], sl.Universe.population(frame), relation=sl.Remove(1)
        )
