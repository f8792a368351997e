"""An explorer's two lives show the same: what its view computes."""

import html
import itertools
import json
import re
import sys
from unittest.mock import MagicMock

import nbformat
import pytest
from conftest import ROOT, a_third
from matplotlib.figure import Figure
from sensitivity_book.data.real import workplace_charging
from sensitivity_book.stage.explorers import statements
from sensitivity_book.stage.explorers.explorer import (
    PAGE,
    Explorer,
    Knob,
    Own,
    View,
    svg,
)
from sensitivity_book.stage.explorers.gallery import explorers
from sensitivity_book.stage.explorers.published import published_explorer

import sensitivity_lab as sl
from sensitivity_lab.numbers.text import number_text
from sensitivity_lab.plotting.style import styled_figure

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
        (
            text,
            alt,
            "\n".join(
                line
                for first, length in zip(runs[::2], runs[1::2], strict=True)
                for line in lines[first : first + length]
            ),
        )
        for text, alt, runs in data["frames"]
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
    assert explorer.html.count("</script>") == 1  # a text that ends a script stays text


def test_without_a_script_it_says_why_the_knobs_are_dead(explorer):
    """Catches knobs that do nothing, and no word why."""
    note, knobs = explorer.html.index("<noscript>"), explorer.html.index('class="knob"')
    assert note < knobs
    assert "The knobs need JavaScript" in explorer.html[note:knobs]


def test_without_its_frames_a_page_is_otherwise_the_same(explorer, monkeypatch):
    """Catches a comparison of stored outputs that passes over more than the frames."""
    whole = Explorer("product", plotted, explorer.knobs).html
    monkeypatch.setenv(PAGE, "opening")
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


def test_live_controls_compute(explorer, monkeypatch):
    """Catches a live control that is not connected, a setting of another knob, frames that nobody asked for, and Colab's hint."""
    monkeypatch.setitem(sys.modules, "google.colab.output", MagicMock())
    bundle, metadata = explorer._repr_mimebundle_()
    assert "custom_widget_manager" in str(metadata)
    text, _, picture = drawn(explorer.view())
    assert bundle["text/html"] == f"<p>{html.escape(text)}</p>{picture}"
    assert "frames" not in vars(explorer)
    monkeypatch.setenv(PAGE, "all")
    assert explorer._repr_mimebundle_()[0]["text/html"] == explorer.html
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


def test_a_click_on_the_live_picture_turns_its_knob(explorer):
    """Catches a click that is lost, and one that moves the picture but not the slider."""
    explorer._repr_mimebundle_()
    slider, _menu, _field, sentence, picture = explorer.children
    assert CHOICE.findall(picture.value) == [("x", "three")] * 2  # in each of the two figures
    picture._handle_custom_msg("x=three", [])  # what the front end sends
    assert slider.value == "three"
    assert sentence.value.startswith("<p>3 × 2 = 6")


# --- what the explorers say, by another route -------------------------------------------------


def frame(shown: View) -> list[tuple[float, ...]]:
    """The axes of what is shown: their ends, across and up."""
    return [(*axes.get_xlim(), *axes.get_ylim()) for axes in shown.figures[0].axes]


ASKED = {
    "total salary": "SELECT SUM(salary) FROM staff",
    "average salary": "SELECT AVG(salary) FROM staff",
    "highest salary": "SELECT MAX(salary) FROM staff",
    "total of a team": "SELECT team, SUM(salary) FROM staff GROUP BY team",
    "average of a team": "SELECT team, AVG(salary) FROM staff GROUP BY team",
    "pairs of a team": "SELECT COUNT(*) FROM staff a JOIN staff b ON a.team = b.team AND a.salary < b.salary",
    "how many above the average": "SELECT COUNT(*) FROM staff WHERE salary > (SELECT AVG(salary) FROM staff)",
}


@pytest.mark.parametrize("question", a_third([*statements.QUESTIONS]))
def test_a_question_to_a_table_moves_as_far_as_its_statement(question):
    """Catches a function of the explorer that is not what its name says."""
    for words, relation in statements.ONE.items():
        found = sl.global_sensitivity(
            sl.sql(ASKED[question]), statements.STAFF, size=3, relation=relation, norm=float("inf")
        )
        view = statements.statement_explorer().view(question=question, relation=words, people="3")
        assert view.text.endswith(f"one person moves it by {number_text(float(found.value))}.")
        assert f"{question}, " in svg(view.figures[1]).replace("\n", " ")


@pytest.mark.parametrize(
    ("sessions", "top", "epsilon"), [(22, 10, 1), (31, 20, 0.1), (1, 2, 0.5), (4, 8, 2)]
)
def test_bounds_cost_what_pandas_says(sessions, top, epsilon):
    """Catches energy that is lost twice, a scale without a bound, and an error without the noise."""
    month = workplace_charging().read().query("month == '2015-09'")
    kept = month.sort_values("session").groupby("driver").head(sessions)["kwh"]
    lost = month["kwh"].sum() - kept.clip(0, top).sum()
    noise = 2**0.5 * sessions * top / epsilon
    chosen = {"sessions": str(sessions), "top": str(top), "epsilon": f"{epsilon:g}"}
    text = published_explorer().view(**chosen).text
    many = [int(n) for n in re.findall(r"(\d+) sessions? (?:dropped|cut)", text)]
    assert many == [len(month) - len(kept), (kept > top).sum()]
    assert f": {lost:,.0f} kWh lost." in text
    assert f"× {top} = {sessions * top} kWh" in text
    said = re.search(r"noise ([\d.]+), error ([\d.]+) kWh", text).groups()
    assert [*map(float, said)] == pytest.approx([noise, (lost**2 + noise**2) ** 0.5], rel=0.005)
