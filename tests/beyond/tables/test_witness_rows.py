"""Pictures of witnesses whose records are no numbers: dots where they say numbers, else tables."""

from itertools import combinations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pictures import (
    asked,
    assert_readable,
    dots,
    drawn,
    drawn_beside,
    picture,
    said,
    svg,
    texts,
    turned,
)  # fmt: skip

import sensitivity_lab as sl
from sensitivity_lab.plotting import witness

COLUMNS = {"department": ["law", "law", "art", "art"], "salary": [50, -60, 40, 90]}
STAFF = sl.Universe.population(pd.DataFrame(COLUMNS))
ORDERS = pd.DataFrame({"customer": ["b", "a", "b"], "price": [3, 5, 4]})
VISITS = pd.DataFrame({"customer": ["b", "a", "c"], "page": ["x", "y", "z"]})
BUYERS = sl.Universe.people({"orders": ORDERS, "visits": VISITS}, id="customer")
ONE_MORE = sl.SymmetricDifference(1)
CHANGE = {"size": 3, "relation": sl.Change(1)}


def total(table):
    return table["salary"].sum()


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_numbers_that_records_say_are_dots(make):
    """Catches rows where there are numbers, and dots at other numbers than those of the column."""
    universe = sl.Universe.population(make(COLUMNS))
    figure = sl.plot_witness(sl.global_sensitivity(sl.MEAN.of("salary"), universe, **CHANGE))
    line = witness.NumberLine([-60, 40, 50, 90])
    assert [x for x, _ in dots(figure, "removed")] == [line.x_of(-60)]
    assert [x for x, _ in dots(figure, "added")] == [line.x_of(90)]
    assert sorted({x for x, _ in dots(figure, "in both")}) == [line.x_of(40), line.x_of(50)]
    assert {"mean of salary = 10", "mean of salary = 60"} <= {*texts(figure)}


def test_clipped_numbers_stand_where_they_are_cut():
    """Catches a dot at the salary where the query is asked of the clipped one."""
    words = sl.Universe.value_range(["no", "yes"])
    for query, universe, want in (
        (sl.MAX.of("salary").clipped(0, 60), STAFF, ["0", "40", "50", "60"]),
        (sl.MAX.of(len), words, ["2", "3"]),
    ):
        axes = drawn(query, universe, 3).axes[0]
        assert [text.get_text() for text in axes.get_xticklabels()] == want


def test_a_number_of_each_person_is_a_dot():
    """Catches a function of a person that is asked of each of their rows."""
    query = sl.SUM.of(lambda tables: int(tables["orders"]["price"].sum()))
    figure = drawn(query, BUYERS, 2, sl.Remove(1))
    assert len(dots(figure, "removed")) == 1
    assert {"sum of <lambda> = 7", "sum of <lambda> = 0"} <= set(texts(figure))


def test_nobody_can_be_drawn():
    """Catches Python's errors about empty lists, of numbers, of texts and of rows."""
    votes = sl.Universe.value_range(["no", "yes"])
    numbers = (sl.COUNT, sl.Universe.value_range([1, 2]))
    for query, universe in (numbers, (sl.SUM.of(len), votes), (len, votes), (len, BUYERS)):
        words = texts(drawn(query, universe, 0))
        assert any(word.split() == ["sensitivity", "0"] for word in words)


@picture
def test_picture_of_two_tables():
    """Rows on the wrong side, without their mark, or beside another row's mark."""
    return sl.plot_witness(sl.global_sensitivity(total, STAFF, **CHANGE))


@picture
def test_picture_of_people():
    """Tables without their names, and a picture that does not say who leaves."""
    return drawn(lambda tables: tables["orders"]["price"].sum(), BUYERS, 2, sl.Remove(1))


def test_wide_tables_stand_below_one_another_and_inside_the_picture():
    """Catches words that run off the page or over one another."""
    wide = pd.DataFrame({f"column_{i}": [f"{'long ' * 4}{i}{j}" for j in "ab"] for i in range(9)})
    cases = [
        (len, sl.Universe.population(wide), sl.Add(1), 1),
        (total, STAFF, sl.Change(1), 3),
        (lambda tables: len(tables["orders"]), BUYERS, sl.Remove(1), 2),
        (lambda t: tuple(range(len(t) * 40)) or (0,) * 40, STAFF, sl.Change(1), 1),
    ]
    for query, universe, relation, size in cases:
        figure = drawn(query, universe, size, relation)
        boxes = [text.get_window_extent() for text in figure.axes[0].texts]
        page = figure.bbox
        assert all(page.x0 <= box.x0 and box.x1 <= page.x1 for box in boxes)
        assert all(page.y0 <= box.y0 and box.y1 <= page.y1 for box in boxes)
        inner = [box.padded(-1) for box in boxes]
        assert not any(one.overlaps(other) for one, other in combinations(inner, 2))


def test_of_many_rows_the_ends_are_drawn():
    """Catches a picture of ninety rows, and one of a person with a thousand."""
    many = sl.Universe.value_range(["a", "b"])
    found = sl.local_sensitivity(len, ["a"] * 90, many, relation=sl.Remove(1))
    assert texts(sl.plot_witness(found)).count("… 83 more rows …") == 2
    one = sl.Universe.people(pd.DataFrame({"id": [0] * 1000, "n": 1}), id="id")
    found = sl.global_sensitivity(len, one, size=1, relation=sl.Remove(1))
    assert texts(sl.plot_witness(found)).count("… 994 more rows …") == 1
    too_many = sl.local_sensitivity(len, ["a"] * 101, many, relation=sl.Remove(1))
    with pytest.raises(sl.TooLarge, match="at most 100 records to be drawn, got 101"):
        sl.plot_witness(too_many)


def test_a_dollar_is_a_dollar():
    """Catches Matplotlib's formulas: between two dollars it sets them, or fails."""
    prices = sl.Universe.value_range(["$5$", r"$\frac$"])
    figure = drawn(lambda x: x.count("$5$"), prices, 1)
    assert not any(text.get_parse_math() for text in figure.axes[0].texts)


def test_records_of_any_kind_can_be_explored():
    """Catches rows written as a frame's text, a range that ends at its size, long pairs."""
    team = sl.Universe.product(team=["art", "law"], salary=[0, 50])
    sentence, _, pair = turned(sl.explore(team, 2, [lambda table: table["salary"].sum()]))
    assert sentence.endswith("the sensitivity is 50.")
    assert "salary" in said(pair)
    many = sl.explore(sl.Universe.population(range(400)), 200, [sl.MEDIAN])
    sentence, panels, pair = turned(many)
    assert "at most 100 records to be drawn" in sentence
    assert panels
    assert not pair


def test_tables_stand_on_axes_of_your_own_and_are_the_same_file_every_time():
    """Catches tables larger than their axes, small print, and a figure that changes."""
    found = asked(len, sl.Universe.population(pd.DataFrame({"a": [1, 2]})), 1, ONE_MORE)
    right = drawn_beside(found)
    box = right.get_window_extent()
    inside = [text.get_window_extent() for text in right.texts]
    assert all(box.x0 - 1 <= b.x0 and b.x1 <= box.x1 + 1 for b in inside)
    words = asked(len, sl.Universe.value_range(["a", "b"]), 2, sl.Add(1))
    assert svg(sl.plot_witness(words)) == svg(sl.plot_witness(words))
    assert_readable(sl.plot_witness(words))
