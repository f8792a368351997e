"""`sl.sql` against a brute force of its own: every dataset asked by itself, by the engine's own client.

`SQL_CASES` sets how many (statement, tables, relation) an engine is asked about (default 6, others and
another engine at the next commit; in a long run 1,000 or more, from the first, and all engines), `SQL_SEED`
the first seed. A failure prints the seed that makes it alone.
"""

import datetime
import math
import os
import random
import sqlite3
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import conftest
import duckdb
import oracle_sql as oracle
import pandas as pd
import polars as pl
import psycopg
import pyarrow as pa
import pytest
from conftest import a_third, in_turn, refused

import sensitivity_lab as sl

AT_ONCE = 6  # statements of one question
CASES = int(os.environ.get("SQL_CASES", AT_ONCE))
TURN = 0 if "SQL_CASES" in os.environ else conftest.SEED % 160  # the long run asks these, too
SEED = int(os.environ.get("SQL_SEED", TURN))
NORMS = [1, 1, 2, math.inf, 0]


class Found(NamedTuple):
    """What the package says of a question: a value with its witness, or why there is none."""

    value: object
    why: str
    witness: tuple = ()
    not_asked: tuple = ()
    checked: bool = True


@pytest.fixture(scope="module", params="DSP")
def engine(request):
    """An engine for the brute force, and a connection of the package's own."""
    address = request.getfixturevalue("address") if request.param == "P" else None
    made = oracle.Engine(request.param, address)
    if request.param == "D":
        theirs = duckdb.connect(config={"threads": "1"})
    elif request.param == "S":
        theirs = sqlite3.connect(":memory:", isolation_level=None)
    else:
        theirs = psycopg.connect(address, autocommit=True)
    yield made, oracle.with_rates(theirs)
    theirs.close()
    made.connection.close()


def chosen(rng, letter, asked, first):
    """Some statements for a question: from the list, by turns, and put together at random."""
    people = "u" in asked.columns
    able = [s for s in oracle.OF_ROWS + oracle.OF_PEOPLE * people if letter in s.engines]
    if people and "v" not in asked.columns:
        able = [s for s in able if " v" not in s.text]
    listed = [able[(first + i * 37) % len(able)] for i in range(AT_ONCE - 2)]
    return [*listed, oracle.composed(rng), oracle.composed(rng)]


def found(statement, asked, connection, norm):
    """What the package says."""
    try:
        untyped = isinstance(connection, sqlite3.Connection)  # NULL alone is no key there
        keys = [f"k{i + 1}" for i in range(statement.keys)] if untyped else None
        query = sl.sql(statement.text, keys=keys or None, connection=connection)
        answer = sl.global_sensitivity(query, asked.universe, norm=norm, **asked.asked)
        return Found(answer.value, "", answer.witness, answer.not_asked, answer.check())
    except (ValueError, TypeError, RuntimeError) as error:
        return Found(None, f"{type(error).__name__}: {error}")


def verdict(statement, asked, norm, ours, theirs):
    """One word for a comparison; "wrong: …" where a number, a witness or a silence is."""
    if ours.value is None:
        if theirs.value is None:
            return "both refuse"
        return f"wrong: {theirs.value} where there is none, for {ours.why}"
    if theirs.value is None and "in one arithmetic" in theirs.why:
        return "both refuse"  # a Decimal and a float in one vector: that is refused by design
    if theirs.value is None:
        word = "open, refused" if statement.open else "refused though answerable"
        return f"{word}: {theirs.why}, where it is {ours.value}"
    value = theirs.value if isinstance(theirs.value, float) else Fraction(theirs.value)
    if not oracle.near(ours.value, value):
        return f"wrong: {theirs.value} for {ours.value}"
    if bool(theirs.not_asked) is not ours.silent:
        return f"wrong: not_asked is {theirs.not_asked}"
    if not theirs.checked:
        return f"wrong: check() denies {theirs.value}"
    return witnessed(asked, norm, ours, theirs)


def witnessed(asked, norm, ours, theirs):
    """Whether the witness is a pair of neighbours with that very gap."""
    contents = [content(asked, side) for side in theirs.witness]
    sides = {labels: oracle.content_of(asked.tables(labels)) for labels in ours.answers}
    for x, y in asked.pairs:
        if [sides[x], sides[y]] == contents and not (ours.silent and () in (x, y)):
            gap = oracle.apart(ours.answers[x], ours.answers[y], norm)
            if oracle.near(gap, ours.value):
                return "equal"
    return f"wrong: no witness of {ours.value}: {theirs.witness}"


def content(asked, side):
    tables = side if isinstance(side, dict) else {"t": side}
    rows = {name: oracle.rows_in(tables[name]) for name in asked.columns}
    return oracle.content_of(rows)


def compared(engine, seed):
    """The verdicts on one question, with what makes each again."""
    brute, connection = engine
    rng = random.Random(seed)
    asked = oracle.question(rng)
    statements = chosen(rng, brute.letter, asked, seed * (AT_ONCE - 2))
    norm = rng.choice(NORMS)
    for norms in (0, norm if norm else 1):
        these = [s for s in statements if bool(norm == 0 and s.keys) is (norms == 0)]
        if not these:
            continue
        ours = oracle.expected(brute, rng, asked, these, norms)
        for statement, expected in zip(these, ours, strict=True):
            own = brute.letter == "D" and "rates" not in statement.text and rng.random() < 0.6
            theirs = found(statement, asked, None if own else connection, norms)
            said = verdict(statement, asked, norms, expected, theirs)
            where = f"{brute.letter}{' own' * own}, norm {norms}"
            again = f"CHECK_ALL=1 SQL_SEED={seed} SQL_CASES=1, {where}: {said}"
            yield said, f"{again}\n    {statement.text}\n    {asked.told}"


@pytest.mark.parametrize("engine", in_turn(list("DSP")), indirect=True)
def test_a_sensitivity_is_the_brute_forces_or_is_refused(engine):
    """Catches a wrong number, a witness that does not attain it, and a refusal of what has an answer."""
    said, faults = Counter(), []
    for seed in range(SEED, SEED + max(1, CASES // AT_ONCE)):
        for word, told in compared(engine, seed):
            said[word.split(":")[0]] += 1
            if word.startswith(("wrong", "refused")):
                faults.append(told)
    assert not faults, f"{dict(said)}\n" + "\n".join(faults)
    assert said["equal"] > said.total() / 2 or CASES == AT_ONCE


# -- one case each ------------------------------------------------------------------------------

DATES = [datetime.date(2024, 1, 3), datetime.date(2024, 1, 21)]
SPRING = [datetime.date(2024, 2, 1), datetime.date(2024, 3, 1)]
PRICES = [Decimal("8.00"), Decimal("9.00")]
DAY_OF = "COALESCE(AVG(EXTRACT(day FROM x)), 0)"
EARLY = "CASE WHEN COALESCE({}(x), '2024-1-5') < '2024-01-10' THEN {} ELSE {} END"
TYPED = {
    "the literal beside the last date": (SPRING, EARLY.format("MAX", 1, 0), 1),
    "the literal beside the first date": (SPRING, EARLY.format("MIN", 5, 0), 5),
    "the mean of decimals": (PRICES, "COALESCE(AVG(x), 0)", 9),
    "a mean by hand": (PRICES, "COALESCE(SUM(x), 0) / GREATEST(COUNT(x), 1)", 9),
    "the day of dates": (DATES, DAY_OF, 21),
}
LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def asked_of(connection, text, universe, size, relation):
    query = sl.sql(text, connection=connection)
    found = sl.global_sensitivity(query, universe, size=size, relation=relation)
    assert found.check()
    return found


@pytest.mark.parametrize("case", a_third(list(TYPED)))
@pytest.mark.parametrize(
    ("library", "size", "relation"),
    [
        ("pandas", 0, sl.Add(1)),
        ("pandas", 1, sl.SymmetricDifference(1)),
        ("polars", 1, sl.AddRemove(1)),
        ("pyarrow", 0, sl.Add(1)),
        ("product", 1, sl.AddRemove(1)),
        ("product", 2, sl.SymmetricDifference(2)),
    ],
)
def test_an_empty_table_has_the_types_of_the_universe(case, library, size, relation):
    """Catches an empty table of text where the universe holds dates or decimals: 0 for 1, 0.5 for 9."""
    cells, asked, value = TYPED[case]
    if library == "product":
        universe = sl.Universe.product(x=cells, name="t")
    else:
        universe = sl.Universe.value_range(LIBRARIES[library]({"x": cells}), name="t")
    found = asked_of(None, f"SELECT {asked} AS v FROM t", universe, size, relation)
    assert found.value == value
    assert not found.not_asked


@pytest.mark.parametrize("connected", in_turn(["own", "caller"]))
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("SELECT COALESCE(MAX(strftime(day, '%d')::INTEGER), 0) FROM orders", 21),
        (
            "SELECT COALESCE(MAX(s), 0) FROM (SELECT SUM(paid) OVER (ORDER BY day RANGE BETWEEN "
            "INTERVAL 3 DAY PRECEDING AND CURRENT ROW) AS s FROM orders)",
            100,
        ),
        ("SELECT COALESCE(AVG(price), 0) + COUNT(*) FROM orders", Decimal("10")),
    ],
)
def test_people_without_a_row_leave_a_typed_table(text, value, connected):
    """Catches a statement that fails where nobody of a dataset has a row in one of the tables."""
    orders = pd.DataFrame({"who": [1, 2], "day": DATES, "paid": [30, 100], "price": PRICES})
    visits = pd.DataFrame({"who": [2, 3, 4], "page": ["x", "y", "x"]})
    universe = sl.Universe.people({"orders": orders, "visits": visits}, id="who")
    with duckdb.connect() as theirs:
        connection = theirs if connected == "caller" else None
        found = asked_of(connection, text, universe, 2, sl.SymmetricDifference(1))
    assert found.value == value
    assert not found.not_asked


TYPE_OF = {"D": "hash(typeof({})) % 1000", "P": "hashtext(pg_typeof({})::text) % 1000"}


@pytest.mark.parametrize("library", a_third(list(LIBRARIES)))
@pytest.mark.parametrize("seed", a_third([0, 1, 2]))
def test_the_types_of_columns_are_those_of_all_datasets(engine, library, seed):
    """Catches a type that is read off the rows of a dataset: wider decimals, text for what is empty."""
    brute, connection = engine
    if brute.letter not in TYPE_OF:
        return  # sqlite has types of values alone
    columns = oracle.drawn(random.Random(seed), library, oracle.TABLES["t"], 4)
    universe = sl.Universe.population(oracle.frame(library, columns), name="t")
    told = TYPE_OF[brute.letter]
    each = [f"{told.format(f'(SELECT {c.name} FROM t LIMIT 1)')} AS {c.name}" for c in columns]
    text = f"SELECT {', '.join(each)} FROM (SELECT COUNT(*) FROM t) AS q"
    found = asked_of(connection, text, universe, 1, sl.SymmetricDifference(2))
    assert found.value == 0, columns


@pytest.mark.parametrize(
    "asked",
    [
        "COALESCE(SUM(ABS(d)), 0) FROM (SELECT x - LAG(x) OVER () AS d FROM t) AS q",
        "COUNT(*) FROM (SELECT x, LAG(x) OVER () AS y FROM t) AS q WHERE x <> y AND x + y <> 7",
        "COALESCE(SUM(x * y), 0) FROM (SELECT x, LAG(x) OVER () AS y FROM t) AS q",
        "x FROM t LIMIT 1 OFFSET 1",
        "ABS(FIRST(x) - LAST(x)) FROM t",
        "SUM(x) FROM (SELECT x, ROW_NUMBER() OVER () AS r FROM t) AS q WHERE r = 2",
        "SUM(CASE r WHEN 2 THEN 3 ELSE 1 END * x) FROM (SELECT x, ROW_NUMBER() OVER () AS r FROM t) AS q",
        "MAX(s) FROM (SELECT SUM(x) OVER (ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM t) AS q",
        "MAX(s) FROM (SELECT x * FIRST_VALUE(x) OVER () * LAST_VALUE(x) OVER () AS s FROM t) AS q",
    ],
)  # fmt: skip
def test_an_order_that_reversal_leaves_alone_is_refused(engine, asked):
    """Catches what is the same forwards and backwards, and another number in another order."""
    universe = sl.Universe.population(pd.DataFrame({"x": [1, 2, 5, 8]}), name="t")
    if engine[0].letter == "D" or "FIRST(x)" not in asked:
        with refused(ValueError, "order of rows"):
            asked_of(engine[1], f"SELECT {asked}", universe, 3, sl.Change(1))


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("relation", [sl.SymmetricDifference(1), sl.Change(1)])
def test_a_tie_is_refused_on_a_connection_with_several_threads(threads, relation):
    """Catches 15: the threads of the caller's own database break a tie in an order of their own."""
    universe = sl.Universe.product(
        customer=["ann", "bob"], city=["Rome", None], amount=[1, 5, None], name="t"
    )
    text = """
        SELECT customer, COALESCE(SUM(amount), 0) AS s FROM t
        GROUP BY customer ORDER BY s DESC LIMIT 1
    """
    with (
        duckdb.connect(config={"threads": str(threads)}) as connection,
        pytest.raises(ValueError, match=r"order of rows|one thread"),
    ):
        asked_of(connection, text, universe, 2, relation)
