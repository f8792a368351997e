"""An explorer's two lives show the same: what its view computes."""

import itertools
import json
import re
from fractions import Fraction

import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import sensitivity_lab as sl
from sensitivity_lab.plots import styled_figure
from sensitivity_lab.teaching.explorer import LIVE, Explorer, Knob, Own, View, svg
from sensitivity_lab.teaching.explorers import (
    RELATIONS,
    derivative_explorer,
    formula_explorer,
    witness_explorer,
)
from sensitivity_lab.teaching.scenarios import school_large
from sensitivity_lab.text import value_text

QUOTED = re.compile(r'<script type="application/json">(.*?)</script>', re.DOTALL)
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


def test_the_page_holds_every_frame(explorer):
    """Would catch frames out of order, and lines or styles lost in packing."""
    data = json.loads(QUOTED.search(explorer.html)[1])
    places = [(x, times) for x in ("one", "two", "three") for times in ("2", "5")]
    for (x, times), (text, alt, numbers) in zip(places, data["frames"], strict=True):
        shown = explorer.view(x=x, times=times)
        lines = [
            re.sub("§([0-9]+)", lambda found: data["styles"][int(found[1])], data["lines"][number])
            for number in numbers
        ]
        assert (text, alt) == (shown.text, shown.alt)
        assert "\n".join(lines) == "\n".join(map(svg, shown.figures))


def test_it_opens_at_its_start(explorer):
    """Would catch a page whose knobs and picture disagree before the first turn."""
    assert '<p role="status" aria-live="polite">2 × 2 = 4 &lt;/script&gt;</p>' in explorer.html
    assert re.search(r'name="x" data-count="3" [^>]* value="1"', explorer.html)
    assert explorer.html.count("</script>") == 2  # a text that ends a script stays text


def test_it_is_the_same_twice(explorer):
    """Would catch identifiers that change from run to run, which the notebooks' check forbids."""
    again = Explorer("product", plotted, explorer.knobs)
    assert again.html == explorer.html


def test_a_live_session_does_not_wait_for_the_page(explorer, monkeypatch):
    """Would catch an explorer that draws all frames before a person can turn it."""
    monkeypatch.setenv(LIVE, "notebook.ipynb")
    bundle = explorer._repr_mimebundle_()
    assert "text/html" not in bundle
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_live_controls_compute(explorer):
    """Would catch a live control that is not connected, or a setting of another knob."""
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
    """Would catch a click that is lost, and one that moves the picture but not the slider."""
    monkeypatch.setenv(LIVE, "notebook.ipynb")
    explorer._repr_mimebundle_()
    slider, _menu, _field, sentence, picture = explorer.children
    assert CHOICE.findall(picture.value) == [("x", "three")] * 2  # in each of the two figures
    picture._handle_custom_msg("x=three", [])  # what the front end sends
    assert slider.value == "three"
    assert sentence.value.startswith("<p>3 × 2 = 6")


def test_a_choice_is_no_id():
    """Would catch two elements of one id, where a page shows two figures of one choice."""
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
    """Would catch an element, a marker's definition or a text that is left out."""
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
    """Would catch an explorer that is made, and fails only when it is turned."""
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


# --- what the explorers say, by another route -------------------------------------------------


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("k", ["1", "4"])
def test_the_witness_explorer_says_what_the_walk_finds(relation, k):
    """Would catch a sentence about another relation, k or column."""
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
    """Would catch records that are not the ones typed, and an error that stops the explorer."""
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
    """Would catch a picture of nothing."""
    monkeypatch.setenv(LIVE, "notebook.ipynb")
    explorer = witness_explorer("school_large", "absence_days")
    explorer._repr_mimebundle_()
    relation, field, sentence = explorer.children[1], explorer.children[3], explorer.children[4]
    relation.value = "exactly k added or removed"
    field.value = "5"
    assert "no dataset of size 1 has a neighbour" in sentence.value


@pytest.mark.parametrize("counts", list(itertools.product(range(4), repeat=3))[::5])
def test_every_box_fills_or_empties_its_column(counts):
    """Would catch a box that chooses another value's count, too many records, or what is shown."""
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
    """Would catch a norm of other steps, and a band or panel that is too low for them."""
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
    """Would catch formula and enumeration of different questions."""
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
