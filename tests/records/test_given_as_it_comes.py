"""What comes in other forms: columns of other libraries, lists in cells, nulls, functions that fail."""

import oracle_rows
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sensitivity_lab as sl

COLUMNS = {
    "polars": lambda values: pl.Series("", values),
    "pyarrow": pa.array,
    "pyarrow, chunked": lambda values: pa.chunked_array([values[:1], values[1:]]),
}


@pytest.mark.parametrize("make", [sl.Universe.population, sl.Universe.value_range])
@pytest.mark.parametrize("values", [[1, 2, 2], [1.5, 2.0], [3, None, 1], ["no", "yes"]], ids=str)
def test_columns_of_other_libraries(make, values):
    """Catches scalars of pyarrow taken for no numbers, and numbers that are too wide for numpy."""
    want = make(values)
    for column in COLUMNS.values():
        assert make(column(values)) == want
    assert make(pl.Series("age", values)).name == "age"
    assert make(pl.Series("age", values), name="years").name == "years"
    assert make(pl.DataFrame({"n": [2**100]}, schema={"n": pl.Int128})).said("n") == [2**100]


def known(numbers):
    return sum(10 if number is None else number for number in numbers)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_nulls_reach_a_query_that_takes_them(library):
    """Catches a null cell that is refused, dropped or cut to a bound."""
    cells = [1, None, 3, 1]
    universe = sl.Universe.population(library({"pay": cells, "who": list("abcd")}))
    query = sl.Query("known", known, takes_missing=True)
    for name, high in (("Change", None), ("Change", 2), ("AddRemove", None), ("AddRemove", 2)):
        ask = {"size": 2, "relation": getattr(sl, name)(1)}
        said = [cell if None in (cell, high) else min(cell, high) for cell in cells]
        asked = query.of("pay") if high is None else query.of("pay").clipped(0, high)
        pairs = oracle_rows.of_population(4, 2, name, 1)
        want = oracle_rows.greatest(oracle_rows.asked_of(known, said), pairs)
        for method in ("walk", "sweep"):
            found = sl.global_sensitivity(asked, universe, method=method, **ask)
            assert found.value == want.value
            assert found.check()
    with pytest.raises(TypeError, match="number for every record, got None"):
        sl.global_sensitivity(sl.SUM.of("pay"), universe, **ask)
