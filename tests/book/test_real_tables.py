"""The real tables are those of their sheets,
and lie within the bounds that are said before anybody looks."""

from dataclasses import replace

import pytest
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
