"""What a person types first, out of another library's pages: the answer is that of the question
meant, as pandas says it, or a refusal says what to type."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import in_turn

import sensitivity_lab as sl

R, AR = sl.Change(1), sl.AddRemove(1)
DATA = [("a", 1.0, 2), ("a", None, 3), ("b", 4.0, 3), ("b", 10.0, None), ("c", None, 0)]
NAMES = ["g", "x", "y"]
YEARS = pd.DataFrame({"v": [1, 5, 9]}, index=pd.Index([2000, 2010, 2020], name="year"))
ORDERS = pd.DataFrame({"who": list("aabc"), "shop": [1, 2, 1, 2], "pay": [1, None, 9, 4]})
GAPS = pd.DataFrame({"x": [math.nan, 5.0]})


def in_pandas(rows):
    columns = dict(zip(NAMES, zip(*rows, strict=True), strict=True)) if rows else {}
    return pd.DataFrame(columns, columns=NAMES).astype({"x": float, "y": float})


def in_polars(rows):
    kinds = {"g": pl.String, "x": pl.Float64, "y": pl.Int64}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def missing(t):
    return t["x"].isna().sum()


# What is typed, and what pandas says of the rows that are meant.
# fmt: off
ANSWERED = {
    "COUNT.of": (sl.COUNT.of("x"), lambda t: t["x"].count()),
    "COUNT.of a function": (sl.COUNT.of(lambda row: row["x"]), lambda t: t["x"].count()),
    "COUNT.of.by": (sl.COUNT.of("x").by("g"), lambda t: t.groupby("g")["x"].count()),
    "COUNT.of.by keys": (sl.COUNT.of("x").by("g", keys=["a", "z"]),
                         lambda t: {"a": t[t["g"] == "a"]["x"].count()}),
    "SQL counts what is there": (sl.sql("SELECT COUNT(x) FROM t"), lambda t: t["x"].count()),
    "SUM of what is there": (sl.SUM.of("x", missing=0), lambda t: t["x"].sum()),
    "MEAN with 0 for a gap": (sl.MEAN.of("x", missing=0), lambda t: t["x"].fillna(0).mean()),
    "by two columns": (sl.COUNT.by(["g", "x"]),
                       lambda t: t.fillna({"x": -1}).groupby(["g", "x"]).size()),
    "by a list of one": (sl.COUNT.by(["g"], keys=["b"]), lambda t: (t["g"] == "b").sum()),
    "is None": (sl.count_where(lambda row: row["x"] is None), missing),
    "pandas.isna": (sl.count_where(lambda row: pd.isna(row["x"])), missing),
    "is not None": (sl.count_where(lambda row: row["x"] is not None and row["x"] > 3),
                    lambda t: (t["x"] > 3).sum()),
    "None or equal": (sl.count_where(lambda row: row["x"] is None or row["x"] == row["y"]),
                      lambda t: (t["x"].isna() | (t["x"] == t["y"])).sum()),
    "unequal to a number": (sl.count_where(lambda row: row["x"] != 4),
                            lambda t: (t["x"] != 4).sum()),
    "two means": (lambda t: [sl.SUM.of("x", missing=0)(t), sl.COUNT.of("x")(t)],
                  lambda t: [t["x"].sum(), t["x"].count()]),
}
# fmt: on


@pytest.mark.parametrize("relation", in_turn([R, AR]), ids=str)
@pytest.mark.parametrize("guess", ANSWERED)
def test_a_first_guess_is_answered_as_it_was_meant(guess, relation):
    """Catches a number of another question: of rows without their gaps, of groups that are not."""
    query, meant = ANSWERED[guess]
    rows, others = (sl.Universe.population(make(DATA), name="t") for make in (in_pandas, in_polars))
    want, *found = (
        sl.global_sensitivity(*ask, size=3, relation=relation)
        for ask in ((meant, rows), (query, rows), (query, others))
    )
    for each in found:
        assert float(each.value) == pytest.approx(float(want.value))
        assert each.check()


def of_people(query):
    return sl.global_sensitivity(query, sl.Universe.people(ORDERS, id="who"), size=2, relation=AR)


def asked(query, table, size=2):
    universe = sl.Universe.population(table, name="t")
    return sl.global_sensitivity(query, universe, size=size, relation=R)


def counted(predicate, table=GAPS):
    return asked(sl.count_where(predicate), table, 1)


RANGE = sl.Universe.value_range
PEOPLE = sl.Universe.people(ORDERS, id="who").truncated(rows=1)
NONE, IS_NONE = pd.DataFrame({"x": [None, "a"]}), r"row\['x'\] is None"
LATEST = in_polars([("a", 1.0, 2), ("b", 2.0, 3)])
# fmt: off
REFUSED = {
    "a named index": (lambda: asked(lambda t: int(t.index.max()), YEARS), "reset_index"),
    "of a range": (lambda: RANGE(YEARS), "index year"),
    "of names": (lambda: asked(len, YEARS.set_index(pd.Index(["a", "a", "b"]))), "index of a, a"),
    "of two levels": (lambda: RANGE(ORDERS.set_index(["who", "shop"])), "index who, shop"),
    "of people": (lambda: sl.Universe.people(ORDERS.set_index("shop"), id="who"), "index shop"),
    "of bounds": (lambda: PEOPLE.apply(ORDERS.set_index("shop")), "index shop"),
    "of one dataset": (lambda: sl.local_sensitivity(
        len, YEARS, RANGE(YEARS.reset_index(drop=True)), relation=R), "index year"),
    "x != x": (lambda: counted(lambda row: row["x"] != row["x"]), IS_NONE),
    "x == x": (lambda: counted(lambda row: row["x"] == row["x"]), IS_NONE),
    "of objects": (lambda: counted(lambda row: row["x"] != row["x"], NONE), IS_NONE),
    "of polars": (lambda: counted(lambda row: row.x != row.x, pl.DataFrame({"x": [None, 5]})),
                  IS_NONE),
    "of a Series": (lambda: counted(lambda text: text != text, NONE["x"]), "record is None"),
    "in an audit": (lambda: sl.audit(sl.count_where(lambda row: row["x"] != row["x"]), 0,
                                     RANGE(GAPS), sizes=1, relations=R), IS_NONE),
    "of a group": (lambda: asked(sl.COUNT.by(lambda row: row["x"] == row["x"]), GAPS, 1), IS_NONE),
    "alone": (lambda: sl.count_where(lambda row: row["x"] != row["x"])(GAPS), IS_NONE),
    "numpy.isnan": (lambda: counted(lambda row: np.isnan(row["x"])), IS_NONE),
    "an order": (lambda: counted(lambda row: row["x"] > 3), IS_NONE),
    "a sum of gaps": (lambda: asked(sl.SUM.of(lambda row: row["x"] + 1), GAPS), IS_NONE),
    "COUNT with missing": (lambda: sl.COUNT.of("x", missing=0), "counts what is there"),
    "COUNT cut": (lambda: sl.COUNT.of("x").clipped(5, 9), "counts what is there"),
    "MEAN of gaps": (lambda: asked(sl.MEAN.of("x"), GAPS), r"AVG\(pay\)"),
    "different numbers": (lambda: asked(sl.count_distinct.of("x"), GAPS), r"COUNT\(DISTINCT"),
    "bounds": (lambda: RANGE((0, 100)), r"\[0, 100\] .*range\(101\)"),
    "bounds of a column": (lambda: sl.Universe.product(age=(0, 100)), "column age .* pair"),
    "a mapping": (lambda: sl.Universe.product(team={"a": 1, "b": 2}), "list"),
    "keys of no group": (lambda: asked(sl.COUNT.by("g", keys=["A"]), in_pandas(DATA)),
                         "groups are"),
    "keys of a function": (lambda: asked(sl.COUNT.by(lambda row: row["g"], keys=["A"]),
                                         in_pandas(DATA)), "groups are"),
    "keys of people": (lambda: of_people(sl.COUNT.by("shop", keys=["1"])), r"groups are \[1, 2\]"),
    "keys as a mapping": (lambda: sl.COUNT.by("g", keys={"g": ["a"]}), "list"),
    "keys as a table": (lambda: sl.COUNT.by("g", keys=ORDERS[["who"]]), "list"),
    "keys of one of two": (lambda: sl.COUNT.by(["g", "x"], keys=["a"]), "tuples of g, x"),
    "the largest group": (lambda: asked(
        lambda t: t.group_by("y").agg(pl.len()).sort("len", "y").tail(1), LATEST, 1), "its key"),
    "q": (lambda: sl.quantile([0.1, 0.5]), "for q in"),
    "rows in place": (lambda: PEOPLE.truncated(2), "rows=2"),
    "two queries": (lambda: sl.MEAN.of("a") - sl.MEAN.of("b"), "function of your own"),
    "a number and one": (lambda: 2 * sl.SUM, "function of your own"),
    "a matrix": (lambda: sl.Universe.population(np.eye(2)), r"map\(tuple, array\)"),
    "own neighbours": (lambda: sl.global_sensitivity(
        sl.SUM, RANGE([0, 1]), size=1, relation=lambda x, y: True), "sl.audit_map"),
}
# fmt: on


@pytest.mark.parametrize("guess", REFUSED)
def test_what_can_be_read_in_two_ways_is_refused_with_what_to_type(guess):
    """Catches a plausible number of another question, mostly 0, and a refusal without a way out."""
    ask, words = REFUSED[guess]
    with pytest.raises((TypeError, ValueError), match=words):
        ask()


def test_row_numbers_that_are_left_over_stay():
    """Catches a refusal of what a filter, a sample or a concatenation leaves."""
    frame = ORDERS.drop(columns="pay")
    for left in (frame[frame["shop"] > 1], frame.sample(frac=1, random_state=1), frame[:0]):
        both = pd.concat([left, frame])
        assert len(sl.Universe.population(both).source) == len(both)
        assert sl.local_sensitivity(len, left, RANGE(frame), relation=sl.Add(1)).value == 1


def test_tables_stand_as_tables_in_an_error():
    """Catches box drawings in one line, of which nobody reads a row."""
    for table, line in ((ORDERS, "0   a     1  1.0"), (in_polars(DATA), "│ b   ┆ 10.0 ┆ null │")):
        with pytest.raises(ValueError, match="ZeroDivisionError") as error:
            asked(lambda t: 1 / 0, table, 4)
        assert line in str(error.value).splitlines()


def test_a_written_count_is_made_again():
    """Catches a snippet of a count of what is there that counts all."""
    query = sl.COUNT.of("pay").by(["shop", "who"])
    assert "sl.COUNT.of('pay').by(['shop', 'who'])" in asked(query, ORDERS).snippet()
    form = sl.closed_form(sl.COUNT.of("pay"), bounds=(5, 9), size=3, relation=R)
    assert (form.value, form.witness) == (1, None)
    cut = sl.closed_form(sl.SUM.clipped(5, 9), bounds=(0, 1), size=2, relation=sl.Add(1))
    assert (cut.value, cut.witness) == (5, ((0, 0), (0, 0, 0)))


def test_numbers_without_end_have_a_repr():
    """Catches Python's own error for more than 4,300 digits."""
    for query in (sl.SUM.of("pay", missing=10**5000), sl.histogram([0, 10**5000])):
        assert "about 1e+5000" in repr(query)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.longdouble])
def test_breaking_values_reach_the_ends_of_a_type(kind):
    """Catches the largest float32 refused, since its shortest text lies above it."""
    least, most = np.finfo(kind).min, np.finfo(kind).max
    values = sl.breaking_values((least, most), kind)
    assert (values[0], values[-1]) == (least, most)
    assert np.isfinite(values).all()
