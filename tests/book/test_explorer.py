"""An explorer's lives show the same: on a page, with a kernel, where a page runs Python."""

import importlib
import itertools
import json
import math
import pkgutil
import re
import subprocess
import sys
from base64 import b64decode
from unittest.mock import MagicMock

import pytest
from conftest import ROOT, in_turn, turn
from lab_copies import CHAPTERS, read
from matplotlib.figure import Figure
from scipy.stats import laplace
from sensitivity_book.data.real import workplace_charging
from sensitivity_book.data.scenarios import school_large
from sensitivity_book.live import explorers as live
from sensitivity_book.live.explorers import fields, frame
from sensitivity_book.palette import DARK
from sensitivity_book.pictures.phone import PAGE
from sensitivity_book.stage import explorers as inside
from sensitivity_book.stage.explorers import curves, statements
from sensitivity_book.stage.explorers import explorer as module
from sensitivity_book.stage.explorers.curves import curves_explorer
from sensitivity_book.stage.explorers.explorer import PAGE_FORM, Explorer, Knob, Own, View, svg
from sensitivity_book.stage.explorers.gallery import explorers
from sensitivity_book.stage.explorers.published import published_explorer
from sensitivity_book.theory.privacy.noise import gaussian_delta

import sensitivity_lab as sl
from sensitivity_lab.numbers.text import number_text
from sensitivity_lab.plotting import explore
from sensitivity_lab.plotting.style import styled_figure

QUOTED = re.compile(r'<script type="application/json">(.*?)</script>', re.DOTALL)
NAMED = re.compile(r'<div class="explorer" id="explorer-([^"]+)"')
CHOICE = re.compile(r'data-choice="([^"=]*)=([^"]*)"')
EXPLORERS = explorers()
STORED = {
    found[1]: page
    for chapter in CHAPTERS
    if "_explorer(" in chapter.read_text(encoding="utf-8")
    for cell in read(chapter.stem).cells
    for output in cell.get("outputs", [])
    if (found := NAMED.match(page := output.get("data", {}).get("text/html", "")))
}
LONG = ("statements",)  # its answers enumerate tables


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

    def styled(line: str) -> str:
        return re.sub("§([0-9]+)", lambda found: data["styles"][int(found[1])], line)

    lines = [*map(styled, data["lines"])]
    frames = []
    for text, alt, runs in data["frames"]:
        spans = (lines[at : at + length] for at, length in zip(runs[::2], runs[1::2], strict=True))
        frames.append((text, alt, "\n".join(itertools.chain(*spans))))
    return frames


def drawn(shown: View) -> tuple[str, str, str]:
    return shown.text, shown.alt, "\n".join(module.pictures(shown))


def said(name: str, own: str = "", **settings: str) -> str:
    """What an explorer says in a page that runs Python, or why it refuses."""
    shown = frame({"explorer": name, "settings": settings, "own": own})
    return shown.get("refused") or shown["text"]


# --- on a page --------------------------------------------------------------------------------


def test_a_page_opens_at_its_start_and_holds_every_frame(explorer, monkeypatch):
    """Catches frames out of order or lost in packing, an opening that its knobs do not show, knobs
    without a word why they are dead, and a comparison of stored outputs that passes over more than
    the frames."""
    page = explorer.html
    places = itertools.product(("one", "two", "three"), ("2", "5"))
    assert unpacked(page) == [drawn(explorer.view(x=x, times=times)) for x, times in places]
    assert '<p role="status" aria-live="polite">2 × 2 = 4 &lt;/script&gt;</p>' in page
    assert re.search(r'name="x" data-count="3" [^>]* value="1"', page)
    assert page.count("</script>") == 1  # a text that ends a script stays text
    assert "The knobs need JavaScript" in page[page.index("<noscript>") : page.index('"knob"')]
    monkeypatch.setenv(PAGE, "opening")
    opening = Explorer("product", plotted, explorer.knobs).html
    assert unpacked(opening) == []
    assert QUOTED.sub("", opening) == QUOTED.sub("", page)


def as_stored(picture: str) -> str:
    """A picture with the colours and the ids that the notebook holds."""
    plain = re.sub(r"var\(--fig-\w+, (#\w+)\)", r"\1", picture)
    return re.sub(r'(\sid="|href="#|url\(#)live-[a-z-]+-\d-', r"\1", plain)


def settings_of(name: str) -> dict[tuple[str, ...], dict[str, str]]:
    """Every place of an explorer's knobs, and what is asked there."""
    knobs = EXPLORERS[name].knobs
    arguments = [knob.argument for knob in knobs]
    places = itertools.product(*(knob.names for knob in knobs))
    return {place: dict(zip(arguments, place, strict=True)) for place in places}


@pytest.fixture
def undrawn(monkeypatch) -> dict[str, Explorer]:
    """All explorers made anew, for what they say: their drawing takes most of the time."""
    for found in pkgutil.iter_modules(inside.__path__, f"{inside.__name__}."):
        functions = vars(importlib.import_module(found.name))
        for name, one in [*functions.items()]:
            if getattr(one, "__annotations__", {}).get("return") == "Figure":
                monkeypatch.setitem(functions, name, lambda *_, **__: None)
    monkeypatch.setattr(curves.Curves, "figure", lambda *_: None)
    monkeypatch.setattr(curves, "with_marks", lambda *_: "")
    monkeypatch.setattr(curves, "in_form", lambda picture, _: picture)
    monkeypatch.setattr(explore, "pair_figure", lambda *_: None)
    monkeypatch.setattr(explore, "svg", lambda _: "drawn")
    return explorers()


@pytest.mark.parametrize("name", EXPLORERS)
def test_a_page_stores_what_the_package_answers_at_every_setting(name, undrawn):
    """Catches a chapter stored before an answer changed: all that is said of each setting, without
    its drawing. Where answers take long, those of one of its settings, in turn."""
    asked = in_turn([*EXPLORERS[name].knobs[0].names]) if name in LONG else None
    for (place, settings), stored in zip(
        settings_of(name).items(), unpacked(STORED[name]), strict=True
    ):
        if asked is None or place[0] in asked:
            shown = undrawn[name].view(**settings)
            assert (shown.text, shown.alt) == stored[:2], settings


@pytest.mark.parametrize("name", EXPLORERS)
def test_a_stored_picture_is_what_a_page_draws(name):
    """Catches a frame that changes its words or its marks when Python has started."""
    frames = zip(settings_of(name).values(), unpacked(STORED[name]), strict=True)
    for settings, stored in in_turn([*frames]):
        shown = frame({"explorer": name, "settings": settings})
        assert (shown["text"], shown["alt"], as_stored(shown["picture"])) == stored, settings


def test_every_explorer_is_stored():
    """Catches an explorer that no chapter shows, and one that the gallery and its tests miss."""
    assert STORED.keys() == EXPLORERS.keys()


# --- with a kernel ----------------------------------------------------------------------------


def test_live_controls_compute(explorer, monkeypatch):
    """Catches a dead control or click, another knob's setting, needless frames, Colab's hint."""
    monkeypatch.setitem(sys.modules, "google.colab.output", MagicMock())
    bundle, metadata = explorer._repr_mimebundle_()
    assert "custom_widget_manager" in str(metadata)
    assert b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    assert PAGE_FORM not in bundle
    assert "frames" not in vars(explorer)
    monkeypatch.setenv(PAGE, "all")
    assert explorer._repr_mimebundle_()[0][PAGE_FORM] == explorer.html
    assert bundle["text/plain"] == "<Explorer product: the number, times>"
    slider, menu, field, sentence, picture = explorer.children
    assert CHOICE.findall(picture.value) == [("x", "three")] * 2  # in each of the two figures
    picture._handle_custom_msg("x=three", [])  # what the front end sends after a click
    assert slider.value == "three"
    menu.value = "5"
    assert sentence.value == "<p>3 × 5 = 15 &lt;/script&gt;</p>"
    assert picture.value == "\n".join(map(svg, explorer.view(x="three", times="5").figures))
    slider.value = "one"
    assert sentence.value.startswith("<p>1 × 5 = 5")
    field.value = "11"
    assert sentence.value.startswith("<p>11 × 5 = 55")
    field.value = "eleven"
    assert "eleven" in sentence.value
    assert picture.value == ""


# --- where a page runs Python -----------------------------------------------------------------


def test_a_picture_follows_the_theme_and_keeps_its_names_to_itself():
    """Catches a drawing that stays white in the dark, and two marks of one name."""
    settings = {"claim": "sum, as a colleague claims", "low": "2", "k": "7"}
    picture = frame({"explorer": "formula", "settings": settings})["picture"]
    assert picture.count("<svg") == 2
    names = re.findall(r'\sid="([^"]*)"', picture)
    assert names
    assert len(names) == len(set(names))
    assert set(re.findall(r'(?:url\(#|href="#)([^")]+)', picture)) == set(names)
    assert not any(f'id="{name}"' in page for page in STORED.values() for name in names)
    assert not re.search(rf"(?:fill|stroke): ?(?:{'|'.join(DARK)})", picture)
    assert "var(--fig-" in picture


@pytest.fixture
def in_page(monkeypatch):
    monkeypatch.setattr(module, "IN_PAGE", True)
    monkeypatch.setattr(module, "SHOWN", shown := {})
    monkeypatch.setattr(live, "SHOWN", shown)


@pytest.mark.usefixtures("in_page")
def test_a_cell_shows_an_explorer_that_is_not_in_the_book():
    """Catches an edited cell whose knobs turn another explorer, or that draws all frames."""
    with pytest.raises(ValueError, match="no explorer curves-school-year is known; run the cell"):
        fields({"explorer": "curves-school-year"})
    explorer = curves_explorer(school_large().columns, size=6, ks=[1], start="school year")
    bundle = explorer._repr_mimebundle_()
    assert "<script" not in bundle["text/html"]
    assert explorer.view().text in bundle["text/html"]
    assert set(re.findall(r'\sid="(\w+)-', bundle["text/html"])) == {"explorer", "curves", "live"}
    assert said("curves-school-year", k="5") == explorer.view(k="5").text


ALONE = """
import sys
import matplotlib.pyplot, numpy, pandas  # they ask where they run
sys.platform = "emscripten"
import anywidget, ipywidgets, traitlets
for module in (anywidget, ipywidgets, traitlets):
    assert "stand_ins" in module.__file__, module
from sensitivity_book.stage.dots.games import moving
from sensitivity_book.stage.dots.widget import Dots
from sensitivity_book.stage.explorers.gallery import explorers
from sensitivity_book.live.explorers import fields, frame
from sensitivity_book.stage.tents import TwoTents
for shown in (Dots(moving()), TwoTents(), *explorers().values()):
    bundle = shown._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert data["text/html"].startswith("<div class="), shown
    assert data["text/plain"] == repr(shown)
print(frame({"explorer": "formula", "settings": {"k": "7"}})["text"])
"""


@turn(0, 2)
def test_the_stand_ins_are_enough():
    """Catches an import that the page's Python has not, and a picture that it shows as a name."""
    places = ["book/sensitivity_book/live/stand_ins", "", "book"]
    path = f"import sys\nsys.path[:0] = {[str(ROOT / place) for place in places]}\n"
    command = [sys.executable, "-c", path + ALONE]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == said("formula", k="7")


# --- what can be typed, and what is refused ---------------------------------------------------


def test_what_can_be_typed(undrawn):
    """Catches a number that has a slider and no field, and a menu that has one."""
    own = {"label": "your own records", "example": "1, 2, 3, 10"}
    for name, explorer in EXPLORERS.items():
        found = fields({"explorer": name})
        assert list(found["typed"]) == [knob.argument for knob in explorer.knobs if knob.ordered]
        assert found["own"] == (own if name.startswith("curves") else None)
        assert json.loads(json.dumps(found)) == found
        for knob in explorer.knobs:
            if knob.typed:  # each end is a setting, and so is all that the slider has
                assert [knob.typed.read(each) for each in knob.names] == [*knob.settings.values()]
                for end in (knob.typed.low, knob.typed.high):
                    assert undrawn[name].view(**{knob.argument: str(end)}).text


# ruff: disable[E501]
@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("formula", {"k": "9"}, "distance k must be a whole number from 1 to 8, got 9"),
        ("formula", {"size": "2.5"}, "records n must be a whole number from 1 to 8, got 2.5"),
        ("formula", {"low": ""}, "lower bound L must be a whole number from -6 to 2, got nothing"),
        ("people", {"epsilon": "nan"}, "budget ε must be a number from 0.01 to 10, got nan"),
        (
            "curves-days-of-absence",
            {"k": "6", "relation": "k records added or removed (unbounded)"},
            "mean, datasets of size 6, exactly 6 records added, or removed: "
            "no direction of AddRemove(6) is feasible at size=6: remove 6: leaves 0 records, mean needs at least 1; add 6: records left to add: 4",
        ),
        ("curves-days-of-absence", {"own": "1, 2, many"}, "your own records must be numbers, got 1, 2, many"),
        ("curves-days-of-absence", {"own": "1, inf"}, "records must be finite, got inf"),
        ("formula", {"claim": "mode"}, "formula for must be one of mean, sum, median, variance, sum, as a colleague claims, got 'mode'"),
    ],
)  # fmt: skip
# ruff: enable[E501]
def test_what_is_refused_is_said(name, settings, message):
    """Catches an error that stops the explorer, and one without a clear text."""
    assert said(name, **settings) == message


def test_own_records_at_a_typed_distance():
    """Catches own records that are asked at the slider's last distance."""
    text = said("curves-days-of-absence", own="1, 2, 3, 10", k="7")
    assert text.startswith(
        "mean, datasets of size 2, at most 7 records changed: the sensitivity is 5. (1, 2) "
    )


# --- what the explorers say, by another route -------------------------------------------------


ASKED = {
    "total salary": "SELECT SUM(salary) FROM staff",
    "average salary": "SELECT AVG(salary) FROM staff",
    "highest salary": "SELECT MAX(salary) FROM staff",
    "total of a team": "SELECT team, SUM(salary) FROM staff GROUP BY team",
    "average of a team": "SELECT team, AVG(salary) FROM staff GROUP BY team",
    "pairs of a team": "SELECT COUNT(*) FROM staff a JOIN staff b "
    "ON a.team = b.team AND a.salary < b.salary",
    "how many above the average": "SELECT COUNT(*) FROM staff "
    "WHERE salary > (SELECT AVG(salary) FROM staff)",
}


@pytest.mark.parametrize("question", in_turn([*statements.QUESTIONS]))
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
    """Catches energy lost twice, a scale without a bound, a distance without the noise."""
    month = workplace_charging().read().query("month == '2015-09'")
    kept = month.groupby("driver")["kwh"].nlargest(sessions)
    lost = month["kwh"].sum() - kept.clip(0, top).sum()
    noise = sessions * top / epsilon
    chosen = {"sessions": str(sessions), "top": str(top), "epsilon": f"{epsilon:g}"}
    text = published_explorer().view(**chosen).text
    many = [int(n) for n in re.findall(r"(\d+) sessions? (?:dropped|cut)", text)]
    assert many == [len(month) - len(kept), (kept > top).sum()]
    assert f": {lost:,.0f} kWh lost." in text
    assert f"× {top} = {sessions * top} kWh" in text
    off = laplace(-lost, noise).expect(abs)
    assert f"noise is {noise:,.0f} kWh, and the published total is {off:,.0f} kWh off." in text


def test_typed_bounds_of_a_person_are_the_noise_of_the_sentence():
    """Catches noise of other bounds or another budget, by the definitions of both promises."""
    text = said("people", groups="100", rows="5", epsilon="0.3")
    tents = float(re.search(r"Laplace noise deviates by ([\d.]+)", text)[1])
    bells = float(re.search(r"\) by ([\d.]+)", text)[1])
    assert tents == pytest.approx(math.sqrt(2) * 500 / 0.3, rel=5e-3)
    assert gaussian_delta(bells * 1.005, 50, 0.3) <= 1e-6 <= gaussian_delta(bells * 0.995, 50, 0.3)
