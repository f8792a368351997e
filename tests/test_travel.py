"""Results as JSON: what is read equals what was written, for every kind of record,
query and relation."""

import datetime as dt
import json
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import a_third
from hypothesis import given, settings
from hypothesis import strategies as st

import sensitivity_lab as sl
from sensitivity_lab.to_json import made, read, written

ROWS = pd.DataFrame({
    "team": pd.Categorical(["a", "b", "a", "b"], categories=["c", "a", "b"]),
    "pay": [5, 9, 3, 2],
    "half": [0.5, None, 2.5, 1e-300],
    "when": pd.to_datetime(["2024-01-01", "2024-02-29", None,
        "2024-01-02"]).tz_localize("Europe/Rome"),
    "n": pd.array([1, None, 2**60, -1], dtype="Int64"),
    "cost": [Decimal("0.10"), Decimal("1E+3"), None, Decimal(2)],
    "day": [dt.date(2024, 1, 1), None, dt.date(2024, 1, 3), dt.date(2024, 1, 4)],
})  # fmt: skip
PLAIN = ROWS[["team", "pay"]].astype({"team": str})
ORDERS = pd.DataFrame({"customer": ["a", "b", "b"], "shop": ["x", "y", "x"], "price": [3, 2, 5]})
ANYBODY = sl.Universe.people(sl.Universe.product(price=[0, 9]), most_rows=2)
BUYERS = sl.Universe.people(ORDERS, id="customer")
SOME = sl.Universe.population([1, 2, 3, 10])
RELATIONS = [sl.Change(1), sl.AddRemove(1), sl.SymmetricDifference(2), sl.Add(1), sl.Remove(1)]


def spread(dataset):
    return max(dataset) - min(dataset) if dataset else 0


UNIVERSES = [
    SOME, sl.Universe.value_range([0, 5, 2.5], name="x"),
    sl.Universe.population([Fraction(1, 3), 10**400, -0.0]),
    sl.Universe.population(np.array([1, 3], dtype=np.int32)),
    sl.Universe.population(np.float32([0.1, 0.2])), sl.Universe.population([Decimal("0.10"), 3]),
    sl.Universe.population([1, None, 2.5]), sl.Universe.population(["no", "1/2", "no", "é\n'"]),
    sl.Universe.value_range([("a", 1), ("b", None)]),
    sl.Universe.population([dt.date(2024, 1, 1), dt.date(2024, 1, 2)]),
    sl.Universe.population([frozenset([1]), "a"]),
    *(sl.Universe.population(frame, name="t") for frame in (
        ROWS, PLAIN, pd.DataFrame({"t": pd.Series(["a", None], dtype=object)}),
        pl.from_pandas(PLAIN),
        pa.table({"d": pa.array([1, None], pa.int8()),
            "c": pa.array(["a", "b"]).dictionary_encode()}),
            pl.DataFrame({"d": [dt.date(2024, 1, 1), None]}))),
    sl.Universe.product(team=["a", None], pay=[1, 2.5]),
    BUYERS, sl.Universe.people({"o": ORDERS, "p": ORDERS.head(1)}, id="customer"), ANYBODY,
    BUYERS.truncated(rows=1, clip={"price": (0, 4)}, keep="shop"), ANYBODY.truncated(rows=1),
]  # fmt: skip


@pytest.mark.parametrize("universe", UNIVERSES, ids=lambda one: repr(one)[:40])
def test_a_universe_arrives(universe):
    """Catches a universe that arrives as another one, or as text alone."""
    plain = written(universe)
    assert "told" not in plain
    assert read(json.loads(json.dumps(plain))) == universe


def arrived(found, **given):
    again = type(found).from_json(found.to_json(), **given)
    assert again == found
    assert type(found).from_json(again.to_json(), **given) == found
    return again


KEYED = sl.SUM.of("pay").by("team", keys=["a", "b", "z"])
ASKED = [
    (sl.MEAN, SOME), (sl.STD, SOME), (sl.variance(ddof=1), SOME), (sl.quantile(0.3), SOME), (sl.quantile(Fraction(1, 3)), SOME),
    (sl.histogram([0, Fraction(5, 2), 20]), SOME), (sl.SUM.clipped(0, 2.5), SOME), (sl.RANGE, SOME),
    (sl.COUNT, sl.Universe.population(["no", "yes", "no"])),
    (sl.count_distinct, sl.Universe.population(["no", "yes", "no"])), (sl.SUM.of("pay"), sl.Universe.population(PLAIN)),
    (sl.SUM.of("pay").by("team"), sl.Universe.population(pl.from_pandas(PLAIN))), (KEYED, sl.Universe.population(PLAIN)),
    (sl.SUM.of("n", missing=Fraction(1, 2)).clipped(0, 9), sl.Universe.population(ROWS)),
    (sl.SUM.of("price"), BUYERS), (sl.count_people, BUYERS), (sl.SUM.of("price"), ANYBODY),
    (sl.sql("SELECT COUNT(*) FROM t WHERE pay > 3"), sl.Universe.population(PLAIN, name="t")),
    (sl.sql("SELECT team, SUM(pay) FROM t GROUP BY team", keys="team"),
        sl.Universe.population(PLAIN, name="t")),
]  # fmt: skip


@pytest.mark.parametrize(("query", "universe"), a_third(ASKED), ids=str)
def test_a_result_and_an_audit_arrive(query, universe):
    """Catches a value, a witness or a verdict that changes on its way;
    one that cannot be checked there."""
    for relation in RELATIONS[:2]:
        found = sl.global_sensitivity(query, universe, size=2, relation=relation)
        again = arrived(found)
        assert again.check()
        assert sorted(repr(again).split()) == sorted(repr(found).split())
    local = sl.local_sensitivity(query, found.witness[0], universe, relation=relation)
    assert arrived(local).check()
    report = sl.audit(query, 1.5, universe, sizes=[1, 2], relations=RELATIONS[:2])
    again = arrived(report)
    assert again.check()
    assert str(again) == str(report)


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_any_numbers_arrive(data):
    """Catches a number that is read as another, or as text; NaN-free JSON that is none."""
    numbers = st.one_of(
        st.integers(-(10**30), 10**30), st.fractions(max_denominator=1000),
        st.floats(allow_nan=False, allow_infinity=False, width=64),
        st.decimals(allow_nan=False, allow_infinity=False, places=3),
    )  # fmt: skip
    held = data.draw(st.lists(numbers, min_size=3, max_size=5))
    make = data.draw(st.sampled_from([sl.Universe.population, sl.Universe.value_range]))
    relation = data.draw(st.sampled_from(RELATIONS))
    for query in (sl.MEAN, sl.MAX, sl.COUNT):
        ask = {"size": data.draw(st.sampled_from([2, range(1, 3)])), "norm": math.inf}
        found = sl.global_sensitivity(query, make(held), relation=relation, **ask)
        plain = json.loads(found.to_json())
        exact = isinstance(found.value, Fraction)
        assert plain["value"] == (str(found.value) if exact else found.value)
        assert arrived(found).check()


def test_what_does_not_travel_is_given_again():
    """Catches a long witness that is not read as the pair it was, a function that arrives as
    something, and a universe of the caller's objects."""
    many = sl.Universe.population(np.random.default_rng(0).integers(0, 90, 5000))
    found = sl.global_sensitivity(sl.MEDIAN, many, size=2001, relation=sl.Change(3))
    assert (found.method, arrived(found).check()) == ("solver", True)
    form = sl.closed_form(sl.MEAN, bounds=(0, Fraction(1, 2)), size=4, relation=sl.Add(2))
    assert arrived(form).formula == form.formula
    found = sl.global_sensitivity(spread, SOME, size=2, relation=sl.Change(1))
    arrived(found, query=spread)
    alone = sl.Sensitivity.from_json(found.to_json())
    assert (alone.value, alone.witness, alone.query.name) == (8, found.witness, "spread")
    with pytest.raises(ValueError, match="spread did not travel"):
        alone.check()
    own = sl.Universe.population([object(), object()])
    found = sl.global_sensitivity(sl.COUNT, own, size=1, relation=sl.Add(1))
    assert arrived(found, universe=own).check()
    with pytest.raises(ValueError, match=r"universe must be a Universe, got 'Universe\.population"):
        sl.Sensitivity.from_json(found.to_json())
    metric = {"output_metric": sl.symmetric_distance}
    report = arrived(sl.audit(set, 1, SOME, sizes=2, relations=sl.Change(1), **metric))
    with pytest.raises(ValueError, match="did not travel"):
        report.check()


@pytest.mark.parametrize("text", [
    "{}", "[]", "", "nonsense", '{"type": "Audit"}', '{"type": "Sensitivity"}', "1", None, 5, '"a"',
    "[1]",
])  # fmt: skip
def test_what_is_no_result_is_refused(text):
    """Catches a bare error of json's, or of a key."""
    with pytest.raises(ValueError, match="text must be the JSON of Sensitivity"):
        sl.Sensitivity.from_json(text)


@pytest.mark.parametrize("python", [
    "__import__('os').system('true')", "sl.audit", "sl.__loader__", "(lambda: 1)()",
    "[x for x in range(3)]", "open('x')", "sl.Universe.__init__", "pd.read_csv('x')",
    "pd.eval('1')", "1 + 1", "'a'.join(['b'])", "np.load('x')", "pd.DataFrame.__class__",
    "sl.MEAN.function", "f'{1}'", "datetime.sys", "float.__subclasses__()", "exec('1')", "eval",
    "pl.sql('SELECT 1', eager=True)", "sl.SUM.of(pl.sql)",
    "pd.Timestamp('2024', tz='dateutil//dev/stdin')", "sl.SUM.of('x').function('y')",
    "zoneinfo.ZoneInfo('../../etc/passwd')", "sl.SUM.of.by('x')", "np.histogram([1], 10**9)",
    "sl.universe.Universe", "pd.core", "pl.DataFrame.sql",
])  # fmt: skip
def test_python_in_a_text_makes_values_and_does_nothing_else(python):
    """Catches a text that runs code."""
    with pytest.raises((ValueError, TypeError)):
        made(python)


@pytest.mark.parametrize("python", [
    "frozenset(range(10**12))", "sl.Universe.population(range(9**9))", "Fraction('1e999999999')",
    "Fraction(Decimal('1e99999'), 1)", "Decimal('1e999999999')", "pd.DataFrame(1, [1, 2], [1, 2])",
    "pd.DataFrame({}, index=[1], columns=[1])", "pa.array(range(9**9))",
    "pd.Series(['x'], dtype='S2000000000')",
    "pd.DataFrame({'a': ['x']}).astype({'a': 'S2000000000'})", "-" * 10**5 + "1",
    "(" * 10**4 + ")" * 10**4, "sl" + ".of" * 10**5, "1" + "0" * 5000,
    "[" * 10**5,
])  # fmt: skip
def test_a_short_text_makes_nothing_large(python):
    """Catches a text that fills memory, takes for ever, or breaks the reader."""
    held = sl.global_sensitivity(sl.MEAN, SOME, size=2, relation=sl.Add(1)).to_dict()
    text, no_number = (json.dumps(held | {"value": v}) for v in ({"python": python}, math.nan))
    for hostile in (text, text.replace('"17/6"', python), "[" * 10**5, no_number):
        with pytest.raises(ValueError, match="text must be the JSON of Sensitivity"):
            sl.Sensitivity.from_json(hostile)


def test_text_that_arrived_stays_text_where_it_is_shown():
    """Catches a name that becomes a line of the snippet, or a part of the page."""
    name = "x\nimport os\r<script>"
    found = sl.global_sensitivity(spread, SOME, size=2, relation=sl.Change(1))
    plain = found.to_dict() | {"infeasible": [name]}
    query = {"function": name, "given": [None, False]}
    again = sl.Sensitivity.from_json(json.dumps(plain | {"query": query}))
    lines = again.snippet().splitlines()
    assert not any(line.startswith(("import os", "<")) for line in lines)
    assert "<script>" not in again._repr_html_()
    query["given"] = [1, True, "exact"]
    with pytest.raises(ValueError, match="Sensitivity"):
        sl.Sensitivity.from_json(json.dumps(plain | {"query": query}))


def test_numbers_are_numbers_in_a_report():
    """Catches "5.0" where a program wants 5.0."""
    report = sl.audit(sl.MEAN, 5.0, SOME, sizes=2, relations=sl.AddRemove(1))
    told, row = report.to_dict()["rows"][0], report.rows[0]
    assert (told["claimed"], told["found"]) == (5.0, str(row.found))
    assert told["verdict"] == row.verdict
    assert [told["dataset"], told["neighbour"]] == [[*row.dataset], [*row.neighbour]]
