"""Systems that answer SQL: the exact values by SQLite, one database after another."""

import math
import re
import sqlite3
from collections import Counter
from contextlib import closing
from itertools import combinations, combinations_with_replacement, product

import pytest
from form import some
from sensitivity_board.cases import systems


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


PUBLIC = {"districts": (["city", "district"], systems.DISTRICTS)}


def brute_force(statement, limits, norm):
    """The widest gap, over databases that are made here from lists of rows."""
    unit, *told = limits.split("; ")
    most = {limit.rsplit(" ", 1)[0]: int(limit.rsplit(" ", 1)[1]) for limit in told}
    words = set(re.findall(r"\w+", statement))
    tables = {name: columns for name, columns in systems.COLUMNS.items() if name in words}
    read = {name: [one for one in columns if one in words] for name, columns in tables.items()}
    if "person" in words and unit != "person":
        read = {"staff": ["person", *read["staff"]]}
    pairs = person_pairs(most, read) if unit == "person" else row_pairs(unit, most["rows"], read)
    asked = ([answer(statement, PUBLIC | side) for side in pair] for pair in pairs)
    return max(gap(one, other, norm) for one, other in asked)


def brought(table, columns, limits):
    """All that one person may have in a table: a customer one row, others so many."""
    rows = list(product(*(systems.VALUES[column] for column in columns)))
    if table == "customers":
        return [(row,) for row in rows]
    groups, each = limits.get("groups", 1), limits.get("rows", limits.get("rows per group"))
    most = groups * each
    bundles = [b for n in range(1, most + 1) for b in combinations_with_replacement(rows, n)]
    if "groups" not in limits:
        return bundles
    held = ((bundle, Counter(row[0] for row in bundle)) for bundle in bundles)
    return [b for b, each_of in held if len(each_of) <= groups and max(each_of.values()) <= each]


def person_pairs(limits, read):
    """Databases of nobody or of one other person, without and with somebody."""
    id = "person" if "staff" in read else "customer"

    def database(*people):
        made = {}
        for place, (table, columns) in enumerate(read.items()):
            rows = [(who, *row) for who, person in enumerate(people) for row in person[place]]
            made[table] = ([id, *columns], rows)
        return made

    everybody = list(product(*(brought(*table, limits) for table in read.items())))
    for person in everybody:
        yield database(), database(person)
        yield database(everybody[0]), database(everybody[0], person)


def row_pairs(unit, most, read):
    """Tables of up to two rows, and those with `most` more; or two tables that differ in one."""
    ((table, columns),) = read.items()
    columns = columns or ["person"]
    rows = list(product(*(systems.VALUES[column] for column in columns)))
    if unit == "change":
        pairs = [([kept, gone], [kept, new]) for kept, gone, new in product(rows, repeat=3)]
    else:
        few, added = [[], [rows[0]], [rows[1]]], combinations_with_replacement(rows, most)
        pairs = [(others, [*others, *more]) for more, others in product(added, few)]
        pairs += [([gone], [new]) for gone, new in combinations(rows, 2) if most == 2]
    for sides in pairs:
        yield tuple({table: (columns, side)} for side in sides)


CLAIMS = [claim for name in systems.SYSTEMS for _, claim in systems.stated_claims(name).iterrows()]
PARTS = {  # what is made noisy, the limits, and the norm
    (claim["quantity"].split(" of ", 1)[1], claim["parameters"], claim["quantity"][:2])
    for claim in CLAIMS
    if claim["quantity"][:2] in systems.NORMS
}


@pytest.mark.parametrize("limits", some(sorted({limits for _, limits, _ in PARTS})))
def test_exact_values_are_those_of_sqlite(limits):
    """Catches people or rows beyond the limits, and a statement that the engines read otherwise."""
    for part, asked, norm in sorted(PARTS):
        if asked == limits:
            found = systems.exact_part(part, limits, norm)
            expected = brute_force(systems.parts()[part], limits, norm)
            assert float(found.value) == pytest.approx(expected), (part, limits, norm)
