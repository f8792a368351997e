"""An explorer's two lives show the same: what its view computes."""

import itertools
import json
import math
import re
from fractions import Fraction
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest
from conftest import ROOT
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from sensitivity_book.case_files import Case
from sensitivity_book.explorers.audit import audit_view
from sensitivity_book.explorers.clipping import clipping_explorer
from sensitivity_book.explorers.derivative import derivative_explorer
from sensitivity_book.explorers.divergence import divergence_explorer
from sensitivity_book.explorers.explorer import LIVE, OPENING_ONLY, Explorer, Knob, Own, View, svg
from sensitivity_book.explorers.formula import formula_explorer
from sensitivity_book.explorers.gallery import explorers
from sensitivity_book.explorers.questions import RELATIONS
from sensitivity_book.explorers.witness import witness_explorer, witness_view
from sensitivity_book.scenarios import school_large

import sensitivity_lab as sl
from sensitivity_lab.plotting.style import K_LABEL, styled_figure
from sensitivity_lab.text import value_text

QUOTED = re.compile(r'<script type="application/json">(.*?)</script>', re.DOTALL)
NAMED = re.compile(r'<div class="explorer" id="explorer-([^"]+)"')
CHOICE = re.compile(r'data-choice="([^"=]*)=([^"]*)"')


def dot(x: int) -> Figure:
    """A dot; a click on it chooses three."""
    with styled_figure(figsize=(3, 2)) as figure:
        figure.subplots().plot([x], [x], "o", gid="x=three")
    return figure


def plotted(x: int, times: int) -> View:
    return View(
        (dot(x), dot(times)), f"{x} × {times} = {x * times} </script>", f"dots at {x}, {times}"
    )


@pytest.fixture
def explorer() -> Explorer:
    knobs = [
        Knob("x", "the number", {"one": 1, "two": 2, "three": 3}, start="two"),
        Knob("times", "times", {"2": 2, "5": 5}, ordered=False),
    ]
    return Explorer("product", plotted, knobs, Own("x", "your own", "7", int))


def unpacked(page: str) -> list[tuple[str, str, str]]:
    """Every frame that a page holds, as the page's script puts it together."""
    data = json.loads(QUOTED.search(page)[1])
    lines = [
        re.sub("§([0-9]+)", lambda found: data["styles"][int(found[1])], line)
        for line in data["lines"]
    ]
    return [
        (text, alt, "\n".join(lines[number] for number in numbers))
        for text, alt, numbers in data["frames"]
    ]


def drawn(shown: View) -> tuple[str, str, str]:
    return shown.text, shown.alt, "\n".join(map(svg, shown.figures))


def test_the_page_holds_every_frame(explorer):
    """Catches frames out of order, and lines or styles lost in packing."""
    places = [(x, times) for x in ("one", "two", "three") for times in ("2", "5")]
    for (x, times), frame in zip(places, unpacked(explorer.html), strict=True):
        assert frame == drawn(explorer.view(x=x, times=times))


def test_it_opens_at_its_start(explorer):
    """Catches a page whose knobs and picture disagree before the first turn."""
    assert '<p role="status" aria-live="polite">2 × 2 = 4 &lt;/script&gt;</p>' in explorer.html
    assert re.search(r'name="x" data-count="3" [^>]* value="1"', explorer.html)
    assert explorer.html.count("</script>") == 2  # a text that ends a script stays text


def test_without_a_script_it_says_why_the_knobs_are_dead(explorer):
    """Catches knobs that do nothing, and no word why."""
    note, knobs = explorer.html.index("<noscript>"), explorer.html.index('class="knob"')
    assert note < knobs
    assert "The knobs need JavaScript" in explorer.html[note:knobs]


def test_it_is_the_same_twice(explorer):
    """Catches identifiers that change from run to run, which the notebooks' check forbids."""
    again = Explorer("product", plotted, explorer.knobs)
    assert again.html == explorer.html


def test_without_its_frames_a_page_is_otherwise_the_same(explorer, monkeypatch):
    """Catches a comparison of stored outputs that passes over more than the frames."""
    whole = Explorer("product", plotted, explorer.knobs).html
    monkeypatch.setenv(OPENING_ONLY, "1")
    assert unpacked(explorer.html) == []
    assert QUOTED.sub("", explorer.html) == QUOTED.sub("", whole)


STORED = {
    found[1]: page
    for chapter in sorted((ROOT / "notebooks").glob("*.ipynb"))
    for cell in nbformat.read(chapter, as_version=4).cells
    for output in cell.get("outputs", [])
    if (found := NAMED.match(page := output.get("data", {}).get("text/html", "")))
}


@pytest.fixture(scope="module")
def gallery() -> dict[str, Explorer]:
    return explorers()


def test_every_explorer_is_stored(gallery):
    """Catches an explorer that no chapter shows, and one that the gallery and its tests miss."""
    assert STORED.keys() == gallery.keys()


@pytest.mark.parametrize("name", STORED)
def test_the_stored_frames_are_those_that_are_drawn(gallery, name):
    """Catches a chapter stored before an explorer changed: every knob is turned to both ends."""
    explorer, stored = gallery[name], unpacked(STORED[name])
    settings = list(itertools.product(*(knob.names for knob in explorer.knobs)))
    assert len(stored) == len(settings)
    opening = {knob.argument: knob.first for knob in explorer.knobs}
    for knob in explorer.knobs:
        for setting in (knob.names[0], knob.names[-1]):
            chosen = opening | {knob.argument: setting}
            frame = stored[settings.index(tuple(chosen.values()))]
            assert frame == drawn(explorer.view(**chosen)), chosen


def test_a_live_session_does_not_wait_for_the_page(explorer, monkeypatch):
    """Catches an explorer that draws all frames before a person can turn it."""
    monkeypatch.setenv(LIVE, "notebook.ipynb")
    bundle = explorer._repr_mimebundle_()
    assert "text/html" not in bundle
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_live_controls_compute(explorer):
    """Catches a live control that is not connected, or a setting of another knob."""
    bundle = explorer._repr_mimebundle_()
    assert bundle["text/html"] == explorer.html
    assert bundle["text/plain"] == "<Explorer product: the number, times>"
    slider, menu, field, sentence, picture = explorer.children
    slider.value, menu.value = "three", "5"
    assert sentence.value == "<p>3 × 5 = 15 &lt;/script&gt;</p>"
    assert picture.value == "\n".join(map(svg, explorer.view(x="three", times="5").figures))
    field.value = "11"
    assert sentence.value.startswith("<p>11 × 5 = 55")
    field.value = "eleven"
    assert "eleven" in sentence.value
    assert picture.value == ""


def test_a_click_on_the_live_picture_turns_its_knob(explorer, monkeypatch):
    """Catches a click that is lost, and one that moves the picture but not the slider."""
    monkeypatch.setenv(LIVE, "notebook.ipynb")
    explorer._repr_mimebundle_()
    slider, _menu, _field, sentence, picture = explorer.children
    assert CHOICE.findall(picture.value) == [("x", "three")] * 2  # in each of the two figures
    picture._handle_custom_msg("x=three", [])  # what the front end sends
    assert slider.value == "three"
    assert sentence.value.startswith("<p>3 × 2 = 6")


def test_a_choice_is_no_id():
    """Catches two elements of one id, where a page shows two figures of one choice."""
    with styled_figure() as figure:
        panel = figure.subplots()
        panel.add_patch(Rectangle((0, 0), 1, 1, gid="n=1"))
        panel.plot([0, 1], [0, 1], "o-", gid="n=<2>")  # a group of a line and its dots
    lean = svg(figure)
    assert re.findall(r'<(\w+) data-choice="([^"]*)" cursor="pointer"', lean) == [
        ("path", "n=1"),
        ("g", "n=&lt;2&gt;"),
    ]
    assert not re.search(r' id="[^"]*=', lean)
    assert lean.count("<g ") == lean.count("</g>")


def test_lean_svg_keeps_what_is_drawn():
    """Catches an element, a marker's definition or a text that is left out."""
    with styled_figure() as figure:
        panel = figure.subplots()
        panel.plot([0, 1, 2], [1, 3, 2], "o-", label="a line")
        panel.legend()
        panel.set_xlabel("how many")
        panel.set_title("3.16667 > 3.1")
    lean = svg(figure)
    assert "a line" in lean
    assert "how many" in lean
    assert "3.16667 &gt; 3.1" in lean  # coordinates are cut, written numbers are not
    used = set(re.findall(r'(?:url\(#|href="#)([^")]+)', lean))
    assert used
    assert used <= set(re.findall(r' id="([^"]*)"', lean))
    assert lean.count("<g ") == lean.count("</g>")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Knob("x", "x", {}), "settings of knob x must name at least one setting"),
        (
            lambda: Knob("x", "x", {"1": 1}, start="2"),
            "start of knob x must be one of 1, got start='2'",
        ),
        (
            lambda: Explorer(
                "big", plotted, [Knob(a, a, {str(i): i for i in range(40)}) for a in "xy"]
            ),
            "at most 1000 combinations of settings, got 1600",
        ),
        (lambda: formula_explorer().view(colour="red"), "formula has no knob colour"),
    ],
)
def test_bad_input(call, message):
    """Catches an explorer that is made, and fails only when it is turned."""
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


# --- what the explorers say, by another route -------------------------------------------------


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("k", ["1", "4"])
def test_the_witness_explorer_says_what_the_walk_finds(relation, k):
    """Catches a sentence about another relation, k or column."""
    explorer = witness_explorer("school_large", "absence_days")
    text = explorer.view(query="mean", relation=relation, k=k).text
    found = sl.global_sensitivity(
        sl.MEAN,
        school_large().universes["absence_days"],
        size=6,
        relation=RELATIONS[relation](int(k)),
        method="walk",
    )
    assert f"the sensitivity is {value_text(found.value)}. (" in text
    assert text.endswith(f"{found.witness[0]} against {found.witness[1]}.")


def test_your_own_records(monkeypatch):
    """Catches records that are not the ones typed, and an error that stops the explorer."""
    monkeypatch.setenv(LIVE, "notebook.ipynb")
    explorer = witness_explorer("school_large", "absence_days")
    explorer._repr_mimebundle_()
    field, sentence = explorer.children[3], explorer.children[4]
    field.value = "1, 2, 3, 10"
    assert "at k = 1" in sentence.value
    assert "(1, 2) against (2, 10)" in sentence.value
    field.value = "1, 2, many"
    assert "many" in sentence.value


def test_an_infeasible_direction_is_said(monkeypatch):
    """Catches a picture of nothing."""
    monkeypatch.setenv(LIVE, "notebook.ipynb")
    explorer = witness_explorer("school_large", "absence_days")
    explorer._repr_mimebundle_()
    relation, field, sentence = explorer.children[1], explorer.children[3], explorer.children[4]
    relation.value = "exactly k added or removed"
    field.value = "5"
    assert "no dataset of size 1 has a neighbour" in sentence.value


def test_a_picture_holds_all_that_it_says():
    """Catches an axis without a name, and a point or a bar that ends outside."""
    (formula,) = formula_explorer().view(k="3").figures
    row = sl.AuditRow("Change", 1, 5, claimed=7, found=4)
    (audit,) = audit_view(Case("a library", "1", "sum", "", (row,))).figures
    panels = [formula.axes[0], audit.axes[0]]
    assert all(panel.get_xlabel() for panel in panels)
    assert panels[0].get_ylabel()
    for line in panels[0].lines:
        (left, right), (low, high) = panels[0].get_xlim(), panels[0].get_ylim()
        assert all(left < x < right for x in line.get_xdata())
        assert all(low <= y < high for y in line.get_ydata())
    bars = {round(bar.get_y() + 0.3): bar.get_width() for bar in panels[1].patches}
    assert bars == {1: 7, 0: 4}
    assert [tick.get_text() for tick in panels[1].get_yticklabels()] == ["claimed", "exact"]
    assert 7 < panels[1].get_xlim()[1] < 8


PAIR = re.compile(r"the sensitivity is (.*?)\. \((.*)\) against \((.*)\)\.$")


@pytest.mark.parametrize(
    ("scenario", "column"), [("school_large", "absence_days"), ("vehicle", "driving_proficiency")]
)
def test_every_witness_of_the_witness_explorers_can_be_checked(scenario, column, monkeypatch):
    """Catches a pair whose records are not printed in full, or are another setting's."""
    monkeypatch.setattr("sensitivity_book.explorers.witness.plot_witness", lambda _: None)
    monkeypatch.setattr("sensitivity_book.explorers.witness._curve_figure", lambda *_: None)
    explorer = witness_explorer(scenario, column)
    queries, relations, ks = (knob.settings for knob in explorer.knobs)
    for query, relation, k in itertools.product(queries, relations, ks):
        text = explorer.view(query=query, relation=relation, k=k).text
        value, *sides = PAIR.search(text).groups()
        one, other = (tuple(map(Fraction, side.split(", "))) for side in sides)
        gap = abs(float(queries[query](one)) - float(queries[query](other)))
        assert gap == pytest.approx(float(Fraction(re.split("[=≈] ", value)[-1])), rel=1e-5), text


@pytest.mark.parametrize("counts", list(itertools.product(range(4), repeat=3))[::5])
def test_every_box_fills_or_empties_its_column(counts):
    """Catches a box that chooses another value's count, too many records, or what is shown."""
    explorer = derivative_explorer()
    arguments = ("zeros", "ones", "twos")
    shown = explorer.view(**dict(zip(arguments, map(str, counts), strict=True)))
    expected = [
        (argument, str(height - 1 if height <= count else height))
        for argument, count in zip(arguments, counts, strict=True)
        for height in (1, 2, 3)
    ]
    assert CHOICE.findall("".join(map(svg, shown.figures))) == expected
    settings = {knob.argument: knob.names for knob in explorer.knobs}
    assert all(name in settings[argument] for argument, name in expected)


@pytest.mark.parametrize("query", [sl.MEAN, sl.MEDIAN, sl.VARIANCE, sl.SUM])
def test_the_derivative_explorer_says_the_local_sensitivity(query):
    """Catches a norm of other steps, and a band or panel that is too low for them."""
    universe, records = sl.Universe.value_range([0, 1, 2]), (0, 0, 1, 2, 2, 2)
    shown = derivative_explorer().view(query=query.name, zeros="2", ones="1", twos="3")
    found = sl.local_sensitivity(query, records, universe, relation=sl.SymmetricDifference(1))
    assert f"the local sensitivity, is {found.value};" in shown.text
    below = shown.figures[0].axes[0]
    (band,) = below.patches
    assert band.get_y() + band.get_height() == pytest.approx(float(found.value))
    heights = [y for line in below.lines for y in line.get_ydata()]
    assert max(map(abs, heights)) == pytest.approx(float(found.value))
    assert found.value < below.get_ylim()[1]


def test_the_formula_explorer_says_both_numbers():
    """Catches formula and enumeration of different questions."""
    text = (
        formula_explorer()
        .view(query="sum", relation="at most k added or removed", bounds="[1, 3]", k="3")
        .text
    )
    assert "gives 9 (exact). Enumeration finds 9." in text
    changed = formula_explorer().view(
        query="mean", relation="at most k changed", bounds="[1, 3]", size="5", k="3"
    )
    assert f"gives {Fraction(6, 5)} = 1.2 (exact)" in changed.text


def test_the_knobs_are_these():
    """Catches a lost setting, another start, a menu for a slider, and what runs from right to left."""
    witness, formula = witness_explorer("school_large", "absence_days"), formula_explorer()
    named = {knob.argument: (knob.names, knob.first, knob.ordered) for knob in witness.knobs}
    queries = ("mean", "median", "quantile(0.9)", "sum", "variance", "std", "min", "max")
    assert named == {
        "query": (queries, "mean", False),
        "relation": (tuple(RELATIONS), "at most k changed", False),
        "k": (("1", "2", "3", "4"), "1", True),
    }
    named = {knob.argument: (knob.names, knob.first, knob.ordered) for knob in formula.knobs}
    assert named == {
        "query": (("mean", "sum", "median", "variance"), "mean", False),
        "relation": (tuple(RELATIONS)[1:], "at most k changed", False),
        "bounds": (("[0, 3]", "[-2, 3]", "[1, 3]"), "[0, 3]", False),
        "size": (("3", "4", "5"), "4", True),
        "k": (("1", "2", "3"), "1", True),
    }
    bounds = {knob.names[0]: knob.settings["[-2, 3]"] for knob in formula.knobs[2:3]}
    assert bounds == {"[0, 3]": (-2, 3)}
    for explorer in (witness, formula, clipping_explorer(), divergence_explorer()):
        for knob in explorer.knobs:
            if knob.ordered:
                assert list(knob.settings.values()) == sorted(map(float, knob.names))


def test_the_curves_have_their_axes():
    """Catches a curve that is cut off, a scale that does not begin at zero, a lost label."""
    chosen = {"query": "mean", "relation": "at most k added or removed", "k": "3"}
    curve, _ = witness_explorer("school_large", "absence_days").view(**chosen).figures
    (formula,) = formula_explorer().view(**chosen, bounds="[-2, 3]").figures
    for figure in (curve, formula):
        (panel,) = figure.axes
        assert (panel.get_xlabel(), panel.get_ylabel()) == (K_LABEL, "sensitivity")
        assert [*panel.get_xticks()] == [1, 2, 3, 4]
        assert panel.get_xlim() == (0.8, 4.2)
        highest = max(y for line in panel.lines for y in line.get_ydata())
        assert panel.get_ylim() == pytest.approx((0, 1.15 * highest))
        ring = panel.lines[-1]
        assert ring.get_fillstyle() == "none"
        k, height = ring.get_xydata()[0]
        assert height == dict(panel.lines[-2].get_xydata())[k]
        assert k == 3
    nothing = formula_explorer().view(**chosen | {"query": "sum", "bounds": "[0, 3]", "k": "1"})
    assert nothing.figures[0].axes[0].get_ylim()[0] == 0


@pytest.mark.parametrize(("claimed", "exact", "end"), [(2, 3, 3.3), (4, 1, 4.4), (0, 0, 1)])
def test_an_audit_has_two_bars_on_one_scale(claimed, exact, end):
    """Catches bars that change places or leave the picture."""
    row = sl.AuditRow("Change", 1, 2, claimed, exact, (0,), (1,), (0, exact))
    view = audit_view(SimpleNamespace(row=row, name="a: case", library="a", version="1"))
    (panel,) = view.figures[0].axes
    assert panel.get_xlim() == pytest.approx((0, end))
    assert panel.get_xlabel() == "sensitivity"
    assert [label.get_text() for label in panel.get_yticklabels()] == ["claimed", "exact"]
    bars = {bar.get_y() + bar.get_height() / 2: bar.get_width() for bar in panel.patches}
    assert bars == {1: claimed, 0: exact}
    assert f"claims {claimed}; the exact number is {exact}" in view.text


@pytest.mark.parametrize("epsilon", ["0.001", "0.01", "0.1"])
def test_the_best_bound_can_be_reached_and_its_bowl_is_seen(epsilon):
    """Catches a best bound between two settings, and an axis on which the error looks flat."""
    explorer = clipping_explorer()
    best = re.search(r"best bound is (.*)\.$", explorer.view(epsilon=epsilon).text)[1]
    frames = [explorer.view(bound=bound, epsilon=epsilon) for bound in ("20", best, "125")]
    panels = [frame.figures[0].axes[0] for frame in frames]
    assert {panel.get_yscale() for panel in panels} == {"linear"}
    (frame,) = {(*panel.get_xlim(), *panel.get_ylim()) for panel in panels}
    error = panels[1].lines[2].get_ydata()
    low, high = frame[2:]
    assert (low, high) == (0, pytest.approx(4 * error.min()))
    assert error[-1] > 1.4 * error.min()
    assert "above the frame" in frames[0].alt
    assert f"the error at {best} is ringed" in frames[1].alt
    assert panels[1].lines[-1].get_xydata().tolist() == [[int(best), error.min()]]


def test_chances_that_differ_are_not_both_nought():
    """Catches "chance 0.0000" beside a divergence of 9.8."""
    explorer = divergence_explorer()
    for days in ("0", "12", "100"):
        for low in ("-40", "40", "120"):
            text = explorer.view(days=days, scale="10", low=low).text
            found = re.search(r"chance (\S+) with .*, (\S+) without; .* over S is (\S+)\. ", text)
            more, fewer, divergence = map(float, found.groups())
            assert abs(math.log(more / fewer)) == pytest.approx(divergence, abs=2e-3)


def test_the_tents_are_smooth():
    """Catches densities drawn as polygons that anybody sees."""
    (panel,) = divergence_explorer().view(scale="10").figures[0].axes
    for line in panel.lines:
        assert np.diff(line.get_xdata()).max() <= 1
        assert line.get_ydata().max() == pytest.approx(1 / 20)


def test_one_box_is_one_zero():
    """Catches "1 zeros"."""
    explorer = derivative_explorer()
    assert "Boxes for 1 zero, 0 ones, 1 two." in explorer.view().alt
    assert "Boxes for 2 zeros, 1 one, 3 twos." in explorer.view(zeros="2", ones="1", twos="3").alt


def test_a_witness_is_written_as_it_can_be_checked():
    """Catches records that are rounded: the pair then has another gap."""
    records = (0.123456789, 1.5, 2.75, 10.000001)
    universe = sl.Universe.population(records)
    text = witness_view(universe, 2, 1, sl.MEAN, sl.Change, 1).text
    found = sl.global_sensitivity(sl.MEAN, universe, size=2, relation=sl.Change(1))
    assert text.endswith(f"{found.witness[0]} against {found.witness[1]}.")
