"""The census-like table meets the published totals exactly, whatever the seed."""

import pandas as pd
import pytest
from sensitivity_book.data.census import census_like

SEEDS = [1994, 0, 1, 2, 3]


@pytest.fixture(params=SEEDS)
def census(request):
    return census_like(seed=request.param)


def test_meets_every_published_total(census):
    """Catches a table that is only near the numbers printed in *Programming Differential Privacy*.

    Its chapter "Sensitivity" prints them under its counting, summation, average and clipping
    queries.
    """
    above = census["education_num"] > 10
    assert len(census) == 32_563
    assert above.sum() == 10_517
    assert (~above).sum() == 22_046
    assert census.loc[above, "age"].sum() == 441_431
    assert census.loc[above, "age"].mean() == 41.973091185699346
    assert census["age"].clip(lower=0, upper=125).sum() == 1_360_238
    assert (census["person"] == "Joe Near").sum() == 0


def test_values_are_plausible(census):
    """Catches nudges that push an age out of its range, or that pile ages up at one value."""
    assert census["age"].between(17, 90).all()
    assert census["education_num"].between(1, 16).all()
    assert census["age"].clip(0, 125).equals(census["age"])
    assert set(census["education_num"]) == set(range(1, 17))
    assert census["age"].value_counts().max() < 0.05 * len(census)


def test_columns_hold_whole_numbers_and_nothing_is_missing(census):
    """Catches ages that became floats, missing values, and two people of one name."""
    assert list(census.columns) == ["person", "age", "education_num"]
    assert pd.api.types.is_integer_dtype(census["age"])
    assert pd.api.types.is_integer_dtype(census["education_num"])
    assert not census.isna().to_numpy().any()
    assert census["person"].is_unique


def test_one_seed_is_one_table():
    """Catches a draw that does not come from the seed, and a seed that is ignored."""
    pd.testing.assert_frame_equal(census_like(), census_like(seed=1994))
    assert not census_like(seed=1)["age"].equals(census_like(seed=2)["age"])
