"""Figures: what they show is held by its artists, how they look by stored pictures.

`pytest --mpl` compares the pictures in `tests/baseline`; after a wanted change of looks, make them
anew with `pytest tests/core/plotting --mpl-generate-path=tests/baseline` and look at each.
"""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from conftest import ABSENCES, SCHOOL, in_turn, refused
from matplotlib.colors import to_hex
from pictures import arrows, asked, assert_readable, dots, drawn, drawn_beside, picture, svg, texts

import sensitivity_lab as sl
from sensitivity_lab.numbers.text import value_text
from sensitivity_lab.plotting import style, witness
from sensitivity_lab.results import answers_on

RELATIONS = [make(k) for make in (sl.AddRemove, sl.Change) for k in (1, 2, 3, 4)]
QUERIES = [sl.MEAN, sl.COUNT, sl.VARIANCE, sl.STD, sl.quantile(0.9)]

PROVED = [sl.MEAN, sl.SUM, sl.MEDIAN, sl.MAX, sl.MIN, sl.COUNT, sl.VARIANCE]


@pytest.fixture(scope="module")
def table():
    return sl.sweep(QUERIES, {"absence_days": ABSENCES}, size=6, relations=RELATIONS)


@pytest.fixture(scope="module")
def compared():
    columns = {
        "days": sl.Universe.population([1, 2, 3, 8, 15, 20]),
        "mood": sl.Universe.value_range([1, 2, 3]),
    }
    return sl.compare(PROVED, columns, size=4, relations=RELATIONS)


@pytest.fixture(scope="module")
def mean_witness():
    return asked(sl.MEAN, ABSENCES)


# --- the sweep ---------------------------------------------------------------------------


def test_a_gap_is_a_gap_however_it_is_written_and_however_wide():
    """Catches a gap taken for a number or filled k by k, a lost panel without any answer."""
    ks = [1, 2.0, 3, 4, 5, 10**12]
    heights = [1, None, np.nan, pd.NA, Decimal("NaN"), np.float32(2)]
    table = pd.DataFrame({"column": 7, "query": "sum", "relation": "Change", "k": ks})
    table["sensitivity"] = table["closed_form"] = pd.Series(heights, dtype=object)
    figure = sl.plot_compare(pd.concat([table, table[1:2].assign(query="none")]))
    lines = [line for panel in figure.axes for line in panel.lines]
    for line in lines[:2]:
        assert [*line.get_xdata()] == [1, 2, 3, 4, 5, 6, 10**12]
        assert [y for y in line.get_ydata() if y == y] == [1, 2]
    assert [np.isnan(line.get_ydata()).all() for line in lines[2:]] == [True, True]
    assert figure.subfigs[0].get_suptitle() == "7"


def test_a_query_can_be_drawn_on_axes_of_your_own(compared):
    """Catches a second figure, a lost label or name, formulas that nobody asked for."""
    left, right = plt.Figure().subplots(1, 2)
    rows = compared[(compared["query"] == "mean") & (compared["column"] == "days")]
    assert sl.plot_sweep(rows, ax=left) is left
    assert sl.plot_compare(compared[compared["query"] == "sum"], column="days", ax=right) is right
    assert [axes.get_title(loc="left") for axes in (left, right)] == ["mean", "sum"]
    expected = rows[rows["relation"] == "Change"]["sensitivity"].astype(float)
    assert [*left.lines[1].get_ydata()] == [*expected]
    assert (len(left.lines), len(right.lines)) == (2, 4)
    assert left.get_ylim()[1] == pytest.approx(1.12 * rows["sensitivity"].max())
    bounded = "at most k records changed (bounded)"
    words = ["k records added or removed (unbounded)", bounded, "closed form"]
    for axes, named_there in ((left, words[:2]), (right, words)):
        assert (axes.get_xlabel(), axes.get_ylabel()) == (style.K_LABEL, "sensitivity")
        assert [text.get_text() for text in axes.get_legend().get_texts()] == named_there


LONG = "a whole number of about 5,001 digits"


def edited(table, name, value):
    """The first row of a table with another value in a column."""
    row = table.head(1).astype(object)
    row[name] = pd.Series([value], dtype=object)
    return row


def test_a_table_that_cannot_be_drawn_is_refused(compared):
    """Catches others' errors for a table edited by hand, and an empty figure."""
    whole, drawn = (
        "whole k from 0 to 1,000,000,000,000,000",
        "numbers from 0 to 1e+300 as sensitivity to be drawn",
    )
    for table, error, words in (
        *((edited(compared, "k", k), ValueError, f"must hold {whole}, got k={got}") for k, got in (
            (np.nan, "nan"), (np.inf, "inf"), (1.5, "1.5"), ("2", "'2'"), (10**5000, LONG))),
        *((edited(compared, "sensitivity", value), ValueError, f"must hold {drawn}, got {got}")
            for value, got in (("3d", "'3d'"), (np.inf, "inf"), (-1, "-1"), (10**5000, LONG))),
        (compared.head(0), ValueError, "must have at least one row, got an empty table"),
        (compared.drop(columns="k"), ValueError, "must have the columns"),
        (compared.drop(columns="k"), ValueError, "got one without ['k']"),
        ([1], TypeError, "must be a DataFrame, as sweep returns, got [1]"),
    ):  # fmt: skip
        with refused(error, "table", words):
            sl.plot_sweep(table)
        with refused(error, "beside", words):
            sl.plot_sweep(compared, beside=table)


def test_a_table_that_a_file_kept_is_drawn_as_it_was(compared, tmp_path):
    """Catches fractions that are refused as text, or drawn at another height."""
    compared.to_csv(tmp_path / "table.csv", index=False)
    back = pd.read_csv(tmp_path / "table.csv")
    kept, made = (
        [
            line.get_xydata()
            for panel in sl.plot_sweep(table, formulas=True).axes
            for line in panel.lines
        ]
        for table in (back, compared)
    )
    assert all(np.array_equal(*both, equal_nan=True) for both in zip(kept, made, strict=True))


def test_what_cannot_be_drawn_with_a_table_is_refused(compared):
    """Catches a picture without the numbers that were given, and pandas' own errors."""
    twice, others, axes = (
        pd.concat([compared] * 2),
        compared.assign(query="x" + compared["query"]),
        plt.Figure().subplots(),
    )
    for options, error, words in (
        ({"beside": twice}, ValueError, "beside must hold each number once, got two for"),
        ({"beside": others}, ValueError, "beside must hold numbers of what table holds"),
        *(({"formulas": True, "table": table}, ValueError, f"got {got}") for table, got in (
            (compared.drop(columns="closed_form"), "one without ['closed_form']"),
            (edited(compared, "closed_form", (1, 2)), "(1, 2)"),
            (edited(compared, "closed_form", Fraction(10**400, 3)), "Fraction(a whole"))),
        ({"column": "age"}, ValueError, "column must be one of ['days', 'mood'], got column='age'"),
        ({"ax": axes}, ValueError,
            "column must name one of ['days', 'mood'] to be drawn on ax, got None"),
        ({"ax": axes, "column": "days"}, ValueError,
            "table must hold one query to be drawn on ax, got"),
        ({"ax": 3, "column": "days"}, TypeError, "ax must be Matplotlib axes, got 3"),
    ):  # fmt: skip
        with refused(error, words):
            sl.plot_sweep(**{"table": compared} | options)
    with refused(TypeError, "table must be a DataFrame, as compare returns, got None"):
        sl.plot_compare(None)


# --- closed forms and other people's numbers beside the curves -----------------------------


def named(panel, name):
    """The lines of a panel that are its curves, closed forms or ticks."""
    ticks = [line for line in panel.lines if line.get_marker() == "_"]
    colours = {"closed form": style.CLAIMED, "exact": style.EXACT}
    lines = [line for line in panel.lines if to_hex(line.get_color()) == colours.get(name)]
    return ticks if name == "tick" else [line for line in lines if line not in ticks]


def test_each_curve_has_its_closed_form_and_each_number_its_tick(compared):
    """Catches a formula of another relation or column, and a tick at another k."""
    figure = sl.plot_sweep(compared, formulas=True, beside=compared)
    for part, (column, of_column) in zip(figure.subfigs, compared.groupby("column"), strict=True):
        assert part.get_suptitle().startswith(f"{column}, datasets of size 4")
        assert len(part.axes) == len(PROVED)
        for panel in part.axes:
            rows = of_column[of_column["query"] == panel.get_title(loc="left")]
            lines = [named(panel, name) for name in ("exact", "closed form", "tick")]
            for i, relation in enumerate(("AddRemove", "Change")):
                known = rows[(rows["relation"] == relation) & rows["sensitivity"].notna()]
                for line, name in zip(
                    lines, ("sensitivity", "closed_form", "sensitivity"), strict=True
                ):
                    heights = [y for y in line[i].get_ydata() if y == y]
                    assert heights == [float(value) for value in known[name]]
                assert [*lines[2][i].get_xdata()] == [*known["k"]]
                assert to_hex(lines[2][i].get_color()) == style.INK
                assert panel.get_ylim()[1] > max(lines[1][i].get_ydata())
            assert [*map(len, lines)] == [2, 2, 2]


def test_a_number_that_differs_says_in_which_way(compared):
    """Catches a difference that is drawn as if it agreed, and a last digit that is drawn as one."""
    mean = compared[(compared["query"] == "mean") & (compared["relation"] == "Change")]
    mean = mean[mean["column"] == "mood"].astype({"sensitivity": float})
    for factor, colour in (1 + 1e-12, style.INK), (1.01, style.LOOSE), (0.99, style.TOO_SMALL):
        other = mean.assign(sensitivity=mean["sensitivity"] * [1, factor, 1, 1])
        by_colour = {
            to_hex(line.get_color()): [*line.get_xdata()]
            for line in named(sl.plot_sweep(mean, beside=other).axes[0], "tick")
        }
        assert by_colour[style.INK] == ([1, 2, 3, 4] if colour == style.INK else [1, 3, 4])
        assert 2 in by_colour[colour]


@pytest.mark.parametrize("columns", in_turn([["days"], ["days", "mood"]]))
def test_on_a_phone_two_panels_stand_beside_one_another(compared, columns):
    """Catches words that become too small to read on a narrow page."""
    wide = sl.plot_sweep(compared[compared["column"].isin(columns)], formulas=True)
    phone = style.NARROW_FORMS[wide]()
    assert (wide.get_figwidth(), phone.get_figwidth()) == (style.WIDTH, style.PHONE)
    assert phone not in style.NARROW_FORMS
    panels = phone.axes if len(columns) == 1 else phone.subfigs[1].axes
    assert {panel.get_subplotspec().get_gridspec().ncols for panel in panels} == {2}
    labels = [label for panel in phone.axes for label in panel.get_xticklabels()]
    assert min(label.get_fontsize() for label in labels) >= 12
    for here, there in zip(wide.axes, phone.axes, strict=True):
        for line, again in zip(here.lines, there.lines, strict=True):
            np.testing.assert_equal(line.get_ydata(), again.get_ydata())


# --- the witness -------------------------------------------------------------------------


def test_the_number_line_keeps_order_and_proportion():
    """Catches places out of order, and a line that is shortened where it need not be."""
    values = [0, 1, 3, 4, 500]
    line = witness.NumberLine(values, [-3], room=270)
    xs = [line.x_of(value) for value in (-3, *values)]
    assert xs == [0, 30, 40, 60, 70, 270]
    assert line.breaks == [170]
    assert line.x_of(252) == 170
    assert witness.NumberLine([4, 4]).xs == [witness.NumberLine([4]).x_of(4)] == [witness.ROOM / 2]
    assert witness.NumberLine([4], [5, 9], room=100).xs == [0, 20, 100]


@pytest.mark.parametrize("largest", [1.7e308, 10**400, 10**5000], ids=["float", "400", "5000"])
def test_numbers_beyond_the_floats_have_their_places(largest):
    """Catches overflow in steps, places, ticks and answers; a hyphen for a minus."""
    universe = sl.Universe.value_range([-largest, 0, largest])
    found, figure = asked(sl.MEAN, universe, 3), drawn(sl.MEAN, universe, 3)
    places = {x for kind in witness.KINDS for x, _ in dots(figure, kind)}
    assert places == {0, witness.ROOM}
    assert f"sensitivity\n{value_text(found.value)}" in texts(figure)
    assert any(text.startswith("−1") for text in texts(figure))
    assert "-" not in "".join(texts(figure)).replace("e-", "")
    assert len(repr(found) + repr(universe)) < 2500
    assert value_text(found.value) in found._repr_html_()


def test_what_is_in_another_unit_is_written_and_not_marked():
    """Catches a variance, in squared units, a count or a vector on the axis of the records."""
    bins = sl.histogram([0, 5, 10, 25])
    others = (sl.VARIANCE, sl.COUNT, sl.count_distinct, sl.count_where(lambda x: x > 3), bins)
    for query in others:
        norm = 2 if query is bins else 1
        found = asked(query, ABSENCES, relation=sl.SymmetricDifference(2), norm=norm)
        figure = sl.plot_witness(found)
        assert not arrows(figure)
        lines = figure.axes[0].lines
        assert all(line.get_linewidth() < 2 or line.get_marker() != "None" for line in lines)
        assert f"sensitivity\n{value_text(found.value)}" in texts(figure)
    vectors = (f"({', '.join(map(str, bins(dataset)))})" for dataset in found.witness)
    assert {*vectors} <= set(texts(figure))
    assert arrows(drawn(sl.STD, ABSENCES))


def test_a_sum_beyond_the_records_leaves_their_axis_alone():
    """Catches records squeezed together by an answer far to their right."""
    figure = drawn(sl.SUM, ABSENCES)
    places = [x for kind in witness.KINDS for x, _ in dots(figure, kind)]
    assert (min(places), max(places)) == (0, witness.ROOM)
    assert {"sum = 21", "sum = 40"} <= set(texts(figure))
    bits = sl.Universe.value_range([0, 12])
    near = sl.local_sensitivity(sl.SUM, (0,), bits, relation=sl.Add(1))
    assert sorted(answers_on(near)) == [0, 12]
    assert arrows(sl.plot_witness(near))


def test_the_arrow_runs_between_the_answers_whichever_is_larger():
    """Catches an arrow from right to left, whose length is negative: no arrow is drawn then."""
    both, sides = [], ((1, 18, 19), (18, 19, 20))  # so far to the right that the number stands left
    found = asked(sl.MEAN, sl.Universe.population([1, 18, 19, 20]), 3)
    for pair in (sides, sides[::-1]):
        [arrow] = arrows(sl.plot_witness(replace(found, witness=pair)))
        both.append((arrow.xy, arrow.xyann))
    assert both[0] == both[1]
    assert both[0][0][0] < both[0][1][0]
    close = sl.plot_witness(replace(found, witness=((1, 18, 19), (1, 18, 20))))
    assert max(line.get_linewidth() for line in close.axes[0].lines) == 4  # too short for heads


def test_a_witness_can_be_drawn_on_axes_of_your_own():
    """Catches a second figure, a legend off the page, and dots larger than their axes."""
    found = asked(sl.MEAN, ABSENCES, 1, sl.SymmetricDifference(1))
    right = drawn_beside(found)
    height = right.get_window_extent().height / right.figure.dpi * 72
    assert np.diff(right.get_ylim()) == pytest.approx(height)
    with pytest.raises(ValueError, match="ax must be at least 150 by 150 points, got"):
        sl.plot_witness(found, ax=plt.Figure(figsize=(2, 1)).subplots())
    with pytest.raises(TypeError, match="ax must be Matplotlib axes, got 'here'"):
        sl.plot_witness(found, ax="here")


def test_what_cannot_be_drawn_is_refused():
    """Catches a picture of a thousand dots, and of None."""
    bits = sl.Universe.value_range([0, 1])
    many = sl.local_sensitivity(sl.COUNT, [1] * 150, bits, relation=sl.Remove(1))
    with pytest.raises(ValueError, match=r"witness must hold at most 100 records .* got 150"):
        sl.plot_witness(many)
    known = sl.Query("known", lambda x: sum(v is not None for v in x), takes_missing=True)
    missing = asked(known, sl.Universe.population([1, 2, None]), 2)
    with pytest.raises(ValueError, match="witness must hold numbers to be drawn, got None in"):
        sl.plot_witness(missing)
    with pytest.raises(TypeError, match="sensitivity must be a Sensitivity, got 3"):
        sl.plot_witness(3)


# --- one style, shown once, always the same file -----------------------------------------


@pytest.fixture(scope="module")
def drawings(table, compared, mean_witness):
    return [
        lambda: sl.plot_sweep(table),
        lambda: sl.plot_compare(compared[compared["query"] == "mean"]),
        lambda: sl.plot_witness(mean_witness),
    ]


def test_a_figure_leaves_nothing_behind_and_is_always_the_same_file(table, drawings):
    """Catches a style that leaks, after an error too; a file that changes from run to run."""
    before = dict(plt.rcParams)
    for draw in drawings:
        assert svg(draw()) == svg(draw())
    with pytest.raises(ValueError, match="column must"):
        sl.plot_sweep(table, column="none")
    assert dict(plt.rcParams) == before
    assert plt.get_fignums() == []


def test_text_is_large_enough_for_a_phone_and_stays_on_the_page(drawings):
    """Catches small print: a figure 6.4 inches wide on 340 pixels has 12 points in 8.9 pixels."""
    for draw in drawings:
        assert_readable(draw())


# --- the looks ---------------------------------------------------------------------------


@picture
def test_picture_of_a_sweep(table):
    return sl.plot_sweep(table)


@picture
def test_picture_of_a_comparison():
    dice = {"dice": sl.Universe.value_range([1, 2, 3, 4, 5, 6])}
    queries = [sl.MEAN, sl.VARIANCE, sl.MEDIAN, sl.SUM]
    return sl.plot_compare(sl.compare(queries, dice, size=3, relations=RELATIONS, bounds=(0, 6)))


@picture
def test_picture_of_two_columns_with_formulas_and_published_numbers():
    """The whole of an experiment, one number printed too small and one loose."""
    queries = [sl.MEAN, sl.MEDIAN, sl.COUNT, sl.SUM, sl.STD, sl.VARIANCE, sl.quantile(0.25)]
    columns = {"days": SCHOOL, "mood": sl.Universe.value_range([1, 2])}
    table = sl.compare(queries, columns, size=2, relations=RELATIONS)
    printed = table.astype({"sensitivity": float})
    printed.loc[0, "sensitivity"] *= 0.7
    printed.loc[len(printed) - 1, "sensitivity"] *= 1.2
    return sl.plot_sweep(table, formulas=True, beside=printed)


@picture
def test_picture_of_a_witness(mean_witness):
    return sl.plot_witness(mean_witness)


@picture
def test_picture_of_a_witness_with_an_outlier_and_a_stack():
    dataset = (1, 1, 1, 2, 3, 3, 4)
    universe = sl.Universe.value_range([1, 2, 3, 4, Fraction(9, 2), 100_000])
    return sl.plot_witness(sl.local_sensitivity(sl.MEAN, dataset, universe, relation=sl.Change(2)))


@picture
def test_picture_of_a_vector_witness():
    return sl.plot_witness(asked(sl.histogram([0, 5, 10, 25]), ABSENCES, norm=2))
