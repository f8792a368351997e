"""Witnesses of records that are no numbers: as text, as cards, as Python."""

import contextlib
import datetime
import enum
import io
import pickle
import re
from collections import Counter
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from bs4 import BeautifulSoup
from sensitivity_beyond.tables.frames import rows_of, table
from sensitivity_beyond.tables.python import python_of, runnable, source_of
from sensitivity_beyond.tables.shown import SHARED, Grid, SomeRows, marked_witness

import sensitivity_lab as sl
from sensitivity_lab.numbers.gap import Labelled
from sensitivity_lab.results import answer_texts

COLUMNS = {"department": ["law", "law", "art", "art"], "salary": [50, 60, 40, 90]}
STAFF = pd.DataFrame(COLUMNS)
LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
ORDERS = pd.DataFrame({"customer": ["b", "a", "b"], "price": [3, 5, 4]})
VISITS = pd.DataFrame({"customer": ["b", "a", "c"], "page": ["x", "y", "z"]})

every_library = pytest.mark.parametrize("make", LIBRARIES.values(), ids=LIBRARIES)


def worst(query, records, size, relation=sl.Change(1), **options):  # noqa: B008
    """The sensitivity over a universe, or over a population of some records."""
    universe = records if isinstance(records, sl.Universe) else sl.Universe.population(records)
    return sl.global_sensitivity(query, universe, size=size, relation=relation, **options)


def mean_salary(size=3, relation=sl.Change(1), make=pd.DataFrame):  # noqa: B008
    return worst(sl.MEAN.of("salary"), make(COLUMNS), size, relation)


BOTH = sl.Universe.people({"orders": ORDERS, "visits": VISITS}, id="customer")
BUYERS = worst(lambda t: t["orders"]["price"].sum(), BOTH, 2, sl.SymmetricDifference(1))


def cells(card):
    """The cells of every row of a card, as a browser reads them."""
    rows = BeautifulSoup(card, "html.parser").find_all("tr")
    return [[c.get_text().replace("\xa0", " ") for c in r.find_all(["td", "th"])] for r in rows]


# --- as text -------------------------------------------------------------------------------


@every_library
def test_the_rows_of_both_datasets_stand_in_one_table(make):
    """Catches a table inside a line, a row without its sign, and text that a library alone has."""
    found = mean_salary(make=make)
    assert repr(found.witness).splitlines() == [
        "<3 records: 1 leaves, 1 joins>",
        "   department  salary",
        "-  art             40",
        "+  art             90",
        "   law             50",
        "   law             60",
    ]
    head = "query='mean of salary', relation=Change(1), witness="
    assert f"method='sweep', {head}<3 records: 1 leaves, 1 joins>)\n   department" in repr(found)
    again = replace(found, witness=tuple(found.witness))
    assert repr(pickle.loads(pickle.dumps(again))) == repr(found)


ANYONE = sl.Universe.people(sl.Universe.product(price=[0, 9]), most_rows=2)
ONE_TABLE = sl.Universe.people(ORDERS, id="customer")
# ruff: disable[E501]
SHOWN = {  # how many sides have no rows, what is found, and its lines
    "rows that are never built": (
        0, worst(sl.SUM.of("s"), sl.Universe.value_range(pd.DataFrame({"s": [0, 5]})), 10**12),
        ["<1,000,000,000,000 records: 1 leaves, 1 joins>", "   s", "-  5", "+  0", "   … 999,999,999,999 more rows …"],
    ),
    "of many rows that are shared the ends": (
        0, worst(sl.SUM.of("salary"), pd.DataFrame({"salary": range(2002)}), 2001),
        ["<2,001 records: 1 leaves, 1 joins>", "   salary", "-    2001", "+       0", "        1", "        2",
         "        3", "   … 1,994 more rows …", "     1998", "     1999", "     2000"],
    ),
    "the columns of an empty dataset": (
        1, worst(len, STAFF.head(1), 0, sl.Add(1)),
        ["<1 record: 1 joins>", "   department  salary", "+  law             50"],
    ),
    "nothing at all": (
        2, worst(len, STAFF, 0), ["<no records: none leaves, none joins>", "   department  salary", "   (no rows)"],
    ),
    "who leaves, before their rows": (
        0, BUYERS,
        ["<2 records: 1 leaves>", "customer b leaves, with 2 rows of orders, 1 row of visits",
         "orders:", "   customer  price", "-  b             3", "-  b             4", "   a             5",
         "visits:", "   customer  page", "-  b         x", "   a         y"],
    ),
    "people of one table": (
        0, worst(len, ONE_TABLE, 1, sl.Add(1)),
        ["<2 records: 1 joins>", "customer b joins, with 2 rows", "   customer  price", "+  b             3",
         "+  b             4", "   a             5"],
    ),
    "people without names, one of them without rows": (
        1, worst(lambda t: t["price"].sum(), ANYONE, 2),
        ["<2 records: 1 leaves, 1 joins>", "person 1 leaves, with no rows", "person 2 joins, with 2 rows",
         "   person  price", "+       2      9", "+       2      9"],
    ),
}  # fmt: skip
# ruff: enable[E501]


@pytest.mark.parametrize("what", SHOWN)
def test_a_witness_is_written(what):
    """Catches 2,000 rows in a repr; an error at the empty dataset; rows without their person."""
    empty, found, lines = SHOWN[what]
    assert repr(found.witness).splitlines() == lines
    card = found._repr_html_()
    assert len(re.findall("[■▲]", card)) == sum(line[0] in "-+" for line in lines)
    assert card.count("<i>no rows</i>") == empty
    assert all(line.strip() in card for line in lines if "more rows" in line)
    assert ("<b>dataset</b>" in card) == ("never built" in what)  # whose answer would take long


def test_what_is_shown_beside_the_rows():
    """Catches a denied leaving, a direction left out in silence, and of ten rows one hidden."""
    found = SHOWN["people without names, one of them without rows"][1]
    assert found.check()
    assert not replace(found, value=found.value + 1).check()
    found = worst(lambda t: t["salary"].max(), STAFF, 1, sl.SymmetricDifference(1))
    assert "not_asked=(" in repr(found).splitlines()[0]
    assert "not asked</th>" in found._repr_html_()
    ten = marked_witness(sl.Universe.value_range(["a"]), (("a",) * 10, ("a",) * 11))
    assert ten.tables[0].parts[SHARED] == SomeRows((("a",),) * 10)


def test_cells_are_exact_and_what_is_missing_is_null():
    """Catches rounded cells, NaN and NaT for what is missing, and columns that run together."""
    columns = {
        "when": [datetime.datetime(2024, 1, 2), None],
        "day": [datetime.date(2024, 1, 3), datetime.date(2024, 1, 4)],
        "pay": [0.30000000000000004, None],
        "kind": pd.Categorical(["new", None], categories=["new", "old"]),
        "sum": [Decimal("1.50"), Decimal("2.00")],
        "note": ["NULL", "a\nb"],
    }
    found = worst(len, pd.DataFrame(columns), 1, sl.Add(1))
    lines = repr(found.witness).splitlines()
    assert re.split(r"\s{2,}", lines[1].strip()) == list(columns)
    cells = [re.split(r"\s{2,}", line[1:].strip()) for line in lines[2:]]
    full = ["2024-01-02", "2024-01-03", "0.30000000000000004", "new", "1.50", "'NULL'"]
    assert sorted(cells) == [full, ["NULL", "2024-01-04", "NULL", "NULL", "2.00", "'a\\nb'"]]


def test_a_wide_table_keeps_the_columns_at_its_ends():
    """Catches lines of a thousand letters, a column left out in silence, gaps counted wrongly."""
    wide = pd.DataFrame({f"column_{i:02}": [i, -i] for i in range(40)})
    found = worst(len, wide, 1, sl.Add(1))
    lines = repr(found.witness).splitlines()[1:]
    assert len(set(map(len, lines))) == 1
    assert len(lines[0]) <= 103
    assert re.fullmatch(r"\s+column_00 .* … .* column_39", lines[0])
    assert len(lines[1].split()) == len(lines[0].split()) + 1  # its sign
    assert Grid(["a", "b"], [("x" * 30, "y" * 30)], 10).kept == [0, None]
    row, fits = ("abc", "abcd", "abcde"), 3 + 2 + 4 + 2 + 5
    assert Grid("abc", [row], fits).kept == [0, 1, 2]
    assert Grid("abc", [row], fits - 1).kept == [0, None, 2]


# --- people ----------------------------------------------------------------------------------


def test_of_many_people_the_first_are_named():
    """Catches a line for each of a hundred people."""
    visits = pd.DataFrame({"id": range(40), "n": [1] * 40})
    crowd = sl.Universe.people(visits, id="id")
    pair = crowd.given(range(1)), crowd.given(range(40))
    first, *_, last = who = marked_witness(crowd, pair).who
    assert (first, last, len(who)) == ("id 1 joins, with 1 row", "… 29 more join", 11)
    pair = BOTH.given(range(2)), BOTH.given(range(3))
    assert marked_witness(BOTH, pair).who == ("customer c joins, with 1 row of visits",)


# --- as a card -------------------------------------------------------------------------------


def test_a_card_shows_both_datasets_with_their_answers():
    """Catches an answer under the other dataset, a row that leaves in both; a white ground."""
    card = mean_salary()._repr_html_()
    assert "<b>dataset → 50</b>" in card
    assert "<b>neighbour → 200/3 ≈ 66.67</b>" in card
    head, *shared = [["", "department", "salary"], ["", "law", "50"], ["", "law", "60"]]
    left, joined = ["■ −", "art", "40"], ["▲ +", "art", "90"]
    assert cells(card)[-8:] == [head, left, *shared, head, joined, *shared]
    colours = set(re.findall(r"(?<!-)(?:color|background): ([^;']+)", card))
    assert colours == {"inherit", "rgba(213, 94, 0, 0.18)", "rgba(0, 114, 178, 0.18)"}


def test_everything_in_a_card_is_escaped():
    """Catches markup from names, cells, people and tables."""
    evil = "<script>alert('x')</script>"
    rows = pd.DataFrame({evil: ["b", "a"], "<i>": [evil, "&"]})
    query = sl.Query(evil, len)
    universe = sl.Universe.people({evil: rows}, id=evil)
    found = worst(query, universe, 1)
    for card in (found._repr_html_(), found.witness._repr_html_()):
        assert not BeautifulSoup(card, "html.parser").find_all(["script", "i"])
        assert "&lt;script&gt;" in card


def test_groups_that_only_one_side_has_are_said():
    """Catches a 0 for a group that is not there; and a snippet of groups that does not run."""
    query = sl.SUM.of("salary").by("department")
    found = worst(query, STAFF, 2)
    captions = re.findall(r"<b>(?:dataset|neighbour) → (.*?)</b>", found._repr_html_())
    for side, caption in enumerate(captions):
        said = [f"{key}: {both[side] or 'none'}" for key, both in found.keys.items()]
        assert caption == "; ".join(said)
    assert any("none" in caption for caption in captions)
    assert run(found.snippet())[0]["query"] == query


def test_answers_with_other_keys_are_told_by_key():
    """Catches answers that are compared by position, and a line for each of many keys."""
    here, there = Labelled((1, 2), ("a", "b")), Labelled((2, 3), ("b", None))
    assert answer_texts(here, there) == ("NULL: none; a: 1", "NULL: 3; a: none")
    assert answer_texts(here, here) == ("the same for each key",) * 2
    many = Labelled(range(30), range(1, 31)), Labelled([-1] * 30, range(1, 31))
    assert answer_texts(*many)[0].endswith("10: 9; … 20 more keys")
    assert answer_texts((1, 2), (1, 3)) == ("(1, 2)", "(1, 3)")


# --- as Python -------------------------------------------------------------------------------


def run(snippet, **names):
    """What a snippet defines, and what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(snippet, names)
    return names, out.getvalue()


def alike(one, other):
    """Whether two tables have the same columns, types and cells."""
    if isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, other)
        return True
    return one.equals(other) and one.schema == other.schema


@every_library
def test_a_snippet_runs_as_it_stands(make):
    """Catches a table of another library, of other types, or of other rows."""
    for relation in (sl.Change(1), sl.Remove(2)):
        found = mean_salary(make=make, relation=relation)
        names, printed = run(found.snippet())
        assert all(map(alike, (names["dataset"], names["neighbour"]), found.witness))
        assert printed == " ".join(map(str, map(found.query, found.witness))) + "\n"
        assert "are_neighbours(dataset, neighbour)" in found.snippet()


def test_the_snippet_of_people_says_who_differs():
    """Catches an assert about rows, where one person has several."""
    snippet = BUYERS.snippet()
    names, printed = run(snippet, query=BUYERS.query)
    assert "assert" not in snippet
    assert "\n# customer b leaves, with 2 rows of orders, 1 row of visits\n" in snippet
    for name, table_ in names["dataset"].items():
        assert alike(table_, BUYERS.witness[0][name])
    assert printed == "12 5\n"


MIXED = {
    "whole": [1, None, 3],
    "text": ["x", None, 'it\'s "so"\n'],
    "float": [0.1, float("inf"), None],
    "day": [datetime.date(2024, 1, 2), None, datetime.date(2024, 1, 3)],
    "time": [datetime.datetime(2024, 1, 2, 3, 4), None, datetime.datetime(2025, 1, 1)],
    "true": [True, False, None],
    "exact": [Decimal("1.50"), None, Decimal("2.25")],
}


def mixed_frames():
    frame = pd.DataFrame(MIXED)
    frame["kind"] = pd.Categorical(["u", None, "v"], categories=["v", "u", "w"], ordered=True)
    frame["short"] = pd.array([1, 2, 3], dtype="int8")
    frame["missing"] = pd.array([1, None, 3], dtype="Int64")
    frame["zone"] = pd.to_datetime(["2024-01-01", None, "2024-01-02"]).tz_localize("UTC")
    frame["span"] = pd.to_timedelta([1, None, 2], unit="D")
    types = {"short": pl.Int8, "kind": pl.Enum(["u", "v", "w"]), "list": pl.List(pl.Int16)}
    values = {"short": [1, 2, 3], "kind": ["u", None, "v"], "list": [[1], [], None]}
    of_polars = pl.DataFrame(MIXED | values, schema_overrides=types)
    arrow = pa.table(MIXED).append_column("zone", pa.array([1, None, 2], pa.timestamp("s", "UTC")))
    for name, type in {"short": pa.int8(), "list": pa.list_(pa.int16())}.items():
        arrow = arrow.append_column(name, pa.array(values[name], type))
    arrow = arrow.append_column("kind", pa.array(values["kind"]).dictionary_encode())
    return {"pandas": frame, "polars": of_polars, "pyarrow": arrow}


@pytest.mark.parametrize("frame", mixed_frames().values(), ids=mixed_frames())
@pytest.mark.parametrize("rows", [3, 0], ids=["full", "empty"])
def test_a_table_is_made_again_with_its_types(frame, rows):
    """Catches of pandas a lost category, and a short integer that became long; NaN for None."""
    kept = frame[:rows]
    names, _ = run(runnable([f"again = {source_of(kept)}"]))
    again = names["again"]
    if isinstance(kept, pd.DataFrame):
        assert alike(again, kept)
    again, kept = table(again, "again"), table(kept, "kept")
    assert (again.columns, rows_of(again)) == (kept.columns, rows_of(kept))


class Vote(enum.Enum):
    NO = 1
    YES = 2


def test_records_of_many_kinds_are_made_again():
    """Catches `<Vote.NO: 1>` in a snippet, and Timestamp without pandas."""
    dates = [("law", datetime.date(2024, 1, 2)), ("art", pd.Timestamp("2024-01-02"))]
    for records in (list(Vote), dates, pd.DataFrame({"vote": list(Vote)})):
        found = worst(len, records, 2, sl.Remove(1))
        again = run(found.snippet(), query=len)[0]["dataset"]
        assert type(again) is type(found.witness[0])
        assert list(again) == list(found.witness[0])


OF_LEN, SUMMED, BY = sl.SUM.of(len), sl.SUM.of("a"), sl.COUNT.by("a")


@pytest.mark.parametrize(
    "query",
    [
        sl.MEAN.of("salary"), sl.STD.of("it's"), sl.SUM.clipped(0, 0.5), sl.COUNT.by("department"),
        sl.quantile(0.25).of("salary").clipped(-1, 10).clipped(0, 5),
        sl.SUM.of("salary").clipped(0, 9).by("department", keys=["law", None]),
    ],
    ids=str,
)  # fmt: skip
def test_a_query_of_a_column_has_its_python(query):
    """Catches Python of another query, or that names a function it does not have."""
    assert eval(python_of(query), {"sl": sl}) == query
    mine, by_len = sl.Query("mine", len).of("a"), sl.COUNT.by(len)
    unnamed = [OF_LEN, OF_LEN.clipped(0, 1), OF_LEN.by("a"), by_len, mine]
    unnamed += [replace(standard, function=len) for standard in (SUMMED, BY)]
    assert [python_of(other) for other in unnamed] == [None] * 7


# --- two results ------------------------------------------------------------------------------


def test_a_row_is_marked_by_what_it_holds():
    """Catches marks by place: one of two equal rows leaves. By hand, over all pairs of rows."""
    rng = np.random.default_rng(7)
    for _ in range(8):
        rows = pd.DataFrame({"a": rng.integers(0, 2, 6), "b": rng.integers(0, 2, 6)})
        universe = sl.Universe.population(rows)
        sides = [tuple(sorted(rng.choice(6, size=4, replace=False))) for _ in range(2)]
        here, there = (rows.iloc[list(side)].reset_index(drop=True) for side in sides)
        [shown] = marked_witness(universe, (here, there)).tables
        x, y = (Counter(side.itertuples(index=False, name=None)) for side in (here, there))
        assert shown.parts.keys() == {"-", "+", SHARED}
        for sign, rows in {"-": x - y, "+": y - x, SHARED: x & y}.items():
            assert Counter(shown.parts[sign].rows) == rows


# --- audits ------------------------------------------------------------------------------------


def test_an_audit_marks_the_rows_and_tells_answers_by_key():
    """Catches a witness as two raw tables, lost keys, a snippet that no Python reads."""

    def revenue(table):
        return table.groupby("shop")["amount"].sum()

    universe = sl.Universe.product(shop=[1, 2], amount=[0, 3])
    report = sl.audit(revenue, 3, universe, sizes=2, relations=[sl.Change(1)])
    assert str(report.worst).splitlines()[2:] == [
        "  -     1       3",
        "  +     2       3",
        "        1       0",
        "  dataset → 1: 3; 2: none",
        "  neighbour → 1: 0; 2: 3",
    ]
    card = report._repr_html_()
    assert "2: none" in card
    assert "<th>dataset</th>" in card
    assert pickle.loads(pickle.dumps(report.rows[0])) == report.rows[0]
    answers = []
    run(report.snippet(), revenue=answers.append)
    assert all(map(alike, answers, (report.worst.dataset, report.worst.neighbour)))
