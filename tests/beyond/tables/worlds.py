"""Universes of every kind of record, drawn at random;
beside each of them, what plain Python knows of it.

A row is (t, x, z): a text, a number, and a number that may be missing. A person is a tuple of rows;
so is any other record, of one row: a row of a table brings itself, a value what is said of it.
Tables are of any of the three libraries.
"""

import datetime
import math
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import chain, combinations_with_replacement, product, repeat

import pandas as pd
import polars as pl
import pyarrow as pa

import sensitivity_lab as sl

COLUMNS = ("t", "x", "z")
MISSING = math.inf  # what is missing comes last
WHOLE = (-2, 0, 1, 1, 3, 7)
NUMBERS = (
    WHOLE, WHOLE, (0.1, 0.25, 1e-7, 3.0), (Decimal("0.1"), Decimal("2.75")), (2**62, -(2**62), 1),
    (True, False),
)  # fmt: skip
LIBRARIES = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
}  # fmt: skip


@dataclass(frozen=True)
class Visit:
    """A record with no order of its own."""

    place: str
    days: int


class Colour(Enum):
    """Records with neither order nor number."""

    RED = 1
    BLUE = 2
    GREEN = 3


POOLS = {
    "text": ["no", "yes", "perhaps", "", "Ω"],
    "dates": [datetime.date(2024, 1, day) for day in (1, 2, 9, 30)],
    "moments": [datetime.datetime(2024, 1, 1, h, tzinfo=datetime.UTC) for h in (0, 5, 6, 23)],
    "tuples": [("law", 3), ("law", 5), ("art", 3), ("art", 0)],
    "objects": [Visit("sea", 2), Visit("sea", 9), Visit("hill", 1), Visit("hill", 4)],
    "members": list(Colour),
    "text and none": ["no", None, "yes", "perhaps"],
    "tuples with none": [("law", None), ("law", 3), (None, None), ("art", 1)],
    "bytes": [b"a", b"bcd", b""],
    "sets": [frozenset(), frozenset({1}), frozenset({1, 2}), frozenset({3})],
    "numbers": [-3, 0, 0.5, 2, 7, 100],
}


# -- rows and tables -------------------------------------------------------------------------------


def exact(cell):
    return Fraction(str(cell + 0))  # of True, 1


def some_rows(rng, most):
    """So many rows at most, of which some are equal."""
    numbers = rng.choice(NUMBERS)
    rows = [
        (rng.choice("abc"), rng.choice(numbers), rng.choice((0, 1, 4, MISSING)))
        for _ in range(most)
    ]
    return [rng.choice(rows) for _ in range(rng.randint(1, most))]


def columns_of(rows, rng):
    """Columns of pandas, whole numbers in one of several types."""
    t, x, z = zip(*rows, strict=True)
    if {*map(type, x)} == {int} and {*x} <= {*WHOLE}:
        x = pd.array(x, rng.choice(("int64", "int16", "Int64")))
    z = pd.array([None if each == MISSING else each for each in z], "Int64")
    return {"t": t, "x": x, "z": z.astype(rng.choice(("float64", "Int64")))}


def as_pandas(given):
    """A table of any library, or several, as one of pandas."""
    if isinstance(given, dict):
        return pd.concat(map(as_pandas, given.values()))
    return given if isinstance(given, pd.DataFrame) else given.to_pandas()


def plain_row(row):
    return row["t"], row["x"], MISSING if pd.isna(row["z"]) else row["z"]


def plain_rows(table):
    return [plain_row(row) for row in as_pandas(table).to_dict("records")]


def people_of(table):
    """The rows of each person of a table of numbered people."""
    people = as_pandas(table).groupby("buyer")
    return Counter(tuple(sorted(plain_rows(rows))) for _, rows in people)


def schema(given):
    """The library of a table, or of several, and the columns with their types."""
    if isinstance(given, dict):
        return {name: schema(table) for name, table in given.items()}
    kinds = given.dtypes if isinstance(given, pd.DataFrame) else given.schema
    kinds = (
        zip(kinds.names, kinds.types, strict=True) if isinstance(given, pa.Table) else kinds.items()
    )
    return type(given), [(name, kind) for name, kind in kinds if name != "buyer"]


# -- bounds on what a person brings ----------------------------------------------------------------

BOUNDS = {
    "rows": [1, 2, 5],
    "groups": [("t", 1), ("t", 2), ("x", 1), ("z", 1)],
    "clip": [{"x": (0, 2)}, {"x": (0, 1), "z": (1, 3)}],
}


def some_bounds(rng, frame):
    """Some bounds in some order, and the column by which rows come first."""
    names = [*BOUNDS] if frame["x"].dtype.kind in "if" else ["rows", "groups"]
    names = rng.sample(names, rng.randint(1, len(names)))
    return {name: rng.choice(BOUNDS[name]) for name in names}, rng.choice((None, "x", "z"))


def bounded(rows, steps, keep):
    """One person's rows after each bound, and how many rows and cells each cost."""
    costs = []
    for name, what in steps.items():
        first = COLUMNS.index(keep or "t")
        rows = before = sorted(rows, key=lambda row: (row[first], row))
        cells = 0
        if name == "rows":
            rows = rows[:what]
        elif name == "groups":
            at = COLUMNS.index(what[0])
            kept = list(dict.fromkeys(row[at] for row in rows))[: what[1]]
            rows = [row for row in rows if row[at] in kept]
        else:
            rows = [tuple(map(cut, COLUMNS, row, repeat(what))) for row in rows]
            both = zip(chain(*before), chain(*rows), strict=True)
            cells = sum(was != now for was, now in both)
        costs.append((len(before) - len(rows), cells))
    return tuple(rows), costs


def cut(column, cell, ends):
    if cell == MISSING or column not in ends:
        return cell
    low, high = ends[column]
    return min(max(cell, low), high)


# -- the kinds -------------------------------------------------------------------------------------


class Kind:
    """Some records; `everybody` is all of them, and `given` a table like the universe's."""

    limited = True  # a record is in a dataset once; else any number of times
    least = 1  # how many rows a record brings at least
    cases = 4  # that a test draws

    def made(self, source):
        """A universe of rows or values."""
        return (sl.Universe.population if self.limited else sl.Universe.value_range)(source)

    def is_solved(self, name):
        """Whether a solver must serve a query."""
        return name not in ("by", "own", "std")

    def rows_of(self, records):
        """The rows that each of some records brings."""
        return records

    def row(self, row):
        """A row, of what a function of a row is given."""
        return plain_row(row)

    def one(self, person):
        """The rows of one record, of what a function of a record is given."""
        return plain_rows(person)

    def all(self, dataset):
        """The rows of a dataset, of what a function is given."""
        return plain_rows(dataset)

    def says(self, column, rng):
        """What a query of a column may be asked of."""
        return column


class Named(Kind):
    """People with ids, out of order, whose rows may be equal, and of whom bounds may leave less."""

    def __init__(self, rng):
        days = list(pd.date_range("2024", periods=5)[[2, 0, 4, 1, 3]])
        ids = rng.choice(([10, 2, 33, 4, 5], list("badec"), [-1, 0.5, 3, 2, 9], days))
        rows = self.some_rows(rng)
        ids = (ids[: rng.randint(1, 5)] * len(rows))[: len(rows)]
        rng.shuffle(ids)
        column = pd.Categorical(ids) if "b" in ids and rng.random() < 0.5 else ids
        self.frame = pd.DataFrame({"who": column, **columns_of(rows, rng)})
        self.table = self.tables(rng, self.frame)
        self.universe = sl.Universe.people(self.table, id="who")
        self.brought = {w: [row for i, row in zip(ids, rows, strict=True) if i == w] for w in ids}
        self.people = {who: tuple(sorted(held)) for who, held in self.brought.items()}
        self.everybody = list(self.people)

    def bound(self, rng):
        """Bounds, and for each person what they cost."""
        steps, keep = some_bounds(rng, self.frame)
        self.universe = self.universe.truncated(**steps, keep=keep)
        left = {who: bounded(rows, steps, keep) for who, rows in self.brought.items()}
        self.people = {who: tuple(sorted(rows)) for who, (rows, _) in left.items()}
        return [costs for _, costs in left.values()]

    def is_solved(self, name):
        return name in ("sum", "person", "vector")

    def some_rows(self, rng):
        return some_rows(rng, 9)

    def tables(self, rng, frame):
        return LIBRARIES[rng.choice(list(LIBRARIES))](frame)

    def rows_of(self, names):
        return [self.people[name] for name in names]

    def given(self, names, rng):
        """A dataset as a caller gives it: ids, or tables in any order, of any library."""
        rows = self.frame[self.frame["who"].isin(names)]
        table = self.tables(rng, rows.sample(frac=1, random_state=rng.getrandbits(9)))
        if self.universe.source.bounds:
            table = self.universe.apply(table).table
        return rng.choice((list(names), table))

    def read(self, table):
        """The people of a table, each with all their rows; nobody is without."""
        assert schema(table) == schema(self.table)
        table = as_pandas(table)
        names = [who for who in self.people if (table["who"] == who).any()]
        for who in names:
            assert tuple(sorted(plain_rows(table[table["who"] == who]))) == self.people[who]
        assert len(table) == sum(map(len, self.rows_of(names)))
        return Counter(names)


class Two(Named):
    """People with rows in one of two tables, or in both."""

    def is_solved(self, name):
        return name == "person"

    def some_rows(self, rng):
        return [(rng.choice((t, "visit")), x, z) for t, x, z in some_rows(rng, 9)]

    def tables(self, rng, frame):
        parts = {"orders": frame[frame["t"] != "visit"], "visits": frame[frame["t"] == "visit"]}
        return {name: super(Two, self).tables(rng, part) for name, part in parts.items()}


class Anybody(Kind):
    """People who bring from so many to so many rows each, or what bounds leave of them."""

    limited = False

    def __init__(self, rng):
        rows = some_rows(rng, 3)
        if rng.random() < 0.3:
            rows = rng.sample([*product("ab", (0, 7), (1, MISSING))], rng.randint(2, 4))
        most = rng.randint(0, 3)
        self.least = rng.randint(0, most)
        self.frame = pd.DataFrame(columns_of(rows, rng))
        self.table = LIBRARIES[rng.choice(list(LIBRARIES))](self.frame)
        made = rng.choice((self.table, sl.Universe.value_range(self.table)))
        self.universe = sl.Universe.people(made, most_rows=most, id="buyer", least_rows=self.least)
        kinds, numbers = sorted({*rows}), range(self.least, most + 1)
        self.everybody = [p for n in numbers for p in combinations_with_replacement(kinds, n)]
        self.any_mix = True

    def bound(self, rng):
        """Bounds, and everybody before them and after."""
        steps, keep = some_bounds(rng, self.frame)
        self.universe = self.universe.truncated(**steps, keep=keep)
        before = self.everybody
        left = [tuple(sorted(bounded(person, steps, keep)[0])) for person in before]
        self.everybody = list(dict.fromkeys(left))
        self.any_mix = "groups" not in steps
        return list(zip(before, left, strict=True))

    def is_solved(self, name):
        of_rows = name != "std" if self.least else name in ("sum", "count_distinct", "histogram")
        is_vector = name in ("person", "vector")
        return is_vector or (self.any_mix and of_rows and name not in ("by", "own"))

    def given(self, people, rng):
        """A dataset as a caller gives it: lists of rows, or a table where all bring some."""
        if all(people) and people and rng.random() < 0.5:
            return self.numbered(people, rng)
        return [[(t, x, None if z == MISSING else z) for t, x, z in rows] for rows in people]

    def numbered(self, people, rng):
        """A table in which people have numbers."""
        numbers = [9 - i for i, rows in enumerate(people) for _ in rows]
        return pd.DataFrame({"buyer": numbers, **columns_of(chain(*people), rng)})

    def read(self, table):
        """The people of a table by their numbers; some may be besides who bring nothing."""
        assert schema(table) == schema(self.table)
        return people_of(table)


class Rows(Kind):
    """Rows of one table, each in a dataset once or any number of times."""

    cases = 8

    def __init__(self, rng):
        rows, self.limited = some_rows(rng, 4), rng.random() < 0.6
        t = [row[0] for row in rows]
        c = pd.Categorical(t, categories=["c", "a", "d", "b"], ordered=True)
        hours = pd.to_datetime(
            ["abc".index(each) for each in t], unit="h", origin="2024-03-31", utc=True
        )
        at = hours.tz_convert("Europe/Vienna")
        b = [each == "b" for each in t]
        self.frame = pd.DataFrame({**columns_of(rows, rng), "c": c, "at": at, "b": b})
        self.table = LIBRARIES[rng.choice(list(LIBRARIES))](self.frame)
        self.universe = self.made(self.table)
        self.everybody = [(row,) for row in rows]

    def one(self, row):
        return [plain_row(row)]

    def says(self, column, rng):
        return rng.choice((column, lambda row: row[column]))

    def given(self, records, rng):
        """A dataset as a caller gives it: tuples, or a table of any library."""
        rows = self.frame.iloc[[self.everybody.index(record) for record in records]]
        cells = rows.itertuples(index=False, name=None)
        tuples = [tuple(None if pd.isna(cell) else cell for cell in row) for row in cells]
        return rng.choice((tuples, *(make(rows) for make in LIBRARIES.values())))

    def read(self, table):
        assert schema(table) == schema(self.table)
        return Counter((row,) for row in plain_rows(table))


class Values(Kind):
    """Text, dates, tuples, objects, numbers: functions receive tuples of them."""

    cases = 20

    def __init__(self, rng):
        self.name, self.limited = rng.choice(list(POOLS)), rng.random() < 0.6
        pool = POOLS[self.name]
        self.everybody = [pool[0], *rng.choices(pool, k=rng.randint(0, 4))]
        self.universe = self.made(self.everybody)

    def rows_of(self, records):
        return [(self.row(record),) for record in records]

    def row(self, record):
        """A text and numbers that tell most records from each other, whatever they are."""
        weight = 0 if record is None else sum(map(ord, repr(record))) % 11
        return repr(record)[-2:-1], record if self.name == "numbers" else weight - 3, weight % 3

    def one(self, record):
        return [self.row(record)]

    def all(self, dataset):
        return list(map(self.row, dataset))

    def says(self, column, rng):
        if (self.name, column) == ("numbers", "x"):
            return None  # of the numbers themselves
        return lambda record: self.row(record)[COLUMNS.index(column)]

    def given(self, records, rng):
        return list(records)

    def read(self, dataset):
        assert isinstance(dataset, tuple)
        return Counter(dataset)
