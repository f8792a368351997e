"""Systems that answer SQL: their claims as they are stored, the exact values beside them, and their cases."""

import math
import re
import sqlite3
from collections import Counter, defaultdict
from contextlib import closing
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

import pytest
from form import FULL, some
from sensitivity_board.cases import sql_cases, systems
from sensitivity_board.figures import SOURCE

ALL = [
    (name, claim) for name in systems.SYSTEMS for _, claim in systems.stated_claims(name).iterrows()
]
CLAIMS = [(name, claim) for name, claim in ALL if claim["quantity"][:2] in systems.NORMS]


# --- the tables ---------------------------------------------------------------------------------


def test_every_statement_was_asked_of_every_system():
    """Catches a statement that a system was not asked about, and one that is not on the list."""
    for name in systems.SYSTEMS:
        assert set(systems.stated_claims(name)["query"]) == set(systems.statements())


def test_every_row_is_a_claim_or_says_why_not():
    """Catches a value without a part, limits that cannot be read, and a refusal without words."""
    for _, claim in ALL:
        assert systems.Limits.read(claim["parameters"]).words
        assert claim[[*SOURCE, "settings", "read_from"]].notna().all()
        if claim["quantity"] in ("not offered", "not comparable"):
            assert math.isnan(float(claim["value"]))
        elif not claim["quantity"].startswith("value of"):
            norm, part = claim["quantity"].split(" of ", 1)
            assert norm in systems.NORMS
            assert part in systems.parts()
            assert float(claim["value"]) >= 0


def test_a_number_has_one_sensitivity_in_every_norm():
    """Catches noise that was divided by a wrong share of the budget: L1 and L2 would differ."""
    claims = defaultdict(set)
    for name, claim in CLAIMS:
        part = claim["quantity"].split(" of ", 1)[1]
        if "GROUP BY" not in systems.parts()[part]:
            claims[name, claim["query"], claim["parameters"], part].add(claim["value"])
    assert all(len(values) == 1 for values in claims.values())


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


# --- the verdicts -------------------------------------------------------------------------------


def test_the_claim_that_is_too_small_by_hand():
    """Catches an accusation that the arithmetic does not bear out.

    PipelineDP's VARIANCE clips values to the bounds (−50, 50), whose middle is 0, and adds noise to
    the sum of squares of what is left, (x − 0)². One person who joins with the gain 50 adds 2,500
    to it; the noise is for half the length of the interval of x², from 0 to 2,500.
    """
    low, high = -50, 50
    middle = Fraction(low + high, 2)
    without, joined = [0], [0, 50]
    assert all(low <= gain <= high for gain in joined)
    squares = [sum((gain - middle) ** 2 for gain in gains) for gains in (without, joined)]
    assert squares == [0, 2500]
    table = systems.stated_claims("pipelinedp")
    rows = table[table["quantity"].eq("L1 of squared gains")].set_index("parameters")
    assert Fraction(rows.loc["person; rows 1", "value"]) == 1250 == Fraction(high**2, 2)
    assert systems.exact_part("squared gains", "person; rows 1", "L1").value == 2500
    # What the library itself was about to noise, on the two datasets: the other two numbers move by
    # all that their noise is for, so nothing is left over for the third.
    asked = table[table["query"].eq("variance of gains") & table["parameters"].eq("person; rows 1")]
    stored = asked.set_index("quantity")["value"].map(float)
    for part, moved, noise_for in (
        ("rows", 1, 1),
        ("gains", 50, 50),
        ("squared gains", 2500, 1250),
    ):
        values = [stored[f"value of {part} on {gains}"] for gains in ((0,), (0, 50))]
        assert values[1] - values[0] == moved
        assert stored[f"L1 of {part}"] == noise_for


# --- as cases -------------------------------------------------------------------------------------

# All statements in full; of those with a claim in short one, another at the next commit.
ASKED = () if FULL else tuple(some(sorted({claim["query"] for _, claim in CLAIMS})))


@pytest.fixture(scope="module")
def cases():
    return sql_cases.sql_cases(*ASKED)


@pytest.fixture(scope="module")
def table():
    return systems.systems_table(statements=ASKED)


@pytest.fixture(scope="module")
def parted(cases, table):
    """Every row of every case, with the row of the table that it is made from."""
    claimed = table[table["verdict"].isin(["exact", "loose", "too small"])].to_dict("records")
    rows = [(case, row) for case in cases for row in case.rows]
    return [(*both, told) for both, told in zip(rows, claimed, strict=True)]


def test_the_cases_say_what_the_table_says(parted):
    """Catches a claim that is dropped, doubled, or set beside the exact value of another part."""
    for case, row, told in parted:
        limits = sql_cases.told(told["limits"])
        assert [case.library, case.version, case.function, case.setting, row.verdict] == [
            *(told["system"], told["version"], told["statement"], limits, told["verdict"])
        ]
        for value, name in ((row.claimed, "claim"), (row.exact, "exact")):
            assert float(f"{float(value):.6g}") == told[name]
        if row is case.row:
            assert case.quantity == f"{told['norm']} sensitivity of {told['part']}"


def test_witnesses_give_their_answers_when_asked_anew(parted):
    """Catches a dataset that is shown beside the answer on another, by a route without our tables."""
    asked = {(told["part"], told["norm"], case.setting): row for case, row, told in parted}
    for (part, norm, _), row in asked.items():
        statement = systems.parts()[part]
        sides = row.dataset, row.neighbour
        answers = [answer(statement, database(statement, side, row.relation)) for side in sides]
        assert gap(*answers, norm) == pytest.approx(float(row.exact), rel=1e-9)
        if "GROUP BY" not in statement:
            assert row.answers == tuple(told[()] for told in answers)
    assert len(asked) > (90 if FULL else 2)


def database(statement, records, relation):
    """The tables of a case's records, with the columns that a statement reads."""
    words = set(re.findall(r"\w+", statement))
    asked = [table for table in systems.COLUMNS if table in words]
    rows = {table: [] for table in asked}
    for record in records:
        if relation == "Person":
            for table, *row in record:
                rows[table].append(row)
        else:
            rows[asked[0]].append(record if isinstance(record, tuple) else [record])
    tables = {}
    for table in asked:
        columns = [column for column in systems.COLUMNS[table] if column in words]
        owner = "person" if table == "staff" else "customer"
        width = len(rows[table][0]) if rows[table] else len(columns) + 1
        tables[table] = ([owner, *columns] if width > len(columns) else columns, rows[table])
    return PUBLIC | tables
