"""SQL by brute force: typed tables, statements, and engines that are asked one dataset at a time.

The package is called for universes and relations alone. A dataset is put into tables of the
declared types by the engine's own client, in several orders of its rows; neighbours are found by
`oracle_rows`, from labels. What differs by order, fails or is NULL has no answer.

A statement is written with the engines that read it (D for DuckDB, S for SQLite, P for PostgreSQL),
and with ~ where its text leaves the order of rows open: there a refusal is right, too. Columns that
are keys are named k1, k2. Of people there are the tables u and v, too; `rates` is public.

    t: who, k text, a b whole numbers, x decimal, f float, d date, m moment, o truth
    u: who, c whole number, g text, d date        v: who, e whole number
"""

import datetime
import itertools
import math
import re
import sqlite3
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import duckdb
import numpy as np
import oracle_rows
import pandas as pd
import polars as pl
import psycopg
import pyarrow as pa

import sensitivity_lab as sl

ALL = "a, b, k, x, f, d, m, o"  # an order in which only equal rows tie
RATES = "('ann', 2), ('ann', 5), ('bob', 1), (NULL, 9)"  # the rows of the public table


class Statement(NamedTuple):
    text: str
    engines: str
    open: bool = False  # may depend on the order of rows

    @property
    def keys(self):
        return len(set(re.findall(r" AS (k\d)\b", self.text)))


# ruff: disable[E501]
ONE = """
DSP  CASE WHEN COUNT(*) = 0 THEN -5 ELSE COUNT(*) END FROM t
DSP  CASE WHEN COALESCE(MAX(d), '2024-1-5') < '2024-01-10' THEN 1 ELSE 0 END FROM t
DSP  CASE WHEN COALESCE(MAX(x), '7.5') > '7' THEN 1 ELSE 0 END FROM t
DSP  k AS k1, COALESCE(SUM(a), 0), COALESCE(MAX(b), 0) AS m FROM t GROUP BY k
DSP  k AS k1, d AS k2, COUNT(*) FROM t GROUP BY k, d
DSP  SUM(COALESCE(s, 7)) FROM (SELECT SUM(a) AS s FROM t UNION ALL SELECT SUM(b) FROM t) AS q
DSP  COUNT(*) FROM t AS p LEFT JOIN t AS q ON p.a < q.a AND p.k = q.k WHERE q.a IS NULL
DSP  COALESCE((SELECT MAX(b) FROM t WHERE k = 'ann'), 0) - (SELECT COUNT(*) FROM t)
DSP  COALESCE(SUM(r * b), 0) FROM (SELECT b, ROW_NUMBER() OVER (ORDER BY {ALL}) AS r FROM t) AS q
DSP~ COALESCE(SUM(r * b), 0) FROM (SELECT b, ROW_NUMBER() OVER (ORDER BY k) AS r FROM t) AS q
DSP  COALESCE(SUM(ABS(b - s)), 0) FROM (SELECT b, LEAD(b) OVER (ORDER BY {ALL}) AS s FROM t) AS q
DSP  COALESCE(SUM(s * b), 0) FROM (SELECT b, NTILE(2) OVER (ORDER BY b) AS s FROM t) AS q
DSP  COALESCE(SUM(b), 0) FROM (SELECT b FROM t ORDER BY {ALL} LIMIT 1 OFFSET 1) AS q
DSP~ k AS k1, s FROM (SELECT k, SUM(COALESCE(b, 0)) AS s FROM t GROUP BY k ORDER BY s DESC LIMIT 1) AS q
DSP  k AS k1, s FROM (SELECT k, SUM(COALESCE(b, 0)) AS s FROM t GROUP BY k ORDER BY s DESC, k LIMIT 1) AS q
DSP  COALESCE(AVG(b), 0) FROM (SELECT b, ROW_NUMBER() OVER (ORDER BY b) AS r, COUNT(*) OVER () AS n FROM t) AS q WHERE r IN ((n + 1) / 2, (n + 2) / 2)
DSP  COALESCE(SUM(b * r), 0) FROM t JOIN rates USING (k)
DSP  rates.k AS k1, COUNT(t.a) FROM rates LEFT JOIN t ON t.k = rates.k GROUP BY rates.k
DP   COALESCE(SUM(EXTRACT(hour FROM m)), 0) FROM t
DP   EXTRACT(day FROM COALESCE(MAX(d), '2024-1-5')) FROM t
DP   COALESCE(SUM(b), 0) FROM (SELECT DISTINCT ON (k) b FROM t ORDER BY k, {ALL}) AS q
DP~  COALESCE(SUM(b), 0) FROM (SELECT DISTINCT ON (k) b FROM t) AS q
DP~  COALESCE(LENGTH(STRING_AGG(k, ',')), 0) FROM t
DP   COALESCE(SUM(q.n), 0) FROM t LEFT JOIN LATERAL (SELECT s.b AS n FROM t AS s WHERE s.b < t.b ORDER BY s.b DESC LIMIT 1) AS q ON TRUE
DP   COUNT(*), COALESCE(SUM(s), 0) AS m FROM (SELECT k, SUM(b) AS s FROM t GROUP BY ROLLUP (k)) AS q
DP   COALESCE(PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY f), 0) FROM t
DP~  COALESCE(MODE() WITHIN GROUP (ORDER BY b), 0) FROM t
DP   COALESCE(MAX(s), 0) FROM (SELECT COUNT(*) OVER (ORDER BY d RANGE BETWEEN INTERVAL '3 days' PRECEDING AND CURRENT ROW) AS s FROM t WHERE d IS NOT NULL) AS q
DP   q.k AS k1, COUNT(t.a) FROM (VALUES ('ann'), ('zoe')) AS q(k) LEFT JOIN t ON t.k = q.k GROUP BY q.k
D    COALESCE(MAX(strftime(d, '%d')::INTEGER), 0) FROM t
D    date_trunc('month', d) AS k1, COUNT(*) FROM t GROUP BY ALL
D    COALESCE(LENGTH(MAX(x)::VARCHAR), 0) FROM t
D~   COALESCE(ARG_MAX(b, k), 0) FROM t
D~   COALESCE(SUM(b), 0) FROM (FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY k) = 1)
D~   COALESCE(SUM(q.b), 0) FROM t AS p ASOF JOIN t AS q ON p.k = q.k AND p.d >= q.d
D    COALESCE(SUM(b::TINYINT + 100::TINYINT), 0) FROM t
D    COUNT(*) FROM t AS p POSITIONAL JOIN t AS q
D    COALESCE(k, '') AS k1, GROUPING(k) = 1 AS k2, COUNT(*) FROM t GROUP BY ROLLUP (k)
D    COUNT(*) FROM (SELECT 1 FROM t LIMIT (SELECT COUNT(*) - 1 FROM t))
D    5 FROM t HAVING COUNT(*) >= 0 -- with a comment
S    COALESCE(LENGTH(GROUP_CONCAT(k)), 0), TOTAL(b) AS m FROM t
S    COALESCE(SUM(julianday(d) - julianday('2024-01-01')), 0) FROM t
S    substr(d, 1, 7) AS k1, COUNT(*) FROM t GROUP BY 1
S    COUNT(*) FROM t WHERE typeof(a) = 'integer' AND typeof(x) = 'real'
S~   COALESCE(SUM(rowid * b), 0) FROM t
S~   COALESCE(SUM(b), 0) FROM (SELECT b, MAX(a) FROM t GROUP BY k)
S~   COALESCE(json_group_array(b) -> 1, 0) FROM t
"""
WHOLE = """
DSP  WITH t AS (SELECT * FROM t WHERE b > 0) SELECT COALESCE(SUM(b), 0) AS n FROM t
DSP  WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < (SELECT COUNT(*) FROM t)) SELECT SUM(n) AS n FROM r
DSP  WITH c AS (SELECT SUM(a) AS s FROM t UNION ALL SELECT SUM(b) FROM t) SELECT SUM(COALESCE(s, 7)) AS n FROM c
"""
PEOPLE = """
DSP  COALESCE(SUM(t.b * u.c), 0) FROM t LEFT JOIN u USING (who)
DSP  COUNT(*) FROM (SELECT who FROM t UNION SELECT who FROM u) AS q
DSP  SUM(COALESCE(s, 7)) FROM (SELECT SUM(b) AS s FROM t UNION ALL SELECT SUM(c) FROM u) AS q
DSP  COALESCE(SUM(c), 0) FROM (SELECT c, ROW_NUMBER() OVER (PARTITION BY who ORDER BY c DESC) AS r FROM u) AS q WHERE r = 1
DSP~ COALESCE(SUM(c), 0) FROM (SELECT c, ROW_NUMBER() OVER (PARTITION BY who) AS r FROM u) AS q WHERE r = 1
DSP  CASE WHEN COALESCE(MAX(d), '2024-1-5') < '2024-01-10' THEN 1 ELSE 0 END FROM u
DSP  COUNT(*) FROM t JOIN u USING (who) LEFT JOIN v USING (who)
DP   (SELECT COUNT(*) FROM t) + EXTRACT(day FROM (SELECT COALESCE(MAX(d), '2024-1-5') FROM u))
"""
# ruff: enable[E501]


def listed(lines, opening="SELECT "):
    parts = [line.split(maxsplit=1) for line in lines.replace("{ALL}", ALL).strip().splitlines()]
    return [Statement(opening + text, word.strip("~"), "~" in word) for word, text in parts]


OF_ROWS = listed(ONE) + listed(WHOLE, "")
OF_PEOPLE = listed(PEOPLE)


# -- statements at random ---------------------------------------------------------------------

NUMBERS = ["a", "b", "x", "f", "COALESCE(a, 0)", "NULLIF(b, 1)", "ABS(b)", "(a + b)", "(a - x)"]
TOTALS = ["SUM({})", "MIN({})", "MAX({})", "AVG({})", "COUNT({})", "COUNT(DISTINCT {})"]
CONDITIONS = [
    "t.a > 1", "t.k = 'ann'", "t.d < '2024-02-01'", "t.o", "t.a IS NULL", "t.b IN (1, 5)",
    "t.x >= 8.5", "t.f <> 0.5", "t.m > '2024-01-15'", "t.b NOT IN (SELECT i.a FROM t AS i)",
    "t.k LIKE '%n%'", "EXISTS (SELECT 1 FROM t AS i WHERE i.a > t.b)",
    "t.b >= (SELECT AVG(i.b) FROM t AS i)",
    "t.b = (SELECT MAX(i.b) FROM t AS i WHERE i.k = t.k)",
]  # fmt: skip
SOURCES = [
    "t", "t", "(SELECT DISTINCT * FROM t) AS t", "(SELECT * FROM t WHERE {}) AS t",
    "(SELECT * FROM t UNION ALL SELECT * FROM t) AS t",
    "(SELECT * FROM t UNION SELECT * FROM t) AS t",
    "(SELECT * FROM t EXCEPT SELECT * FROM t WHERE a > 1) AS t",
    f"(SELECT * FROM t ORDER BY {ALL} LIMIT 2) AS t",
    "(SELECT t.*, RANK() OVER (PARTITION BY k ORDER BY b) AS w FROM t) AS t",
    "t JOIN (SELECT k AS j, MAX(b) AS w FROM t GROUP BY k) AS q ON q.j = t.k",
    "t LEFT JOIN (SELECT b AS j FROM t WHERE b > 0) AS q ON q.j > t.b",
]  # fmt: skip


def composed(rng):
    """A statement put together from parts, which no order of rows can change."""

    def condition():
        words = rng.choice(["{}", "{}", "{}", "{} AND {}", "{} OR {}", "NOT ({})"])
        return words.format(*rng.choices(CONDITIONS, k=2))

    def total():
        number = rng.choice(NUMBERS)
        if rng.random() < 0.3:
            number = f"CASE WHEN {condition()} THEN {number} ELSE {rng.choice(NUMBERS)} END"
        word = rng.choice(TOTALS)
        filtered = f" FILTER (WHERE {rng.choice(CONDITIONS)})" if rng.random() < 0.25 else ""
        asked = rng.choice([word.format(number)] * 4 + ["COUNT(*)"]) + filtered
        return f"COALESCE({asked}, {rng.choice([0, 0, 7])})" if rng.random() < 0.85 else asked

    source = rng.choice(SOURCES).format(condition())
    where = f" WHERE {condition()}" if rng.random() < 0.5 else ""
    key = rng.choice(["", "", "t.k", "t.d"])
    keyed, group = (f"{key} AS k1, ", f" GROUP BY {key}") if key else ("", "")
    having = f" HAVING {total()} > {rng.choice([0, 1])}" if key and rng.random() < 0.3 else ""
    second = f", {total()} AS second" if rng.random() < 0.3 else ""
    return Statement(
        f"SELECT {keyed}{total()} AS first{second} FROM {source}{where}{group}{having}", "DSP"
    )


# -- typed tables -----------------------------------------------------------------------------

DAY, NOON = datetime.date, datetime.datetime
POOLS = {  # the cells that a column may hold, and its kind
    "k": ("text", [["ann", "bob", None], ["bob", "", "ünï"], ["ann", "bob"], ["10", "9", "ann"]]),
    "a": ("whole", [[0, 1, 2, None], [0, 1, 3], [2**63 - 1, -(2**63), 1], [127, -128, 3]]),
    "b": ("whole", [[0, 1, 5, None], [0, 2, 5], [1, 4, 100], [0, 50, 100]]),
    "x": ("decimal", [
        [Decimal("8.00"), Decimal("9.00"), None], [Decimal("10.50"), Decimal("12.25")],
        [Decimal("1" * 30 + ".00"), Decimal("1.01")], [Decimal(8), Decimal("9.125")],
    ]),
    "f": ("float", [[0.5, 1.5, -2.0, None], [0.1, 0.2, 0.7], [1e300, 1.0, None]]),
    "d": ("date", [
        [DAY(2024, 1, 3), DAY(2024, 1, 15), DAY(2024, 2, 1), None],
        [DAY(2024, 2, 1), DAY(2024, 3, 1)],
    ]),
    "m": ("moment", [
        [NOON(2024, 1, 15, 8), NOON(2024, 1, 15, 9, 30), None],
        [NOON(2024, 2, 1), NOON(2024, 3, 1, 23)],
    ]),
    "o": ("truth", [[True, False, None], [True, False]]),
    "c": ("whole", [[0, 1, 2, 7], [1, None, 5]]),
    "g": ("text", [["x", "y", None]]),
    "e": ("whole", [[1, 9], [3, None]]),
}  # fmt: skip
TABLES = {"t": "kabxfdmo", "u": "cgd", "v": "e"}


LIBRARIES = ["pandas", "pandas of objects", "pandas nullable", "polars", "pyarrow"]
NULLABLE = {
    pa.int64(): pd.Int64Dtype(), pa.int32(): pd.Int32Dtype(), pa.int16(): pd.Int16Dtype(),
    pa.int8(): pd.Int8Dtype(), pa.float64(): pd.Float64Dtype(), pa.bool_(): pd.BooleanDtype(),
    pa.string(): pd.StringDtype(),
}  # fmt: skip


class Column(NamedTuple):
    """A column's name, kind, type as pyarrow knows it, and cells of all rows of the universe."""

    name: str
    kind: str
    dtype: pa.DataType
    cells: list


def types_of(library, kind, cells):
    """The types that hold some cells, the first as a library takes it from lists of Python's."""
    held = [cell for cell in cells if cell is not None]
    if kind == "whole":
        if library.startswith("pandas") and library != "pandas nullable" and None in cells:
            return [pa.float64()]
        ends = {n: range(-(2 ** (n - 1)), 2 ** (n - 1)) for n in (64, 32, 16, 8)}
        return [getattr(pa, f"int{n}")() for n in ends if all(v in ends[n] for v in held)]
    if kind == "decimal":
        scale = max(-number.as_tuple().exponent for number in held)
        digits = max(len(str(abs(int(number)))) for number in held) + scale
        wider = [] if library.startswith("pandas") else [max(digits, 18)]
        return [pa.decimal128(n, scale) for n in (digits, *wider)]
    return {
        "text": [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())],
        "float": [pa.float64()],
        "date": [pa.date32()],
        "moment": [pa.timestamp("us"), pa.timestamp("ns")],
        "truth": [pa.bool_()],
    }[kind]


def frame(library, columns):
    """A table of a library with exactly these types."""
    made = arrow(columns)
    if library in ("polars", "pyarrow"):
        return pl.from_arrow(made) if library == "polars" else made
    if library == "pandas nullable":
        return made.to_pandas(types_mapper=NULLABLE.get)
    of_objects = [c.name for c in columns if library != "pandas" and c.kind in ("text", "truth")]
    return made.to_pandas().astype(dict.fromkeys(of_objects, object))


def arrow(columns):
    return pa.table({c.name: pa.array(c.cells, c.dtype) for c in columns})


# -- engines ----------------------------------------------------------------------------------

STANDARD = {"whole": "bigint", "decimal": "numeric", "float": "double precision", "text": "text",
            "date": "date", "moment": "timestamp", "truth": "boolean"}  # fmt: skip


def declared(letter, column):
    kind = "float" if column.dtype == pa.float64() else column.kind
    return "real" if (letter, kind) == ("S", "decimal") else STANDARD[kind]


def for_sqlite(cell):
    """sqlite has no dates, decimals or booleans: ISO text, floats, 0 and 1."""
    if isinstance(cell, Decimal):
        return float(cell)
    return cell.isoformat(*" "[: isinstance(cell, NOON)]) if isinstance(cell, DAY) else cell


class Engine:
    """An engine's own client: its tables are made once, and filled for each dataset."""

    def __init__(self, letter, address=None):
        self.letter = letter
        self.connection = connected(letter, address)
        if letter == "P":
            self.connection.prepare_threshold = None
        if letter == "D":
            # DuckDB 2.0: a SUM of BIGINT beside a LEFT JOIN that finds nothing wraps round to -2.
            self.connection.execute("SET disabled_optimizers = 'statistics_propagation'")

    def make(self, tables):
        for name, columns in tables.items():
            self.connection.execute(f"DROP TABLE IF EXISTS {name}")
            if self.letter == "D":
                self.connection.register("given", arrow(columns).slice(0, 0))
                made = "AS FROM given"
            else:
                made = f"({', '.join(f'{c.name} {declared(self.letter, c)}' for c in columns)})"
            self.connection.execute(f"CREATE TEMPORARY TABLE {name} {made}")

    def fill(self, name, rows):
        wipe = "TRUNCATE" if self.letter == "P" else "DELETE FROM"
        self.connection.execute(f"{wipe} {name}")
        if rows:
            mark = "%s" if self.letter == "P" else "?"
            each = f"({', '.join([mark] * len(rows[0]))})"
            cells = [cell for row in rows for cell in row]
            if self.letter == "S":
                cells = list(map(for_sqlite, cells))
            every = ", ".join([each] * len(rows))
            self.connection.execute(f"INSERT INTO {name} VALUES {every}", cells)

    def ask(self, statement):
        """The answer on what is in the tables: numbers, by key or not, or why none."""
        try:
            rows = self.connection.execute(statement.text).fetchall()
        except (duckdb.Error, sqlite3.Error, psycopg.Error, ValueError, OverflowError) as error:
            return f"{type(error).__name__}: {error}"
        return read(rows, statement.keys)


def connected(letter, address=None):
    """A session of an engine that has the public table."""
    if letter == "D":
        made = duckdb.connect(config={"threads": "1"})
    elif letter == "S":
        made = sqlite3.connect(":memory:", isolation_level=None)
    else:
        made = psycopg.connect(address, autocommit=True)
    made.execute("CREATE TEMPORARY TABLE rates (k varchar(9), r bigint)")
    made.execute(f"INSERT INTO rates VALUES {RATES}")
    return made


def read(rows, keys):
    """What rows mean, or a text that says why they mean nothing."""
    for row in rows:
        for cell in row[keys:]:
            if cell is None:
                return "NULL"
            if isinstance(cell, (str, bool)) or not math.isfinite(cell):
                return f"no number: {cell}"
    if not keys:
        return tuple(rows[0]) if len(rows) == 1 else f"{len(rows)} rows"
    by = {row[:keys]: tuple(row[keys:]) for row in rows}
    return by if len(by) == len(rows) else "one key twice"


def alike(one, other):
    """Whether two answers are one, but for the rounding of floats in another order."""
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and isinstance(other, str)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    return all(map(near, one, other))


def near(one, other):
    """Equal, or within 1e-9 where either is a float."""
    if isinstance(one, float) or isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-11)
    return Fraction(one) == Fraction(other)


def apart(one, other, norm):
    """How far two answers are apart, by the definition; a missing key is 0, or none at all."""
    one, other = (
        {(key, i): Fraction(cell) for key, cells in by.items() for i, cell in enumerate(cells)}
        for by in (by if isinstance(by, dict) else {None: by} for by in (one, other))
    )
    found = oracle_rows.gap(one, other, 1 if norm and len(one | other) == 1 else norm)
    return float(found) if isinstance(found, Decimal) else found


def arrangements(rng, tables):
    """All orders of three rows or fewer of one table; else some, none reversed."""
    if [len(rows) <= 3 for rows in tables.values()] == [True]:
        ((name, rows),) = tables.items()
        return [{name: order} for order in itertools.permutations(rows)]
    shuffled = [{n: rng.sample(r, len(r)) for n, r in tables.items()} for _ in range(7)]
    return [tables, {name: rows[::-1] for name, rows in tables.items()}, *shuffled]


# -- universes --------------------------------------------------------------------------------


class Question(NamedTuple):
    """A universe of the package, what it means in plain rows, and which pairs are asked about."""

    universe: object
    columns: dict  # by table
    records: list  # each the rows that it brings, by table
    pairs: list  # (dataset, neighbour), as tuples of places among the records
    asked: dict  # size and relation, as the package is asked
    told: str

    def tables(self, labels):
        return {
            name: [row for label in labels for row in self.records[label][name]]
            for name in self.columns
        }


def question(rng):
    """A random universe, size and relation."""
    library = rng.choice(LIBRARIES)
    shape = rng.choice(["population", "population", "range", "product", "people", "people"])
    kind = rng.choice(oracle_rows.RELATIONS)
    size = rng.choice([0, 1, 1, 2, 2, 2, 3, range(1, 3), range(3)])
    k = rng.choice([1, 1, 1, 2])
    universe, columns, records = (people if shape == "people" else rows_of)(rng, library, shape)
    if shape in ("population", "people"):
        pairs = oracle_rows.of_population(len(records), size, kind, k)
    else:
        size, k = 2 if size == 3 else size, 1
        pairs = oracle_rows.of_range(len(records), size, kind, k)
    relation = getattr(sl, kind)(k)
    types = {name: [f"{c.name}: {c.dtype}" for c in each] for name, each in columns.items()}
    told = f"{library} {shape}, {relation}, size {size}, of {records}, typed {types}"
    return Question(universe, columns, records, pairs, {"size": size, "relation": relation}, told)


def drawn(rng, library, names, count):
    """The columns of a table with random cells; a column without any has no type in pandas."""
    made = []
    for name in names:
        kind, pools = POOLS[name]
        pool = rng.choice(pools)
        cells = [rng.choice(pool) for _ in range(count)]
        if not any(cell is not None for cell in cells):
            cells[-1] = pool[0]
        made.append(Column(name, kind, rng.choice(types_of(library, kind, cells)), cells))
    return made


def rows_in(columns):
    return list(zip(*(c.cells for c in columns), strict=True))


def rows_of(rng, library, shape):
    """A population or a range of three to five rows, or all rows of a few cells."""
    if shape == "product":
        several = rng.sample(TABLES["t"], rng.choice([1, 2, 2]))
        given = {name: rng.choice(POOLS[name][1]) for name in TABLES["t"]}
        given = {n: rng.sample(pool, 2) if n in several else pool[:1] for n, pool in given.items()}
        rows = list(itertools.product(*given.values()))
        columns = []
        for name, cells in zip(given, map(list, zip(*rows, strict=True)), strict=True):
            kind = POOLS[name][0]
            columns.append(Column(name, kind, types_of("pandas", kind, cells)[0], cells))
        universe = sl.Universe.product(name="t", **given)
    else:
        is_range = shape == "range"
        columns = drawn(rng, library, TABLES["t"], 3 if is_range else rng.choice([3, 4, 5, 5]))
        make = sl.Universe.value_range if is_range else sl.Universe.population
        universe, rows = make(frame(library, columns), name="t"), rows_in(columns)
        rows = list(dict.fromkeys(rows)) if is_range else rows
    return universe, {"t": columns}, [{"t": [row]} for row in rows]


def people(rng, library, shape):
    """Three or four people; each may have rows in one table, in some, or in all."""
    out_of_order = [("whole", [7, 3, 11, 5]), ("text", ["c", "a", "ünï", "b"])]
    kind, names = rng.choice(out_of_order)
    somebody = rng.sample(names, rng.choice([3, 4]))
    columns = {}
    for name in rng.choice([("t", "u"), ("t", "u"), ("t", "u", "v")]):
        who = [rng.choice(somebody) for _ in range(rng.randint(1, 4))]
        id_ = Column("who", kind, rng.choice(types_of(library, kind, who)), who)
        columns[name] = [id_, *drawn(rng, library, TABLES[name], len(who))]
    rows = {name: rows_in(each) for name, each in columns.items()}
    given = {name: frame(library, each) for name, each in columns.items()}
    universe = sl.Universe.people(given, id="who")
    return universe, columns, oracle_rows.people_of(rows, 0)


# -- the brute force --------------------------------------------------------------------------


class Expected(NamedTuple):
    """The greatest gap, or None with why there is none; and the answers by dataset."""

    value: object
    why: str
    answers: dict
    silent: bool = False  # the empty dataset has no answer


def expected(engine, rng, asked, statements, norm):
    """What several statements say of one question: each dataset by itself, in several orders."""
    engine.make(asked.columns)
    answers = [{} for _ in statements]
    for labels in sorted({side for pair in asked.pairs for side in pair}):
        tables = asked.tables(labels)
        for arrangement in arrangements(rng, tables):
            for name, rows in arrangement.items():
                engine.fill(name, rows)
            for statement, known in zip(statements, answers, strict=True):
                answer = engine.ask(statement)
                first = known.setdefault(labels, answer)
                if first is not None and not alike(first, answer):
                    known[labels] = None  # the order matters
    return [greatest(asked, known, norm) for known in answers]


def greatest(asked, answers, norm):
    for labels, answer in answers.items():
        if answer is None:
            return Expected(None, f"the order of {asked.tables(labels)} matters", answers)
        if isinstance(answer, str) and labels:
            return Expected(None, f"{answer} on {asked.tables(labels)}", answers)
    silent = isinstance(answers.get(()), str)
    pairs = [pair for pair in asked.pairs if not (silent and () in pair)]
    gaps = [apart(answers[x], answers[y], norm) for x, y in pairs]
    if not gaps:
        return Expected(None, "no pair is left", answers)
    return Expected(max(gaps), "", answers, silent)


def content_of(tables):
    """What a dataset holds, whatever the order of its rows."""
    return tuple(
        (name, frozenset(Counter(tuple(map(plain, row)) for row in rows).items()))
        for name, rows in sorted(tables.items())
    )


def plain(cell):
    """A cell as Python's own; every library's null is None."""
    if cell is None or cell is pd.NA or cell is pd.NaT or cell != cell:
        return None
    if isinstance(cell, pd.Timestamp):
        return cell.to_pydatetime()
    return cell.item() if isinstance(cell, np.generic) else cell
