"""The real tables are those of their sheets, within their bounds, and meet their totals."""

from dataclasses import replace

import pandas as pd
import pytest
from sensitivity_book.data.census import census_like
from sensitivity_book.data.real import flights, workplace_charging


@pytest.mark.parametrize("told", [workplace_charging(), flights()], ids=lambda told: told.name)
def test_the_data_are_those_of_a_complete_sheet(told):
    """Catches a row, an id or a column that the sheet does not count, a bound that somebody who
    looked at other data wrote down, a sheet without licence, source, hash or column, and a file
    that was changed after it."""
    data, sheet = told.read(), told.sheet()
    assert list(data) == [column.name for column in told.columns]
    assert (len(data), data[told.id].nunique()) == (told.rows, told.ids)
    brought = data.groupby(told.id).size()
    assert f"from {brought.min()} to {brought.max()} rows" in told.ids_are
    assert not data.isna().any(axis=None)
    for column in told.columns:
        assert bool(column.because) == (column.may_be is not None)
        assert f"| `{column.name}` | {column.says} |" in sheet
        if column.may_be is not None and isinstance(column.may_be[0], str):
            assert set(data[column.name]) <= set(column.may_be)
        elif column.may_be is not None:
            assert data[column.name].between(*column.may_be).all()
    for said in (told.source, told.doi, told.licence, told.licence_read, told.dropped, told.sha256):
        assert said
        assert said in sheet
    assert len(told.schema) == len(told.columns)
    with pytest.raises(ValueError, match=r"must have the sheet's hash, got"):
        replace(told, sha256="0" * 64).read()


def test_sessions_are_in_order_and_ids_are_not():
    """Catches rows sorted by driver, with which 'the first two rows' would mean nothing."""
    data = workplace_charging().read()
    assert data["session"].tolist() == list(range(1, len(data) + 1))
    assert data["month"].is_monotonic_increasing
    assert not data["driver"].is_monotonic_increasing


@pytest.mark.parametrize("seed", [1994, 0, 1])
def test_meets_every_published_total(seed):
    """Catches a table that is only near the numbers printed in *Programming Differential Privacy*.

    Its chapter "Sensitivity" prints them under its counting, summation, average and clipping
    queries.
    """
    census = census_like(seed=seed)
    above = census["education_num"] > 10
    assert (len(census), above.sum(), (~above).sum()) == (32_563, 10_517, 22_046)
    assert census.loc[above, "age"].sum() == 441_431
    assert census.loc[above, "age"].mean() == 41.973091185699346
    assert census["age"].clip(lower=0, upper=125).sum() == 1_360_238
    assert (census["person"] == "Joe Near").sum() == 0


def test_one_seed_is_one_table():
    """Catches a draw that does not come from the seed, and a seed that is ignored."""
    pd.testing.assert_frame_equal(census_like(), census_like(seed=1994))
    assert not census_like(seed=1)["age"].equals(census_like(seed=2)["age"])
