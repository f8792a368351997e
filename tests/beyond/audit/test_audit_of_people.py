"""Audits of people and of tables: every way of asking, and how they are told."""

import pandas as pd
import pytest
from conftest import a_third
from test_audit import WAYS

import sensitivity_lab as sl

ROWS = sl.Universe.value_range(pd.DataFrame({"pay": [0, 4]}))
ANYBODY = sl.Universe.people(ROWS, most_rows=2)
ORDERS = pd.DataFrame({"who": list("babc"), "pay": [3, 5, 4, 1]})
KNOWN = sl.Universe.people(ORDERS, id="who")


def one_more_than_rows(table):
    return len(table) + 1


def squared(table):
    return len(table) ** 2


QUERIES = [sl.SUM.of(len), sl.MAX.of(one_more_than_rows), sl.SUM.of("pay"), squared]
ASKED = [(ANYBODY, sl.Change(1)), (KNOWN, sl.Remove(1))]


@pytest.mark.parametrize("way", a_third(WAYS), ids=lambda way: ", ".join(way) or "plain")
@pytest.mark.parametrize(("universe", "relation"), ASKED, ids=["anybody", "known"])
def test_audits_of_people(way, universe, relation):
    """Catches a function of a person that is asked of rows, and one of no rows forgotten."""
    for query in QUERIES:  # what each comes to, `test_records` holds to the definition
        want = sl.global_sensitivity(query, universe, size=2, relation=relation).value
        report = sl.audit(query, 1, universe, sizes=2, relations=[relation], **way)
        found = report.rows[0].found
        assert found <= want if "trials" in way else found == want
        assert report.check()


def test_a_report_has_a_table_in_a_line():
    """Catches whole tables in the cells of a report, and a row on the wrong side."""
    rows = pd.DataFrame({"team": ["law", "art", "art", None], "pay": [50, 30, 40, 40]})
    universe, asked = sl.Universe.population(rows), [sl.Change(1)]
    report = sl.audit(sl.SUM.of("pay"), 1, universe, sizes=[2, 3], relations=asked)
    here, there = report.rows[0].sides
    assert (here, there) == ("− art 30 (1 shared)", "+ law 50 (1 shared)")
    assert isinstance(report.rows[0].dataset, pd.DataFrame)
    assert "dataset → 70\n  neighbour → 90\n" in str(report)
    swept = sl.sweep([sl.SUM.of("pay")], {"staff": universe}, size=2, relations=asked)
    for table in (report.to_frame(), swept):
        assert table.loc[0, ["dataset", "neighbour"]].tolist() == [here, there]
    assert here in report._repr_html_()
    assert "pd.DataFrame(" in report.snippet()
    compile(report.snippet(), "snippet", "exec")


def test_the_lines_of_people_and_of_orders():
    """Catches people without rows who leave no mark, and an order of rows that is not shown."""
    report = sl.audit(sl.SUM.of(len), 0, ANYBODY, sizes=2, relations=[sl.Change(1)])
    assert report.rows[0].sides == (
        "− 1 person: no rows (1 shared)",
        "+ 1 person: 2 0, 2 0 (1 shared)",
    )
    universe = sl.Universe.population(pd.DataFrame({"pay": [7, 0, 4]}))
    ask = {"sizes": 3, "relations": [sl.Change(1)], "order": "any"}
    row = sl.audit(lambda table: int(table["pay"].iloc[0]), 0, universe, **ask).rows[0]
    lists = [[int(pay) for pay in side.split(", ")] for side in row.sides]
    assert all(sorted(side) == [0, 4, 7] for side in lists)
    assert abs(lists[0][0] - lists[1][0]) == row.found == 7
