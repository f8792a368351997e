"""Arrow's format, read and written as the page does it, held to DuckDB's own values and pyarrow's."""

import io
from datetime import date, datetime
from decimal import Decimal

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
from sensitivity_book.live.arrow_reader import read, stream_of
from sensitivity_book.live.arrow_writer import stream

STATEMENTS = {
    "integers": "SELECT 1::TINYINT a, -1::SMALLINT b, 7 c, -(2::BIGINT ** 62)::BIGINT d, 255::UTINYINT e, "
    "18446744073709551615::UBIGINT f",
    "longest": "SELECT 170141183460469231731687303715884105727::HUGEINT a, NULL::HUGEINT b, "
    "(-170141183460469231731687303715884105728)::HUGEINT c, [1::HUGEINT, NULL] d, "
    "340282366920938463463374607431768211455::UHUGEINT e",
    "decimals": "SELECT -1.10::DECIMAL(5, 2) a, 0.1::DECIMAL(38, 30) b, "
    "99999999999999999999999999999999999999::DECIMAL(38, 0) c, NULL::DECIMAL(9, 3) d",
    "floats": "SELECT 0.1::DOUBLE a, 1.1::FLOAT b, 'inf'::DOUBLE c, -0.0::DOUBLE d, 5e-324::DOUBLE e",
    "text": "SELECT 'é' a, '' b, NULL::VARCHAR c, 'abc'::BLOB d",
    "moments": "SELECT DATE '1960-02-29' a, TIMESTAMP '2020-01-01 01:02:03.123456' b, NULL::DATE c, "
    "TIMESTAMP_S '1950-01-01' d, TIMESTAMP_MS '1960-01-01 00:00:00.125' e, TIME '10:00' f, "
    "TIMESTAMP_NS '2020-01-01 00:00:00.123456789' g, NULL::TIMESTAMP h",
    "nested": "SELECT [1, NULL, 3] a, {'a': 1, 'b': [NULL, 'x']} b, [[1], []] c, NULL::INTEGER[] d",
    "nothing": "SELECT NULL a",
    "many": "SELECT CASE WHEN range % 3 > 0 THEN range END a, range % 2 = 0 b, SUM(range) OVER () c, "
    "CASE WHEN range % 5 > 0 THEN range::VARCHAR END d, CASE WHEN range % 7 > 0 THEN range % 2 = 0 END e, "
    "CASE WHEN range % 2 > 0 THEN DATE '2020-01-01' + range::INTEGER END f FROM range(5000)",
    "no rows": "SELECT 'x' a, [1] b, {'a': 'x'} c, 1::HUGEINT d WHERE false",
}
FRAMES = {
    "numbers": pd.DataFrame({"a": [1, -2], "b": [1.5, None], "c": [True, False]}),
    "narrow": pd.DataFrame(
        {"a": pd.Series([-1, 2], dtype="int8"), "b": pd.Series([0.1, 1], dtype="float32")}
    ),
    "unsigned": pd.DataFrame({"a": pd.Series([2**64 - 1], dtype="uint64")}),
    "with NULL": pd.DataFrame(
        {
            "a": pd.array([1, None], dtype="Int64"),
            "b": pd.array([True, None], dtype="boolean"),
            "c": pd.array([0.5, None], dtype="Float64"),
        }
    ),
    "text": pd.DataFrame({"a": ["é", None], "b": pd.Series(["x", ""], dtype="string")}),
    "moments": pd.DataFrame({"a": pd.to_datetime(["2020-01-01 01:02:03.5", None])}),
    "units": pd.DataFrame(
        {
            unit: pd.Series([1, None], dtype=f"datetime64[{unit}]")
            for unit in ("s", "ms", "us", "ns")
        }
    ),
    "objects": pd.DataFrame(
        {
            "a": pd.Series([1, None], dtype=object),
            "b": pd.Series([2**31, None], dtype=object),
            "c": pd.Series([True, None], dtype=object),
            "d": pd.Series([1.5, None], dtype=object),
            "e": pd.Series(["x", None], dtype=object),
            "f": pd.Series([date(1960, 2, 29), None], dtype=object),
            "g": pd.Series([datetime(2020, 1, 1, 1, 2, 3, 4), None], dtype=object),
            "h": pd.Series([Decimal("1.10"), Decimal("-22.5")], dtype=object),
        }
    ),
    "no rows": pd.DataFrame(
        {"a": pd.Series([], dtype="int64"), "b": pd.Series([], dtype="string")}
    ),
    "other index": pd.DataFrame({"a": range(1000)}).iloc[::-3],
}


def handed_out(statement: str) -> tuple[list[bytes], list[str]]:
    """A result in Arrow's two forms, with the types of its columns as DuckDB writes them."""
    table = duckdb.sql(statement).to_arrow_table()
    forms = []
    for begin in (pa.ipc.new_file, pa.ipc.new_stream):
        sink = io.BytesIO()
        with begin(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=999)
        forms.append(sink.getvalue())
    return forms, [row[1] for row in duckdb.sql(f"DESCRIBE {statement}").fetchall()]


@pytest.mark.parametrize("kind", STATEMENTS)
def test_values_are_those_that_duckdb_returns_itself(kind: str) -> None:
    """Catches a value that is rounded, shifted, cut short or of another Python type, and a wrong NULL."""
    statement = STATEMENTS[kind]
    done = duckdb.execute(statement)
    ids = [type.id for _, type, *_ in done.description]
    expected = done.fetchall()
    forms, types = handed_out(statement)
    for form in forms:
        found = read(form, types)
        assert repr(found.rows) == repr(expected)
        assert [column.id for column in found.columns] == ids
        assert read(stream_of(form), types) == found


@pytest.mark.parametrize(
    "value",
    [
        "uuid()",
        "INTERVAL 1 DAY",
        "TIMESTAMPTZ '2020-01-01'",
        "'101'::BIT",
        "MAP {'a': 1}",
        "{'a': 1::HUGEINT}",
        "'a'::ENUM('a', 'b')",
    ],
)
def test_a_type_that_is_not_read_is_refused(value: str) -> None:
    """Catches a value that comes back as text or as another number, without a word."""
    forms, types = handed_out(f"SELECT {value} AS a")
    with pytest.raises(TypeError, match="cast it to VARCHAR"):
        read(forms[0], types)


def test_a_decimal_of_38_digits_is_read_only_if_its_type_is_told() -> None:
    """Catches one of DuckDB's longest integers that is taken for a decimal."""
    forms, types = handed_out("SELECT 1::HUGEINT AS a")
    assert read(forms[0], types).rows == [(1,)]
    with pytest.raises(TypeError, match="38 digits"):
        read(forms[0])


@pytest.mark.parametrize("kind", FRAMES)
def test_a_frame_has_the_types_and_values_that_duckdb_sees_in_it(kind: str) -> None:
    """Catches a column whose type or value is not the one that DuckDB reads off the frame itself."""
    frame = FRAMES[kind].copy()
    written = pa.ipc.open_stream(stream(frame)).read_all()
    written.validate(full=True)
    with duckdb.connect() as connection:
        connection.register("own", frame)
        connection.register("ours", written)
        for ask in ("DESCRIBE {}", "FROM {}"):
            own, ours = (
                connection.execute(ask.format(name)).fetchall() for name in ("own", "ours")
            )
            assert repr(own) == repr(ours)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(["a"], dtype="category"),
        pd.Series([2**70], dtype=object),
        pd.Series([1, "a"], dtype=object),
        pd.Series([[1]], dtype=object),
        pd.Series([None], dtype=object),
        pd.Series([Decimal("NaN"), Decimal(1)], dtype=object)[:1],
        pd.to_datetime(pd.Series(["2020-01-01"])).dt.tz_localize("UTC"),
        pd.Series([1j]),
    ],
)
def test_a_column_that_is_not_written_is_refused(column: pd.Series) -> None:
    """Catches a column that is written as something else than it is."""
    with pytest.raises(TypeError):
        stream(pd.DataFrame({"a": column}))
