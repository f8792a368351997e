"""Results as numbers and tables."""

import io
import math
from decimal import Decimal
from fractions import Fraction

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from conftest import SCHOOL, refused

import sensitivity_lab as sl


def worst(query, records, size, relation=sl.Change(1), **options):  # noqa: B008
    """The sensitivity over a universe, or over a population of some records."""
    universe = records if isinstance(records, sl.Universe) else sl.Universe.population(records)
    return sl.global_sensitivity(query, universe, size=size, relation=relation, **options)


def test_a_result_is_used_as_its_number():
    """Catches a result that does not format, round, compare or divide; int() that makes it less."""
    found, whole = worst(sl.MEAN, SCHOOL, 3, sl.AddRemove(1)), worst(sl.SUM, SCHOOL, 3)
    assert found.value == Fraction(17, 6)
    assert (f"{found:.3f}", f"{found:>7.2f}", f"{whole:,d}", f"{found}") == (
        "2.833", "   2.83", "9", repr(found),
    )  # fmt: skip
    assert (round(found, 2), round(found), int(whole)) == (Fraction(283, 100), 3, 9)
    assert found / 0.5 == pytest.approx(17 / 3)
    assert found / Decimal("0.1") == Fraction(85, 3)
    assert 2 < found < 3 <= whole >= found != whole == 9
    assert found == found.value == worst(sl.MEAN, SCHOOL, 3, sl.AddRemove(1))
    assert hash(found) == hash(found.value)
    other = worst(sl.SUM, SCHOOL, 2)  # as large, and not the same result
    assert other != whole
    assert (other <= whole, other >= whole, other < whole, other > whole) == (1, 1, 0, 0)
    with refused(ValueError, "int must be asked of a whole number, got 17/6", "math.ceil"):
        int(found)
    form = sl.closed_form(sl.MEAN, bounds=(0, 1), size=3, relation=sl.Change(1))
    assert (f"{form:.2f}", form < 1, form == Fraction(1, 3)) == ("0.33", True, True)


def test_tables_plot_and_travel_as_floats_with_exact_text():
    """Catches a column that no plot draws, or that CSV, JSON or parquet change or refuse."""
    asked = {"size": 3, "relations": [sl.AddRemove(1), sl.Add(2)], "exact": False}
    table = sl.compare([sl.MEAN, sl.SUM, sl.STD], {"days": SCHOOL}, **asked)
    told = table["sensitivity_exact"].tolist()
    assert (table.columns[0], told[0], told[2]) == ("sensitivity", "17/6", "10")
    assert table["sensitivity"].tolist()[0] == 17 / 6
    assert all(math.isnan(x) for x in table["sensitivity"][1::2])
    assert len(table.plot(y=["sensitivity", "closed_form"]).lines) == 2
    plt.close("all")  # pandas draws by pyplot
    again = pd.read_csv(io.StringIO(table.to_csv(index=False)), dtype={"closed_form_exact": "str"})
    pd.testing.assert_frame_equal(again, table)
    again = pd.read_json(io.StringIO(table.to_json()), dtype=False)
    pd.testing.assert_frame_equal(again, table, check_dtype=False)
    table.to_parquet(stored := io.BytesIO())
    pd.testing.assert_frame_equal(pd.read_parquet(stored), table)
    found = worst(sl.MEAN, SCHOOL, 3, sl.AddRemove(1))
    one, row = found.to_frame(exact=False), table.drop(columns="column")[:1]
    pd.testing.assert_frame_equal(one, row[[*one]])
    swept = sl.sweep([sl.MEAN], {"days": SCHOOL}, size=3, relations=[sl.AddRemove(1)])
    pd.testing.assert_frame_equal(found.to_frame(), swept.drop(columns="column"))
    assert str(swept).split()[0] == "sensitivity"
