"""The board: its verdicts pinned, what it holds against what its sources say, and asking again."""

import csv
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import sensitivity_board as sb
from conftest import a_third, turn
from form import FULL, some
from sensitivity_board import audit
from sensitivity_board import check_certificate as checker
from sensitivity_board.cases import sql_cases, systems
from sensitivity_board.certificates import case_of, certificate
from sensitivity_board.claims import changed, told
from sensitivity_board.figures import SOURCE, library_figures

STORED = {one["address"]: one for one in json.loads(sb.BOARD.read_text("utf-8"))["cases"]}
QUICK = [source for source in sb.SOURCES if source is not sql_cases.sql_cases]
# By library and version, how many of its claims are exact.
EXACT = {
    ("OpenDP", "0.16.0"): 29, ("OpenDP Polars", "0.16.0"): 55, ("diffprivlib", "0.6.6"): 20,
    ("Tumult", "0.19.1"): 6, ("Tumult", "0.21.0"): 5, ("Tumult Analytics", "0.21.0"): 73,
    ("PipelineDP", "0.3.1"): 43, ("SmartNoise SQL", "1.0.10"): 35, ("Qrlew", "0.9.27"): 46,
    ("PyDP", "1.1.5"): 9, ("dp-accounting", "0.6.0"): 8, ("jax-privacy", "2.0.0"): 32,
}  # fmt: skip


def test_the_verdicts_are_those_on_record():
    """Catches a library, or our audit, that has changed:
    read the case, and change the chapter with it.

    `not_exact.csv` has the ratio of claimed to exact of every claim that is not exact.
    """
    with (Path(__file__).parent / "not_exact.csv").open(encoding="utf-8") as file:
        pinned = {row["address"]: float(row["ratio"]) for row in csv.DictReader(file)}
    cases = sb.case_files()
    ratios = {case.address: float(case.row.ratio) for case in cases if case.verdict != "exact"}
    assert ratios == pytest.approx(pinned, rel=1e-9)  # some are a few 1e-8 off
    assert Counter((one.library, one.version) for one in cases if one.verdict == "exact") == EXACT
    assert len({case.address for case in cases}) == len(cases)


def held(cases):
    """Whether cases that were asked anew are those of the board; their addresses."""
    asked = [*map(certificate, sb.dated(cases, sb.case_files(), day="never asked before"))]
    for made in asked:
        stored = json.loads(json.dumps(made))
        assert stored == STORED[made["address"]], made["address"]
        assert case_of(stored).row.sides == case_of(made).row.sides
    return [one["address"] for one in asked]


def test_the_board_holds_what_the_libraries_answer_now():
    """Catches a board that was not made anew after a library, a table or our audit changed."""
    sources = sb.SOURCES if FULL else a_third(a_third(QUICK))
    asked = held(case for source in sources for case in source())
    left_out = [address for address in STORED if address not in set(asked)]
    assert asked == [address for address in STORED if address not in left_out]
    assert bool(left_out) != FULL


@pytest.mark.skipif(FULL, reason="asked with the rest")
@pytest.mark.parametrize("statement", some([*systems.statements()]))
def test_the_board_holds_what_every_system_answers_to_a_statement(statement):
    """Catches the same for SQL, of which one statement is asked, another at the next commit."""
    assert held(sql_cases.sql_cases(statement)) or statement in ("minimum", "maximum", "median")


def test_every_certificate_of_the_board_is_accepted():
    """Catches a certificate that its own checker refuses, and one that says less than it holds."""
    for one in STORED.values() if FULL else a_third(a_third([*STORED.values()])):
        words = checker.checked(one)
        assert words.startswith(one["verdict"])
        assert ("the witness is right" in words) == bool(one["witness"])
        assert ("neighbouring pairs" in words) == bool(one["answers"])


@turn(0, 2)
def test_the_board_is_dated_by_its_answers():
    """Catches a date that is not that of the answer, and one that moves though nothing is new."""
    live = sb.opendp_cases()[:4]
    assert {case.date for case in live} == {""}
    stored = [case_of(STORED[case.address]) for case in live]
    assert sb.dated(live, stored, "2030-01-01") == sb.dated(live, stored, "2031-01-01")
    moved = [replace(case, version="0") for case in stored]
    assert {case.date for case in sb.dated(live, moved, "2030-01-01")} == {"2030-01-01"}
    assert sb.as_of([*stored, replace(stored[0], date="2031-01-01")]) == "2031-01-01"


TABLE = """library,version,date,query,parameters,quantity,value
lib,1,2026-01-01,sum,bounds,sensitivity,3
lib,1,2026-01-01,mean,bounds,sensitivity,1
"""


def test_asking_again_says_what_changed():
    """Catches a new date taken for news, and news not told: of a table, and of the board."""
    table = audit.figures(TABLE)
    assert changed(table, audit.figures(TABLE.replace("2026-01", "2027-05"))) == []
    newer = TABLE.replace("lib,1,", "lib,2,").replace("y,3", "y,4").replace("mean", "max")
    assert changed(table, audit.figures(newer)) == [
        "  lib, version: 1 → 2",
        "  lib, sum, bounds, sensitivity: 3 → 4",
        "  lib, mean, bounds, sensitivity: 1 → nothing",
        "  lib, max, bounds, sensitivity: nothing → 1",
    ]
    one, two = sb.case_files()[:2]
    assert changed(told([one]), told([replace(one, date="2030-01-01")])) == []
    news = changed(told([one]), told([replace(one, version="9"), two]))
    assert [line.split(": ")[0].strip() for line in news] == [one.address, two.address]
    assert "(0.16.0) → exact" in news[0]
    assert "nothing → " in news[1]


def test_every_table_has_its_script_its_lock_and_one_layout():
    """Catches a table that nobody can make again, or a column that only one of them has."""
    scripts = sorted(audit.LIBRARIES.glob("*/*.py"))
    tables = {path: path.read_text("utf-8").partition("\n")[0] for path in audit.DATA.glob("*.csv")}
    for other in ("google_pairs", "relations"):  # no answers of a library
        tables.pop(audit.DATA / f"{other}.csv")
    assert {audit.table_of(script) for script in scripts} == tables.keys()
    for script in scripts:
        assert "--hash=sha256:" in (script.parent / "requirements.txt").read_text("utf-8")
        more = [] if script.stem == "figures" else ["settings", "read_from"]
        assert tables[audit.table_of(script)] == ",".join([*SOURCE, "quantity", "value", *more])
    assert list(library_figures().index) == [*range(len(library_figures()))]
