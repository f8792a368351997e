"""The real tables are those of their sheets, and lie within the bounds that are said before anybody looks."""

import pytest
from sensitivity_book.data.real import flights, workplace_charging

TABLES = [workplace_charging(), flights()]


@pytest.fixture(params=TABLES, ids=lambda table: table.name)
def told(request):
    return request.param


def test_the_data_are_those_of_the_sheet(told):
    """Catches a row, an id or a column that the sheet does not count."""
    data = told.read()
    assert list(data) == [column.name for column in told.columns]
    assert (len(data), data[told.id].nunique()) == (told.rows, told.ids)
    brought = data.groupby(told.id).size()
    assert f"from {brought.min()} to {brought.max()} rows" in told.ids_are
    assert not data.isna().any(axis=None)


def test_the_public_bounds_hold(told):
    """Catches a bound that somebody who looked at other data wrote down."""
    data = told.read()
    for column in told.columns:
        if column.may_be is None:
            assert not column.because
        elif isinstance(column.may_be[0], str):
            assert set(data[column.name]) <= set(column.may_be)
        else:
            assert data[column.name].between(*column.may_be).all()
        assert column.may_be is None or column.because


def test_the_sheet_is_complete(told):
    """Catches a sheet without a licence, where that was read, a source, a hash or a column."""
    sheet = told.sheet()
    for said in (told.source, told.doi, told.licence, told.licence_read, told.dropped, told.sha256):
        assert said
        assert said in sheet
    assert all(f"| `{column.name}` | {column.says} |" in sheet for column in told.columns)
    assert len(told.schema) == len(told.columns)


def test_other_data_are_refused(told, monkeypatch):
    """Catches a file that was changed after its sheet was written."""
    object.__setattr__(other := type(told)(**vars(told)), "sha256", "0" * 64)
    with pytest.raises(ValueError, match=r"must have the sheet's hash, got"):
        other.read()


def test_sessions_are_in_order_and_ids_are_not():
    """Catches rows sorted by driver, with which 'the first two rows' would mean nothing."""
    data = workplace_charging().read()
    assert data["session"].tolist() == list(range(1, len(data) + 1))
    assert data["month"].is_monotonic_increasing
    assert not data["driver"].is_monotonic_increasing
