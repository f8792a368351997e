"""`sl.sql` against a brute force of its own:
every dataset asked by itself, by the engine's own client.

`SQL_CASES` sets how many (statement, tables, relation) an engine is asked about (default 6, others
and another engine at the next commit; in a long run 1,000 or more, from the first, and all
engines), `SQL_SEED` the first seed. A failure prints the seed that makes it alone.
"""

import math
import os
import random
import sqlite3
from collections import Counter
from fractions import Fraction
from itertools import combinations

import conftest
import narwhals as nw
import oracle_sql as oracle
import pandas as pd
import pyarrow as pa
import pytest
from conftest import a_third, in_turn, refused
from sensitivity_beyond.tables.keyed import are_near

import sensitivity_lab as sl
from sensitivity_lab.queries import Keyed

AT_ONCE = 6  # statements of one question
CASES = int(os.environ.get("SQL_CASES", AT_ONCE))
TURN = 0 if "SQL_CASES" in os.environ else conftest.SEED % 160  # the long run asks these, too
SEED = int(os.environ.get("SQL_SEED", TURN))
NORMS = [1, 1, 2, math.inf, 0]


@pytest.fixture(scope="module", params="DSP")
def engine(request):
    """An engine for the brute force, and a connection of the package's own."""
    address = request.getfixturevalue("address") if request.param == "P" else None
    made = oracle.Engine(request.param, address)
    theirs = oracle.connected(request.param, address)
    yield made, theirs
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
    """What the package says, or a text that says why it refuses."""
    try:
        untyped = isinstance(connection, sqlite3.Connection)  # NULL alone is no key there
        keys = [f"k{i + 1}" for i in range(statement.keys)] if untyped else None
        query = sl.sql(statement.text, keys=keys or None, connection=connection)
        return sl.global_sensitivity(query, asked.universe, norm=norm, **asked.asked)
    except (ValueError, TypeError, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"


def verdict(statement, asked, norm, ours, theirs):
    """One word for a comparison; "wrong: …" where a number, a witness or a silence is."""
    if isinstance(theirs, str):
        if ours.value is None:
            return "both refuse"
        word = "open, refused" if statement.open else "refused though answerable"
        return f"{word}: {theirs}, where it is {ours.value}"
    if ours.value is None:
        return f"wrong: {theirs.value} where there is none, for {ours.why}"
    value = theirs.value if isinstance(theirs.value, float) else Fraction(theirs.value)
    if not oracle.near(ours.value, value):
        return f"wrong: {theirs.value} for {ours.value}"
    if bool(theirs.not_asked) is not ours.silent:
        return f"wrong: not_asked is {theirs.not_asked}"
    if not theirs.check():
        return f"wrong: check() denies {theirs.value}"
    return witnessed(asked, norm, ours, theirs)


def witnessed(asked, norm, ours, theirs):
    """Whether the witness is a pair of neighbours with that very gap."""
    contents = [content(asked, side) for side in theirs.witness]
    sides = {labels: oracle.content_of(asked.tables(labels)) for labels in ours.answers}
    for x, y in asked.pairs:
        if [sides[x], sides[y]] == contents and not (ours.silent and () in (x, y)):
            gap = oracle.apart(ours.answers[x], ours.answers[y], norm)
            if oracle.near(gap, theirs.value):
                return "equal"
    return f"wrong: no witness of {ours.value}: {theirs.witness}"


def content(asked, side):
    tables = side if isinstance(side, dict) else {"t": side}
    rows = {name: nw.from_native(tables[name], eager_only=True).rows() for name in asked.columns}
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
    """Catches a wrong number, a witness that has it not, a refusal of what has an answer."""
    said, faults = Counter(), []
    for seed in range(SEED, SEED + max(1, CASES // AT_ONCE)):
        for word, told in compared(engine, seed):
            said[word.split(":")[0]] += 1
            if word.startswith(("wrong", "refused")):
                faults.append(told)
    assert not faults, f"{dict(said)}\n" + "\n".join(faults)
    assert said["equal"] > said.total() / 2 or CASES == AT_ONCE


TYPE_OF = {"D": "hash(typeof({})) % 1000", "P": "hashtext(pg_typeof({})::text) % 1000"}


@pytest.mark.parametrize("library", in_turn(oracle.LIBRARIES))
@pytest.mark.parametrize("engine", "DP", indirect=True)  # sqlite has types of values alone
def test_the_types_of_columns_are_those_of_all_datasets(engine, library):
    """Catches a type that is read off the rows of a dataset:
    wider decimals, text for what is empty.

    A dataset may be empty, and a person may have no row in this table.
    """
    who = [oracle.Column("who", "whole", pa.int64(), cells) for cells in ([1, 1, 2, 3], [3, 4])]
    columns = oracle.drawn(random.Random(conftest.SEED), library, oracle.TABLES["t"], 4)
    rows, beside = oracle.frame(library, columns), oracle.frame(library, [who[1]])
    brought = {"t": oracle.frame(library, [who[0], *columns]), "v": beside}
    told = TYPE_OF[engine[0].letter]
    each = [f"{told.format(f'(SELECT {c.name} FROM t LIMIT 1)')} AS {c.name}" for c in columns]
    text = f"SELECT {', '.join(each)} FROM (SELECT COUNT(*) FROM t) AS q"
    for universe in sl.Universe.population(rows, name="t"), sl.Universe.people(brought, id="who"):
        query = sl.sql(text, connection=engine[1])
        asked = {"size": 1, "relation": sl.SymmetricDifference(1)}
        found = sl.global_sensitivity(query, universe, **asked)
        assert (found.value, found.not_asked, found.check()) == (0, (), True), columns


# ruff: disable[E501]
@pytest.mark.parametrize(
    ("engines", "asked"),
    [
        ("D", "FIRST(x) FROM t"),
        ("D", "MODE(x) FROM t"),
        ("DSP", "COALESCE(SUM(ABS(d)), 0) FROM (SELECT x - LAG(x) OVER () AS d FROM t) AS q"),
        ("DSP", "x AS k1, COUNT(*) FROM (SELECT x FROM t LIMIT 2) AS q GROUP BY x"),
        ("DSP", "SUM(CASE r WHEN 2 THEN 3 ELSE 1 END * x) FROM (SELECT x, ROW_NUMBER() OVER () AS r FROM t) AS q"),
        ("DSP", "MAX(s) FROM (SELECT SUM(x) OVER (ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM t) AS q"),
    ],
)  # fmt: skip
# ruff: enable[E501]
def test_an_order_that_is_not_said_is_refused(engine, engines, asked):
    """Catches what rests on the order alone, or is the same forwards and backwards."""
    if engine[0].letter in engines:
        keys = "k1" if "k1" in asked else None
        query = sl.sql(f"SELECT {asked}", connection=engine[1], keys=keys)
        frame = pd.DataFrame({"x": range(7)})  # of three rows 35 datasets, which go together
        universe = sl.Universe.population(frame, name="t")
        with refused(ValueError, "order of rows", "ORDER BY"):
            query(frame)
        with refused(ValueError, "order of rows", "ORDER BY"):
            sl.global_sensitivity(query, universe, size=3, relation=sl.Change(1))


SAID = [s for s in oracle.OF_ROWS if "D" in s.engines and not (s.open or "rates" in s.text)]


@pytest.mark.parametrize("said", a_third(a_third(SAID)), ids=lambda said: said.text)
def test_many_datasets_together_are_answered_as_each_alone(said):
    """Catches a row that is lost, or comes twice, where DuckDB answers all datasets in one plan."""
    rng = random.Random(said.text)
    library = rng.choice(oracle.LIBRARIES)
    frame = oracle.frame(library, oracle.drawn(rng, library, oracle.TABLES["t"], 8))
    universe = sl.Universe.population(frame, name="t")
    query = sl.sql(said.text, keys=["k1", "k2"] if " AS k2" in said.text else None)
    given = query.giver(universe)
    datasets = [one for size in (1, 2, 3) for one in combinations(range(universe.distinct), size)]
    together = query.function.answers_together(given, datasets) or [None] * len(datasets)
    for one, found in a_third([*zip(datasets, together, strict=True)]):
        alone = query.answer(given(one))
        by_key = Keyed(list(alone.labels), list(alone)) if hasattr(alone, "labels") else alone
        assert found is None or are_near(found, by_key), one
