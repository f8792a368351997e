"""The page of formulas: each row of it enumerated, each query there."""

import re

import pytest
from conftest import ROOT
from routes import FORMULAS, HISTOGRAM, PREDICATE
from sensitivity_book.theory.formulas import formula_table, printed

import sensitivity_lab as sl

PAGE = ROOT / "book" / "formulas.md"
PROOFS = PAGE.with_name("proofs.md")


@pytest.mark.parametrize(("query", "norm"), FORMULAS, ids=lambda case: getattr(case, "name", case))
def test_every_row_of_the_page_is_its_closed_form(query, norm):
    """Catches a row that shows another relation's value, or a status that claims too much."""
    table = formula_table(query, norm=norm)
    assert len(table) == 10
    for (size, name), row in table.iterrows():
        known = {"n": "size", "≥ m": "min_size"}[size]
        one, two = (
            sl.closed_form(
                query, bounds=(2, 14), relation=getattr(sl, name)(k), norm=norm, **{known: 4}
            )
            for k in (1, 2)
        )
        assert (row["k = 1"], row["k = 2"], row["witness"]) == (one.value, two.value, one.witness)
        assert row["status"].split(" at k = 1, then ") == [*dict.fromkeys([one.status, two.status])]


def test_the_page_shows_every_query_and_links_its_proof():
    """Catches a query that has a formula and no table, and a proof that is not there."""
    text, proofs = PAGE.read_text(encoding="utf-8"), PROOFS.read_text(encoding="utf-8")
    sections = text.split("\n### ")[1:]
    assert len(sections) == 12
    for name in ("COUNT", "SUM", "MEAN", "MIN", "MEDIAN", "VARIANCE", "STD", "count_distinct"):
        assert f"formula_table(sl.{name})" in text
    labels = set(re.findall(r"\{prf:ref\}`([\w-]+)`", text))
    assert labels <= set(re.findall(r":label: ([\w-]+)", proofs))
    for section in sections:
        [call] = re.findall(r"formula_table\((?:sl\.)?(\w+)", section)[:1]
        query = {"bins": HISTOGRAM, "count_where": PREDICATE, "quantile": sl.MEDIAN}.get(call)
        query = query or (sl.VARIANCE if call == "variance" else getattr(sl, call))
        source = sl.closed_form(query, bounds=(0, 1), size=3, relation=sl.Change(1)).source
        assert f"{{prf:ref}}`thm-{source.removeprefix('Proofs: ')}`" in section


def test_relations_that_agree_share_a_printed_row():
    """Catches a merge of rows that differ, and a relation that is lost."""
    for query in (sl.COUNT, sl.SUM, sl.MEDIAN, sl.VARIANCE):
        table = formula_table(query)
        shown = printed(table).data
        names = [
            (size, name)
            for size, names in zip(shown["size"], shown["relation"], strict=True)
            for name in names.split(", ")
        ]
        assert sorted(names) == sorted(table.index)
        for row in shown.to_dict("records"):
            for name in row["relation"].split(", "):
                whole = table.loc[(row["size"], name)]
                assert all(whole[key] == row[key] for key in ("formula", "k = 1", "k = 2"))
