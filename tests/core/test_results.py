"""How results and cells are written."""

import datetime

import sensitivity_lab as sl
from sensitivity_lab.numbers.text import cell_text


def worst(query, records, size, relation=sl.Change(1), **options):  # noqa: B008
    """The sensitivity over a universe, or over a population of some records."""
    universe = records if isinstance(records, sl.Universe) else sl.Universe.population(records)
    return sl.global_sensitivity(query, universe, size=size, relation=relation, **options)


def test_numbers_and_text_keep_their_line():
    """Catches a table where a tuple says all."""
    found = worst(len, sl.Universe.value_range(["no", "yes"]), 2, sl.Add(1))
    assert "witness=(('no', 'no'), ('no', 'no', 'no'))" in repr(found)
    assert "yes" not in repr(found)


def test_a_cell_is_a_short_line():
    """Catches a cell that breaks its table, or that hides what it is."""
    assert cell_text("x" * 100) == "x" * 39 + "…"
    texts = {"": "''", " a": "' a'", "a\tb": r"'a\tb'", "NULL": "'NULL'", True: "True", -2: "-2"}
    texts |= {0.1: "0.1", (1, None): "(1, None)", b"x": "b'x'"}
    texts[datetime.datetime(2024, 1, 2, 3)] = "2024-01-02 03:00:00"
    assert {value: cell_text(value) for value in texts} == texts
