"""Systems that answer SQL: the exact values beside their claims."""

import math
import re
import sqlite3
from collections import Counter
from contextlib import closing
from itertools import combinations, combinations_with_replacement, product

import pytest
from form import some
from sensitivity_board.cases import systems

ALL = [
    (name, claim) for name in systems.SYSTEMS for _, claim in systems.stated_claims(name).iterrows()
]
CLAIMS = [(name, claim) for name, claim in ALL if claim["quantity"][:2] in systems.NORMS]


# --- the tables ---------------------------------------------------------------------------------


def test_limits_are_read():
    """Catches people who may bring more, or another relation, than a system was told."""
    person = systems.Limits.read("person; groups 2; rows per group 1")
    assert (person.rows, person.groups) == (1, 2)
    assert person.allow((("art", 0), ("law", 0)))
    assert not person.allow((("art", 0), ("art", 1)))
    assert systems.Limits.read("row; rows 2").words == "at most 2 rows added or removed"
    assert str(systems.Limits.read("row; rows 2").relation) == "SymmetricDifference(2)"
    assert str(systems.Limits.read("person; rows 2").relation) == "SymmetricDifference(1)"
    assert str(systems.Limits.read("change; rows 1").relation) == "Change(1)"


# --- the exact values by another route: SQLite, one database after another ------------------------


def answer(statement, tables):
    """What SQLite says: numbers by key."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for name, (columns, rows) in tables.items():
            connection.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
            marks = ", ".join("?" * len(columns))
            connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
        return {row[:-1]: row[-1] for row in connection.execute(statement).fetchall()}


def gap(one, other, norm):
    differences = [abs(one.get(key, 0) - other.get(key, 0)) for key in one.keys() | other.keys()]
    return sum(differences) if norm == "L1" else math.hypot(*differences)


def brute_force(statement, limits, norm):
    """The widest gap, over databases that are made here from lists of rows."""
    limits = systems.Limits.read(limits)
    words = set(re.findall(r"\w+", statement))
    tables = [table for table in systems.COLUMNS if table in words]
    read = {
        table: [column for column in systems.COLUMNS[table] if column in words] for table in tables
    }
    if "person" in words and limits.unit != "person":
        read = {"staff": ["person", *read["staff"]]}
    if limits.unit == "person":
        pairs = person_pairs(limits, read)
    else:
        pairs = row_pairs(limits, read)
    return max(
        gap(answer(statement, PUBLIC | one), answer(statement, PUBLIC | other), norm)
        for one, other in pairs
    )


PUBLIC = {"districts": (["city", "district"], systems.DISTRICTS)}


def person_pairs(limits, read):
    """Databases of nobody or of one other person, without and with somebody."""
    id = "person" if "staff" in read else "customer"
    choices = {}
    for table, columns in read.items():
        rows = list(product(*(systems.VALUES[column] for column in columns)))
        most = 1 if table == "customers" else limits.rows * (limits.groups or 1)
        bundles = [b for n in range(1, most + 1) for b in combinations_with_replacement(rows, n)]
        if limits.groups:
            each = [Counter(row[0] for row in bundle) for bundle in bundles]
            bundles = [
                b for b, n in zip(bundles, each, strict=True) if max(n.values()) <= limits.rows
            ]
        choices[table] = bundles

    def database(*people):
        return {
            table: (
                [id, *read[table]],
                [(who, *row) for who, person in enumerate(people) for row in person[place]],
            )
            for place, table in enumerate(read)
        }

    everybody = list(product(*choices.values()))
    for person in everybody:
        yield database(), database(person)
        yield database(everybody[0]), database(everybody[0], person)


def row_pairs(limits, read):
    """Tables of up to two rows, and those with `rows` more; or two tables that differ in one."""
    ((table, columns),) = read.items()
    columns = columns or ["person"]
    rows = list(product(*(systems.VALUES[column] for column in columns)))
    if limits.unit == "change":
        for kept, gone, new in product(rows, repeat=3):
            yield {table: (columns, [kept, gone])}, {table: (columns, [kept, new])}
        return
    for added in combinations_with_replacement(rows, limits.rows):
        for others in [(), *((row,) for row in rows[:2])]:
            yield {table: (columns, others)}, {table: (columns, [*others, *added])}
    for gone, new in combinations(rows, 2) if limits.rows == 2 else ():
        yield {table: (columns, [gone])}, {table: (columns, [new])}


PARTS = sorted(
    {
        (claim["quantity"].split(" of ", 1)[1], claim["parameters"], claim["quantity"][:2])
        for _, claim in CLAIMS
    }
)


@pytest.mark.parametrize("limits", some(sorted({limits for _, limits, _ in PARTS})))
def test_exact_values_are_those_of_sqlite(limits):
    """Catches people or rows beyond the limits, and a statement that the engines read otherwise."""
    for part, asked, norm in PARTS:
        if asked == limits:
            found = systems.exact_part(part, limits, norm)
            expected = brute_force(systems.parts()[part], limits, norm)
            assert float(found.value) == pytest.approx(expected), (part, limits, norm)
