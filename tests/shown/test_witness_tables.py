"""Witnesses of records that are no numbers: as text, as cards, and as Python that makes them again."""

import contextlib
import datetime
import enum
import io
import pickle
import re
from dataclasses import replace
from decimal import Decimal
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sensitivity_lab as sl
from sensitivity_lab.methods.witness import marked_witness
from sensitivity_lab.numbers.gap import Labelled
from sensitivity_lab.numbers.text import cell_text
from sensitivity_lab.records.rows import rows_of, table
from sensitivity_lab.results import answer_texts
from sensitivity_lab.shown.python import python_of, runnable, source_of
from sensitivity_lab.shown.tables import SHARED, Grid, SomeRows

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


def buyers():
    universe = sl.Universe.people({"orders": ORDERS, "visits": VISITS}, id="customer")
    return worst(lambda t: t["orders"]["price"].sum(), universe, 2, sl.SymmetricDifference(1))


class Cells(HTMLParser):
    """The cells of every row of a card, as a browser reads them; and all tags."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.tags, self.inside = [], [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.inside = True

    def handle_endtag(self, tag):
        self.inside &= tag not in ("td", "th")

    def handle_data(self, data):
        if self.inside:
            self.rows[-1][-1] += data.replace("\xa0", " ")


# --- as text -------------------------------------------------------------------------------


@every_library
def test_the_rows_of_both_datasets_stand_in_one_table(make):
    """Catches a table inside a line, a row without its sign, and text that a library alone has."""
    found = mean_salary(make=make)
    block = [
        "   department  salary",
        "-  art             40",
        "+  art             90",
        "   law             50",
        "   law             60",
    ]
    assert repr(found).splitlines() == [
        "Sensitivity(value=Fraction(50, 3), method='sweep', query='mean of salary', "
        "relation=Change(1), witness=<3 records: 1 leaves, 1 joins>)",
        *block,
    ]
    assert repr(found.witness).splitlines() == ["<3 records: 1 leaves, 1 joins>", *block]
    assert repr(replace(found, witness=tuple(found.witness))) == repr(found)
    assert repr(pickle.loads(pickle.dumps(found))) == repr(found)


def test_numbers_and_text_keep_their_line():
    """Catches a table where a tuple says all."""
    votes = sl.Universe.value_range(["no", "yes"])
    found = worst(len, votes, 2, sl.Add(1))
    assert repr(found) == (
        "Sensitivity(value=1, witness=(('no', 'no'), ('no', 'no', 'no')), method='sweep', "
        "query='len', relation=Add(1), for a public size 2)"
    )
    assert "yes" not in repr(found)
    numbers = worst(sl.SUM, range(5000), 2000)
    assert repr(numbers.witness) == "<2,000 records; removed (4999,), added (0,)>"
    assert numbers.witness._repr_html_() is None


def test_what_is_not_asked_is_said_beside_a_table():
    """Catches a result of tables that is silent about the empty dataset."""
    found = worst(lambda t: t["salary"].max(), STAFF, 1, sl.SymmetricDifference(1))
    assert "not_asked=(" in repr(found).splitlines()[0]
    assert "not asked</th>" in found._repr_html_()


def test_of_many_shared_rows_the_ends_are_shown():
    """Catches 2,000 rows in a repr, a count of them that is wrong, and rows out of their order."""
    many = pd.DataFrame({"salary": range(2002)})
    found = worst(sl.SUM.of("salary"), many, 2001)
    assert repr(found.witness).splitlines() == [
        "<2,001 records: 1 leaves, 1 joins>",
        "   salary",
        "-    2001",
        "+       0",
        "        1",
        "        2",
        "        3",
        "   … 1,994 more rows …",
        "     1998",
        "     1999",
        "     2000",
    ]
    assert "… 1,994 more rows …" in found._repr_html_()
    ten = marked_witness(
        sl.Universe.value_range(["a"]), (("a",) * 10, ("a",) * 11)
    )  # as many as are shown
    assert ten.tables[0].parts[SHARED] == SomeRows((("a",),) * 10)


def test_a_dataset_too_long_to_be_built_is_shown():
    """Catches a repr that builds a million million rows."""
    rows = sl.Universe.value_range(pd.DataFrame({"s": [0, 5]}))
    found = worst(sl.SUM.of("s"), rows, 10**12)
    assert "   … 999,999,999,999 more rows …" in repr(found)
    card = found._repr_html_()
    assert "… 999,999,999,999 more rows …" in card
    assert "<b>dataset</b>" in card  # without an answer, which would take long


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


def test_a_cell_is_a_short_line():
    """Catches a cell that breaks its table, or that hides what it is."""
    assert cell_text("x" * 100) == "x" * 39 + "…"
    texts = {"": "''", " a": "' a'", "a\tb": r"'a\tb'", "NULL": "'NULL'", True: "True", -2: "-2"}
    texts |= {0.1: "0.1", (1, None): "(1, None)", b"x": "b'x'"}
    texts[datetime.datetime(2024, 1, 2, 3)] = "2024-01-02 03:00:00"
    assert {value: cell_text(value) for value in texts} == texts


def test_a_wide_table_keeps_the_columns_at_its_ends():
    """Catches lines of a thousand letters, and a column left out without a sign."""
    wide = pd.DataFrame({f"column_{i:02}": [i, -i] for i in range(40)})
    found = worst(len, wide, 1, sl.Add(1))
    lines = repr(found.witness).splitlines()[1:]
    assert len(set(map(len, lines))) == 1
    assert len(lines[0]) <= 103
    assert "column_00" in lines[0]
    assert "column_39" in lines[0]
    assert lines[0].split().count("…") == 1
    assert len(lines[1].split()) == len(lines[0].split()) + 1  # its sign
    assert Grid(["a", "b"], [("x" * 30, "y" * 30)], 10).kept == [0, None]


@pytest.mark.parametrize("relation", [sl.Remove(1), sl.Add(1)], ids=str)
def test_an_empty_side_has_its_columns(relation):
    """Catches an error at the empty dataset, and "nothing" that looks like a failure."""
    universe = sl.Universe.population(STAFF)
    size = 1 if relation == sl.Remove(1) else 0
    found = worst(len, universe, size, relation)
    sign = "-" if size else "+"
    assert [line[0] for line in repr(found.witness).splitlines()] == ["<", " ", sign]
    assert found._repr_html_().count("no rows") == 1
    nothing = worst(len, universe, 0)
    assert repr(nothing.witness).splitlines() == [
        "<no records: none leaves, none joins>",
        "   department  salary",
        "   (no rows)",
    ]


# --- people ----------------------------------------------------------------------------------


def test_who_leaves_is_said_before_their_rows():
    """Catches rows without their person, a table without its name, and a person without a table."""
    assert repr(buyers()).splitlines()[1:] == [
        "customer b leaves, with 2 rows of orders, 1 row of visits",
        "orders:",
        "   customer  price",
        "-  b             3",
        "-  b             4",
        "   a             5",
        "visits:",
        "   customer  page",
        "-  b         x",
        "   a         y",
    ]
    only = sl.Universe.people(ORDERS, id="customer")
    found = worst(len, only, 1, sl.Add(1))
    assert repr(found.witness).splitlines()[:3] == [
        "<2 records: 1 joins>",
        "customer b joins, with 2 rows",
        "   customer  price",
    ]


def test_people_without_names_have_a_number_of_their_own():
    """Catches two people of one number, and one without rows who is not named."""
    anyone = sl.Universe.people(sl.Universe.product(price=[0, 9]), most_rows=2)
    found = worst(lambda t: t["price"].sum(), anyone, 2)
    assert repr(found.witness).splitlines() == [
        "<2 records: 1 leaves, 1 joins>",
        "person 1 leaves, with no rows",
        "person 2 joins, with 2 rows",
        "   person  price",
        "+       2      9",
        "+       2      9",
    ]
    assert found.check()  # the person without rows is in no table, and leaves all the same
    counted = replace(found, value=found.value + 1)
    assert not counted.check()


def test_of_many_people_the_first_are_named():
    """Catches a line for each of a hundred people."""
    visits = pd.DataFrame({"id": range(40), "n": [1] * 40})
    crowd = sl.Universe.people(visits, id="id")
    pair = crowd.given(range(1)), crowd.given(range(40))
    who = marked_witness(crowd, pair).who
    assert who[0] == "id 1 joins, with 1 row"
    assert who[-1] == "… 29 more join"
    assert len(who) == 11
    both = sl.Universe.people({"orders": ORDERS, "visits": VISITS}, id="customer")
    pair = both.given(range(2)), both.given(range(3))
    assert marked_witness(both, pair).who == ("customer c joins, with 1 row of visits",)


# --- as a card -------------------------------------------------------------------------------


def test_a_card_shows_both_datasets_with_their_answers():
    """Catches an answer under the other dataset, and a row that leaves in both."""
    card = mean_salary()._repr_html_()
    assert "<b>dataset → 50</b>" in card
    assert "<b>neighbour → 200/3 ≈ 66.67</b>" in card
    rows = Cells(card).rows[-8:]
    assert rows == [
        ["", "department", "salary"],
        ["■ −", "art", "40"],
        ["", "law", "50"],
        ["", "law", "60"],
        ["", "department", "salary"],
        ["▲ +", "art", "90"],
        ["", "law", "50"],
        ["", "law", "60"],
    ]


def test_a_card_lets_the_page_shine_through():
    """Catches black on a dark page, a white ground, and marks too faint to be read."""
    card = mean_salary()._repr_html_()
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
        assert not {"script", "alert"} & set(Cells(card).tags)
        assert Cells(card).tags.count("i") == 0
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
    names, printed = run(found.snippet())
    assert names["query"] == query
    assert printed == " ".join(map(str, map(query, found.witness))) + "\n"
    sl.plot_witness(found)


def test_answers_with_other_keys_are_told_by_key():
    """Catches answers that are compared by position, and a line for each of many keys."""
    here, there = Labelled((1, 2), ("a", "b")), Labelled((2, 3), ("b", None))
    assert answer_texts(here, there) == ("NULL: none; a: 1", "NULL: 3; a: none")
    assert answer_texts(here, here) == ("the same for each key",) * 2
    many = Labelled(range(30), range(1, 31)), Labelled([-1] * 30, range(1, 31))
    assert answer_texts(*many)[0].endswith("10: 9; … 20 more keys")
    assert answer_texts((1, 2), (1, 3)) == ("(1, 2)", "(1, 3)")
    groups = worst(sl.COUNT.by(lambda x: x < 9), [1, 2, 30], 2)
    assert "(1, 2) → False: none; True: 2" in groups._repr_html_()


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
    found = buyers()
    names, printed = run(found.snippet(), query=found.query)
    assert "assert" not in found.snippet()
    assert "\n# customer b leaves, with 2 rows of orders, 1 row of visits\n" in found.snippet()
    for side, there in zip((names["dataset"], names["neighbour"]), found.witness, strict=True):
        assert list(side) == ["orders", "visits"]
        assert all(alike(side[name], there[name]) for name in side)
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
    lists, kinds = [[1], [], None], pl.Enum(["u", "v", "w"])
    columns = [
        pl.Series("short", [1, 2, 3], dtype=pl.Int8),
        pl.Series("kind", ["u", None, "v"], dtype=kinds),
        pl.Series("list", lists, dtype=pl.List(pl.Int16)),
    ]
    arrow = pa.table(
        {
            **MIXED,
            "short": pa.array([1, 2, 3], pa.int8()),
            "kind": pa.array(["u", None, "v"]).dictionary_encode(),
            "list": pa.array(lists, pa.list_(pa.int16())),
            "zone": pa.array([1, None, 2], pa.timestamp("s", "UTC")),
        }
    )
    return {"pandas": frame, "polars": pl.DataFrame(MIXED).with_columns(columns), "pyarrow": arrow}


@pytest.mark.parametrize("frame", mixed_frames().values(), ids=mixed_frames())
@pytest.mark.parametrize("rows", [3, 0], ids=["full", "empty"])
def test_a_table_is_made_again_with_its_types(frame, rows):
    """Catches a lost category, a short integer that became a long one, and NaN for None."""
    kept = frame[:rows]
    names, _ = run(runnable([f"again = {source_of(kept)}"]))
    again = names["again"]
    assert alike(again, kept)
    assert rows_of(table(again, "again")) == rows_of(table(kept, "kept"))


class Vote(enum.Enum):
    NO = 1
    YES = 2


@pytest.mark.parametrize(
    "records",
    [
        list(Vote),
        [("law", datetime.date(2024, 1, 2)), ("art", pd.Timestamp("2024-01-02"))],
        [(1, ("a",)), (2, ())],
        pd.DataFrame({"vote": list(Vote)}),
    ],
    ids=["enum", "dates", "tuples", "cells"],
)
def test_records_of_many_kinds_are_made_again(records):
    """Catches `<Vote.NO: 1>` in a snippet, and Timestamp without pandas."""
    universe = sl.Universe.population(records)
    found = worst(len, universe, 2, sl.Remove(1))
    names, _ = run(found.snippet(), query=len)
    dataset = found.witness[0]
    assert names["dataset"].equals(dataset) if universe.tabular else names["dataset"] == dataset


QUERIES_OF_COLUMNS = [
    sl.MEAN.of("salary"),
    sl.STD.of("it's"),
    sl.SUM.clipped(0, 0.5),
    sl.quantile(0.25).of("salary").clipped(-1, 10).clipped(0, 5),
    sl.COUNT.by("department"),
    sl.SUM.of("salary").clipped(0, 9).by("department", keys=["law", None]),
]


@pytest.mark.parametrize("query", QUERIES_OF_COLUMNS, ids=lambda query: query.name)
def test_a_query_of_a_column_has_its_python(query):
    """Catches Python of another query."""
    assert eval(python_of(query), {"sl": sl}) == query


def test_a_query_of_a_function_has_no_python():
    """Catches a snippet that names a function it does not have, or another function's query."""
    of_len, summed, by = sl.SUM.of(len), sl.SUM.of("a"), sl.COUNT.by("a")
    queries = [of_len, of_len.clipped(0, 1), of_len.by("a"), sl.COUNT.by(len)]
    queries += [
        sl.Query("mine", len).of("a"),
        replace(summed, function=len),
        replace(by, function=len),
    ]
    assert [python_of(query) for query in queries] == [None] * 7


# --- two results ------------------------------------------------------------------------------


def test_a_row_is_marked_by_what_it_holds():
    """Catches marks by place: one of two equal rows leaves. By hand, over all pairs of rows."""
    rng = np.random.default_rng(7)
    for _ in range(20):
        rows = pd.DataFrame({"a": rng.integers(0, 2, 6), "b": rng.integers(0, 2, 6)})
        universe = sl.Universe.population(rows)
        sides = [tuple(sorted(rng.choice(6, size=4, replace=False))) for _ in range(2)]
        here, there = (rows.iloc[list(side)].reset_index(drop=True) for side in sides)
        [shown] = marked_witness(universe, (here, there)).tables
        left = [tuple(row) for row in there.itertuples(index=False)]
        leaving, shared = [], []
        for row in here.itertuples(index=False):
            if tuple(row) in left:
                left.remove(tuple(row))
                shared.append(tuple(row))
            else:
                leaving.append(tuple(row))
        for sign, rows in {"-": leaving, "+": left, SHARED: shared}.items():
            assert sorted(shown.parts[sign].rows) == sorted(rows)


# --- audits ------------------------------------------------------------------------------------


def by_shop(sales, claim=3, **options):
    def revenue(table):
        return table.groupby("shop")["amount"].sum()

    universe = sl.Universe.product(shop=[1, 2], amount=sales)
    return sl.audit(revenue, claim, universe, sizes=2, relations=[sl.Change(1)], **options)


def test_an_audit_marks_the_rows_and_tells_answers_by_key():
    """Catches a witness shown as two raw tables, and an answer without the keys that vanish."""
    report = by_shop([0, 3])
    assert str(report.worst).splitlines() == [
        "Change(1), size 2: too small by ×2, claimed 3, exact 6",
        "     shop  amount",
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


def test_an_audits_snippet_makes_its_tables_again():
    """Catches tables written as they print, which no Python reads."""
    report, answers = by_shop([0, 3]), []
    made = {"revenue": lambda table: answers.append(table)}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(report.snippet(), made)
    for ours, theirs in zip(answers, (report.worst.dataset, report.worst.neighbour), strict=True):
        pd.testing.assert_frame_equal(ours, theirs)


def test_an_order_is_told_row_by_row():
    """Catches marks in place of an order, on which the answer hangs."""

    def first(table):
        return int(table["v"].iloc[0])

    numbers = sl.Universe.product(v=[0, 3])
    asked = {"sizes": 2, "relations": [sl.Change(1)], "order": "any"}
    worst = sl.audit(first, 1, numbers, **asked).worst
    assert str(worst).splitlines()[1:] == ["  0, 0 → 0", "  3, 0 → 3"]


def test_a_row_that_fits_exactly_keeps_all_its_columns():
    """Catches gaps between columns that are counted one too many, or one too few."""
    row = ("abc", "abcd", "abcde")
    assert Grid("abc", [row], 3 + 2 + 4 + 2 + 5).kept == [0, 1, 2]
    assert Grid("abc", [row], 3 + 2 + 4 + 2 + 5 - 1).kept == [0, None, 2]
