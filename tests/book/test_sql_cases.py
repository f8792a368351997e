"""Systems that answer SQL, as cases: what the table says, the cases say."""

import json
import math
import sqlite3
from collections import Counter
from contextlib import closing

import pytest
from conftest import BOARD_TOUCHED
from sensitivity_book.case_files import case_files, systems
from sensitivity_book.case_files import sql_cases as sql
from sensitivity_book.case_files.certificates import case_of, certificate

from scripts import check_certificate as check


@pytest.fixture(scope="module")
def cases():
    """The cases asked anew, or as the board holds them where nothing of it changed."""
    systems = sql.SYSTEMS.values()
    return sql.sql_cases() if BOARD_TOUCHED else [c for c in case_files() if c.library in systems]


@pytest.fixture(scope="module")
def table():
    return systems.systems_table()


def test_the_cases_say_what_the_table_says(cases, table):
    """Catches a claim that is dropped, doubled, or set beside the exact value of another part."""
    said = [
        (
            case.library,
            case.version,
            case.function,
            case.setting,
            part,
            norm,
            *six(row),
            row.verdict,
        )
        for case in cases
        for (part, norm), row in zip(sql.asked_parts(case), case.rows, strict=True)
    ]
    claimed = table[table["verdict"].isin(["exact", "loose", "too small"])]
    columns = ["system", "version", "statement", "limits", "part", "norm", "claim", "exact"]
    rows = claimed[[*columns, "verdict"]].assign(limits=claimed["limits"].map(sql.told))
    assert said == list(rows.itertuples(index=False, name=None))


def six(row):
    """Claimed and exact to six digits, as the table has them."""
    return [float(f"{float(value):.6g}") for value in (row.claimed, row.exact)]


def test_what_is_left_out_is_counted(cases, table):
    """Catches a refusal that becomes a verdict, and one that nobody counts."""
    left = sql.not_asked()
    assert int(left.to_numpy().sum()) + sum(len(case.rows) for case in cases) == len(table) == 595
    assert left["not offered"].tolist() == [27, 9, 0, 16, 45]
    assert left["not comparable"].tolist() == [0, 0, 18, 2, 5]


def test_the_verdicts_are_pinned(cases):
    """Catches a case that says the milder thing, and a system or a table that has changed."""
    small = {(c.library, c.function, c.setting): c for c in cases if c.verdict == "too small"}
    setting = "a person; {} each"
    assert set(small) == {
        ("PipelineDP", "variance of gains", setting.format(rows)) for rows in ("1 row", "2 rows")
    }
    for case, k in zip(small.values(), (1, 2), strict=True):
        assert case.quantity == "L1 sensitivity of squared gains"
        assert (case.row.claimed, case.row.exact) == (1250 * k, 2500 * k)
        assert case.row.answers == (0, 2500 * k)
    assert Counter(case.verdict for case in cases) == {"exact": 234, "loose": 21, "too small": 2}


def test_a_card_can_be_read(cases):
    """Catches two cases of one name, limits that nobody can read, and a case without its date."""
    names = [case.name for case in cases]
    assert len(set(names)) == len(names)
    for case in cases:
        assert case.setting[0] in "a12"
        assert case.date
        assert case.scope.startswith("Asked: SELECT")
        assert "Read from" in case.note
    assert "a person; 1 row in each of 2 groups" in {case.setting for case in cases}


def test_the_quantity_is_that_of_the_row_that_tells_most(cases):
    """Catches a number beside the name of another part."""
    for case in cases:
        norm, part = case.quantity.split(" sensitivity of ")
        (at,) = [place for place, row in enumerate(case.rows) if row is case.row]
        assert sql.asked_parts(case)[at] == (part, norm)


def test_witnesses_give_their_answers_when_asked_anew(cases):
    """Catches a dataset that is shown beside the answer on another, by a route without our tables."""
    asked = set()
    for case in cases:
        for (part, norm), row in zip(sql.asked_parts(case), case.rows, strict=True):
            if (part, norm, case.setting) in asked:
                continue
            asked.add((part, norm, case.setting))
            answers = [by_sqlite(part, side, row.relation) for side in (row.dataset, row.neighbour)]
            gaps = [
                abs(answers[0].get(key, 0) - answers[1].get(key, 0))
                for key in {**answers[0], **answers[1]}
            ]
            distance = sum(gaps) if norm == "L1" else math.hypot(*gaps)
            assert distance == pytest.approx(float(row.exact), rel=1e-9)
            if "GROUP BY" not in systems.parts()[part]:
                assert row.answers == tuple(answer[()] for answer in answers)
    assert len(asked) > 90


def by_sqlite(part, records, relation):
    """What SQLite says of the records' rows, by group."""
    statement = systems.parts()[part]
    words = statement.replace("(", " ").replace(")", " ").replace(".", " ").split()
    asked = [table for table in systems.COLUMNS if table in words]
    rows = {table: [] for table in asked}
    for record in records:
        if relation == "Person":
            for table, *row in record:
                rows[table].append(row)
        else:
            rows[asked[0]].append(record if isinstance(record, tuple) else [record])
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE districts (city, district)")
        connection.executemany("INSERT INTO districts VALUES (?, ?)", systems.DISTRICTS)
        for table in asked:
            columns = [column for column in systems.COLUMNS[table] if column in words]
            owner = "person" if table == "staff" else "customer"
            width = len(rows[table][0]) if rows[table] else len(columns) + 1
            names = [owner, *columns] if width > len(columns) else columns
            connection.execute(f"CREATE TABLE {table} ({', '.join(names)})")
            marks = ", ".join("?" * len(names))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows[table])
        return {row[:-1]: row[-1] for row in connection.execute(statement).fetchall()}


def test_certificates_pass_the_checker(cases):
    """Catches a case that the board's checker cannot read, or finds wrong."""
    for case in cases:
        stored = json.loads(json.dumps(certificate(case)))
        assert check.checked(stored).startswith(f"{case.verdict}; the witness is right")
        assert case_of(stored).row.sides == case.row.sides
