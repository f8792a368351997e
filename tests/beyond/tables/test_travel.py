"""Results as JSON: what any reader finds there, for every kind of record and query."""

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
from conftest import ABSENCES, QUERY_TEXTS, a_third, query_of
from conftest import QUERIES as STANDARD
from hypothesis import given, settings
from hypothesis import strategies as st
from routes import travels
from sensitivity_beyond.tables.python import python_of
from sensitivity_book.theory.gradient import discrete_gradient

import sensitivity_lab as sl

PLAIN = pd.DataFrame({"team": ["a", "b", "a", "b"], "pay": [5, 9, 3, 2]})
ORDERS = pd.DataFrame({"customer": ["a", "b", "b"], "shop": ["x", "y", "x"], "price": [3, 2, 5]})
ANYBODY = sl.Universe.people(sl.Universe.product(price=[0, 9]), most_rows=2)
BUYERS = sl.Universe.people(ORDERS, id="customer")
SOME = sl.Universe.population([1, 2, 3, 10])
RELATIONS = [sl.Change(1), sl.AddRemove(1), sl.SymmetricDifference(2), sl.Add(1), sl.Remove(1)]


class Mute:
    def __repr__(self):
        raise OSError


LONG, MUTE, DAY = 10**5000, Mute(), dt.date(2024, 1, 1)
WITH_NONE = pd.DataFrame({"t": ["a", None], "n": pd.array([None, 2], dtype="Int64")})


@pytest.mark.parametrize(
    ("records", "plain"),
    [
        ([Fraction(1, 3), 2.5, -0.0], [-0.0, "1/3", 2.5]),
        ([LONG, Fraction(1, LONG)], [f"1/{hex(LONG)}", hex(LONG)]),
        (np.float32([0.1, 2]), [0.10000000149011612, 2.0]),
        ([1, None], [1, None]),
        ([("a", 1), ("b", None)], [["a", 1], ["b", None]]),
        ([DAY], ["2024-01-01"]),
        ([MUTE], ["a value of type Mute that cannot be shown"]),
        (WITH_NONE, [{"t": "a", "n": None}, {"t": None, "n": 2}]),
        (pl.DataFrame({"d": [DAY], "c": [Decimal("0.10")]}), [{"d": "2024-01-01", "c": "0.10"}]),
        (pa.table({"c": pa.array(["a", "b"]).dictionary_encode()}), [{"c": "a"}, {"c": "b"}]),
    ],
)
def test_records_are_what_json_has_for_them(records, plain):
    """Catches text where JSON has a number, a lost digit, and a record that stops the writing."""
    size = sl.Query("size", len, takes_missing=True)
    universe = sl.Universe.population(records)
    found = sl.global_sensitivity(size, universe, size=len(plain), relation=sl.Remove(1))
    told = json.loads(found.to_json())
    assert told == found.to_dict()
    assert (told["value"], told["witness"][0]) == (1, plain)


STATEMENT = sl.sql("SELECT team, SUM(pay) FROM t GROUP BY team", keys="team")
ROWS = sl.Universe.population(PLAIN, name="t")
ASKED = [
    (sl.MEAN, SOME),
    (sl.histogram([0, Fraction(5, 2), 20]), SOME),
    (sl.SUM.clipped(0, 2.5), SOME),
    (sl.COUNT, sl.Universe.population(["no", "yes", "no"])),
    (sl.SUM.of("pay").by("team"), sl.Universe.population(pl.from_pandas(PLAIN))),
    (sl.SUM.of("pay").by("team", keys=["a", "b", "z"]), ROWS),
    (sl.count_people, BUYERS),
    (sl.SUM.of("price"), ANYBODY),
    (STATEMENT, ROWS),
]


def is_plain(told):
    """Whether it holds JSON's own types alone, which can be sent to a worker's master, too."""
    if type(told) is dict:
        return all(type(name) is str and is_plain(one) for name, one in told.items())
    if type(told) is list:
        return all(map(is_plain, told))
    return told is None or type(told) in (bool, str, int, float)


@pytest.mark.parametrize(("query", "universe"), a_third(ASKED), ids=str)
def test_every_result_is_plain_and_whole(query, universe):
    """Catches an object among the dicts and lists, a name left out, two forms of one audit."""
    for relation in RELATIONS[:2]:
        found = sl.global_sensitivity(query, universe, size=2, relation=relation)
        told = found.to_dict()
        assert is_plain(told)
        asked = {"query": query.name, "relation": str(relation), "universe": str(universe)}
        about = {"type": "Sensitivity", "size": 2, "method": found.method, "is_local": False}
        assert {**told, **asked, **about} == told == json.loads(found.to_json(indent=1))
    report = sl.audit(query, 1.5, universe, sizes=[1, 2], relations=RELATIONS[:2])
    told = report.to_dict()
    assert is_plain(told)
    about = {name: getattr(report, name) for name in ("function", "headline", "scope")}
    assert {**told, **about, "not_asked": [*report.not_asked]} == told
    assert [row["verdict"] for row in told["rows"]] == [row.verdict for row in report.rows]
    assert told["rows"] == [row.to_dict() for row in report.rows]


def test_answers_by_key_and_answers_that_are_no_numbers():
    """Catches a key that becomes another one's text, or a set that stops the writing."""
    by = sl.COUNT.by(lambda number: 1 if number == 1 else "1")
    few = sl.Universe.population([1, 5, 5])
    (row,) = sl.audit(by, 9, few, sizes=3, relations=sl.Remove(1)).to_dict()["rows"]
    assert sorted(row["answers"][0], key=str) == [["1", 2], [1, 1]]
    metric = {"output_metric": sl.symmetric_distance}
    (row,) = sl.audit(set, 1, SOME, sizes=1, relations=sl.Add(1), **metric).to_dict()["rows"]
    assert row["answers"] == ["{1}", "{1, 2}"]


@settings(max_examples=15)
@given(st.data())
def test_any_numbers_are_exact(data):
    """Catches a number that is read as another, or as text; NaN-free JSON that is none."""
    floats = st.floats(allow_nan=False, allow_infinity=False)
    numbers = st.integers(-(10**30), 10**30) | st.fractions(max_denominator=1000) | floats
    held = data.draw(st.lists(numbers, min_size=3, max_size=5))
    make = data.draw(st.sampled_from([sl.Universe.population, sl.Universe.value_range]))
    relation = data.draw(st.sampled_from(RELATIONS))
    for query in (sl.MEAN, sl.MAX, sl.COUNT):
        size = data.draw(st.sampled_from([2, range(1, 3)]))
        ask = {"size": size, "relation": relation, "norm": math.inf}
        found = sl.global_sensitivity(query, make(held), **ask)
        plain = json.loads(found.to_json())
        assert (plain["norm"], plain["size"]) == ("inf", 2 if size == 2 else "range(1, 3)")
        sides = [*zip(plain["witness"], found.witness, strict=True)]
        for told, number in [([plain["value"]], [found.value]), *sides]:
            for one, own in zip(told, number, strict=True):
                assert type(one) is (str if isinstance(own, Fraction) else type(own))
                assert (Fraction(one) if type(one) is str else one) == own


def test_a_closed_form_and_a_long_witness_are_written():
    """Catches a witness that is written as its summary."""
    many = sl.Universe.population(np.random.default_rng(0).integers(0, 90, 5000))
    found = sl.global_sensitivity(sl.MEDIAN, many, size=2001, relation=sl.Change(3))
    assert found.to_dict()["witness"] == [list(side) for side in found.witness]
    form = sl.closed_form(sl.MEAN, bounds=(0, Fraction(1, 2)), size=4, relation=sl.Add(2))
    told = form.to_dict()
    assert (told["value"], told["status"], told["formula"]) == ("1/6", "exact", form.formula)


def test_numbers_are_numbers_in_a_report():
    """Catches "5.0" where a program wants 5.0."""
    report = sl.audit(sl.MEAN, 5.0, SOME, sizes=2, relations=sl.AddRemove(1))
    told, row = report.to_dict()["rows"][0], report.rows[0]
    assert (told["claimed"], told["found"]) == (5.0, str(row.found))
    assert told["verdict"] == row.verdict
    assert [told["dataset"], told["neighbour"]] == [[*row.dataset], [*row.neighbour]]


DRIVING = sl.Universe.value_range([1, 2, 3])
ONE = sl.Change(1)


def asked(query, universe, size, relation=ONE, **options):
    return sl.global_sensitivity(query, universe, size=size, relation=relation, **options)


KINDS = [[0.5, 0.1, 1], [Fraction(1, 3), 1, 2], [Decimal("0.1"), Decimal(2), Decimal(3)]]


@pytest.mark.parametrize("query", [*STANDARD.values(), sl.histogram([0, 0.5, 2])], ids=str)
@pytest.mark.parametrize("values", KINDS, ids=str)
def test_snippet_runs_and_proves_the_value(query, values):
    """Catches a snippet that lacks an import, or prints something else than it claims."""
    r = asked(query, sl.Universe.value_range(values), 2, sl.SymmetricDifference(2))
    names = {}
    exec(str(r.snippet()), names)
    a, b = names["query"](names["dataset"]), names["query"](names["neighbour"])
    if isinstance(a, tuple):
        assert sum(abs(x - y) for x, y in zip(a, b, strict=True)) == r.value
    else:
        assert float(abs(a - b)) == pytest.approx(float(r), rel=1e-15)
    assert repr(r.snippet()) == str(r.snippet())
    assert str(r.value) in r.snippet()


class Share(Fraction):
    """A kind of number that is neither Python's nor numpy's."""

    def __repr__(self):
        return f"Share({self.numerator}, {self.denominator})"


class Swap(sl.Relation):
    """A relation of a user's own."""

    at_most, phrase, moves = True, "swapped", ((0, 0), (1, 1))


def test_snippet_says_where_other_parts_come_from():
    """Catches a snippet that cannot be completed where it says so, or names another's function."""

    def spread(x):
        return x[-1] - x[0]

    own = str(asked(spread, DRIVING, 2).snippet())
    exec(own.replace("# define query here: spread", "query = lambda x: x[-1] - x[0]"), {})
    for exact in (True, False):  # a standard query is known by more than its name
        first = sl.Query("mean", lambda x: x[0], exact=exact)
        assert "# define query here: mean" in asked(first, ABSENCES, 2).snippet()
    shares = sl.Universe.value_range([Share(1, 2), Share(1, 3), np.float32(0.1)])
    snippet = str(asked(sl.quantile(0.25), shares, 2, Swap(1)).snippet())
    assert f"from {__name__} import Share\n" in snippet
    assert "# define Swap here" in snippet
    exec(snippet.replace("# define Swap here", f"from {__name__} import Swap"), {})


def results():
    """A result of every kind that numbers alone have not, made anew."""
    people = sl.Universe.population([0, 1, 2, 10], name="people")
    long = sl.Universe.population(np.arange(5000) / 2)
    short = sl.Universe.value_range([0, 0.5, 1])
    smoothed = [sl.COUNT, sl.SUM, sl.MEAN, sl.MEDIAN, sl.MIN, sl.MAX, sl.VARIANCE, sl.quantile(0.1)]
    return [
        asked(sl.MEAN, long, 2500, method="solver"),
        asked(sl.count_where(bool), long, 2500, method="solver"),
        asked(sl.MEAN, short, 10**12, sl.AddRemove(1), method="solver"),
        *(sl.smooth_sensitivity(q, [0.5, 1, 3], bounds=(0, 4), beta=1) for q in smoothed),
        *(discrete_gradient(query, (0, 1, 2), people) for query in (sl.MEAN, sl.STD, sl.COUNT)),
    ]


def test_proofs_and_gradients_travel_and_are_equal_by_content():
    """Catches a result that no pool takes, that differs from itself asked again, or has no hash."""
    travels(zip(results(), results(), strict=True))


@pytest.mark.parametrize("text", QUERY_TEXTS)
def test_a_query_is_written_as_the_python_that_makes_it(text):
    """Catches Python of another query, or none: the snippet of a result rests on it."""
    assert python_of(query_of(text)) == (None if "count_where" in text else f"sl.{text}")
    own = sl.Query(query_of(text).name, len, exact=True)
    assert python_of(own) is None
