"""Closed forms and other people's numbers beside the curves of a sweep."""

import pandas as pd
import pytest
from matplotlib.colors import to_hex

import sensitivity_lab as sl
from sensitivity_lab.plotting import style

QUERIES = [sl.MEAN, sl.SUM, sl.MEDIAN, sl.MAX, sl.MIN, sl.COUNT, sl.VARIANCE]
RELATIONS = [family(k) for family in (sl.AddRemove, sl.Change) for k in (1, 2, 3)]
COLUMNS = {
    "days": sl.Universe.population([1, 2, 3, 8, 15, 20]),
    "mood": sl.Universe.value_range([1, 2, 3]),
}


@pytest.fixture(scope="module")
def compared():
    return sl.compare(QUERIES, COLUMNS, size=4, relations=RELATIONS)


def named(panel, name):
    """The lines of a panel that are closed forms, ticks or curves."""
    colours = {"closed form": style.CLAIMED, "exact": style.EXACT}
    lines = [line for line in panel.lines if line.get_marker() != "_"]
    if name == "tick":
        return [line for line in panel.lines if line.get_marker() == "_"]
    return [line for line in lines if to_hex(line.get_color()) == colours[name]]


def rows_of(table, column, panel, relation):
    at = (table["column"] == column) & (table["relation"] == relation)
    return table[at & (table["query"] == panel.get_title(loc="left"))]


def test_each_curve_has_its_closed_form_and_each_number_its_tick(compared):
    """Catches a formula of another relation or column, and a tick at another k."""
    figure = sl.plot_sweep(compared, formulas=True, beside=compared)
    for part, column in zip(figure.subfigs, COLUMNS, strict=True):
        assert part.get_suptitle().startswith(f"{column}, datasets of size 4")
        assert len(part.axes) == len(QUERIES)
        for panel in part.axes:
            drawn = zip(
                *(named(panel, name) for name in ("exact", "closed form", "tick")), strict=True
            )
            for (curve, form, ticks), relation in zip(drawn, ("AddRemove", "Change"), strict=True):
                rows = rows_of(compared, column, panel, relation)
                known = rows[rows["sensitivity"].notna()]
                for line, name in (curve, "sensitivity"), (form, "closed_form"):
                    heights = [y for y in line.get_ydata() if y == y]
                    assert heights == [float(value) for value in known[name]]
                assert [*ticks.get_xdata()] == [*known["k"]]
                assert [*ticks.get_ydata()] == [float(value) for value in known["sensitivity"]]
                assert to_hex(ticks.get_color()) == style.INK
                assert panel.get_ylim()[1] > max(form.get_ydata())


def test_a_number_that_differs_says_in_which_way(compared):
    """Catches a difference that is drawn as if it agreed, and a last digit that is drawn as one."""
    mean = compared[(compared["query"] == "mean") & (compared["relation"] == "Change")]
    mean = mean[mean["column"] == "mood"].astype({"sensitivity": float})
    for factor, colour in (1 + 1e-12, style.INK), (1.01, style.LOOSE), (0.99, style.TOO_SMALL):
        other = mean.assign(sensitivity=mean["sensitivity"] * [1, factor, 1])
        by_colour = {
            to_hex(line.get_color()): [*line.get_xdata()]
            for line in named(sl.plot_sweep(mean, beside=other).axes[0], "tick")
        }
        assert by_colour[style.INK] == ([1, 2, 3] if colour == style.INK else [1, 3])
        assert 2 in by_colour[colour]


def test_formulas_are_drawn_when_asked_for_alone(compared):
    """Catches a scale that leaves room for lines that are not drawn, and a legend that lies."""
    mood = compared[compared["column"] == "days"]
    plain, full = sl.plot_sweep(mood), sl.plot_sweep(mood, formulas=True, beside=mood)
    assert all(len(panel.lines) == 2 for panel in plain.axes)
    heights = {panel.get_title(loc="left"): panel.get_ylim()[1] for panel in plain.axes}
    assert heights["variance"] < full.axes[QUERIES.index(sl.VARIANCE)].get_ylim()[1]
    words = [[text.get_text() for text in f.legends[0].get_texts()] for f in (plain, full)]
    assert words[1] == [*words[0], "closed form", "published"]
    with pytest.raises(ValueError, match=r"got one without \['closed_form'\]"):
        sl.plot_sweep(mood.drop(columns="closed_form"), formulas=True)


@pytest.mark.parametrize("columns", [["days"], ["days", "mood"]])
def test_on_a_phone_two_panels_stand_beside_one_another(compared, columns):
    """Catches words that become too small to read on a narrow page."""
    wide = sl.plot_sweep(compared[compared["column"].isin(columns)], formulas=True)
    phone = style.NARROW_FORMS[wide]()
    assert (wide.get_figwidth(), phone.get_figwidth()) == (style.WIDTH, style.PHONE)
    assert phone not in style.NARROW_FORMS
    panels = phone.axes if len(columns) == 1 else phone.subfigs[1].axes
    assert {panel.get_subplotspec().get_gridspec().ncols for panel in panels} == {2}
    assert (
        min(label.get_fontsize() for panel in phone.axes for label in panel.get_xticklabels()) >= 12
    )
    shown = [
        [[*line.get_ydata()] for axes in one.axes for line in axes.lines] for one in (wide, phone)
    ]
    assert repr(shown[0]) == repr(shown[1])


@pytest.mark.parametrize(
    ("beside", "error", "message"),
    [
        (lambda t: t.assign(k=1.5), ValueError, "beside must hold whole k from 0 to .*, got k=1.5"),
        (
            lambda t: t.assign(sensitivity=-1),
            ValueError,
            "beside must hold numbers from 0 .*, got -1",
        ),
        (lambda t: pd.concat([t, t]), ValueError, "beside must hold each number once, got two for"),
        (
            lambda t: t.assign(query="x" + t["query"]),
            ValueError,
            "beside must hold numbers of what table holds",
        ),
    ],
    ids=range(4),
)
def test_what_cannot_stand_beside_is_refused(compared, beside, error, message):
    """Catches a picture without the numbers that were given, and pandas' own errors."""
    with pytest.raises(error, match=message):
        sl.plot_sweep(compared, beside=beside(compared))
