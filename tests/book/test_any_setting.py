"""Any setting of an explorer, as a page that runs Python asks for it."""

import itertools
import json
import math
import re
import subprocess
import sys

import pytest
from conftest import CHECK_ALL, ROOT, SEED
from sensitivity_book.data.scenarios import school_large
from sensitivity_book.live import explorers as live
from sensitivity_book.live.explorers import fields, frame
from sensitivity_book.palette import DARK
from sensitivity_book.stage.explorers import explorer as module
from sensitivity_book.stage.explorers.gallery import explorers
from sensitivity_book.stage.explorers.witness import witness_explorer
from sensitivity_book.theory.privacy.noise import gaussian_delta
from test_explorer import STORED, unpacked

EXPLORERS = explorers()
EACH = 6 if CHECK_ALL else 27  # of the stored settings one in so many is drawn again, in turn


def said(name: str, own: str = "", **settings: str) -> str:
    return frame({"explorer": name, "settings": settings, "own": own})["text"]


def refused(name: str, own: str = "", **settings: str) -> str:
    return frame({"explorer": name, "settings": settings, "own": own})["refused"]


def as_stored(picture: str) -> str:
    """A picture with the colours and the ids that the notebook holds."""
    plain = re.sub(r"var\(--fig-\w+, (#\w+)\)", r"\1", picture)
    return re.sub(r'(\sid="|href="#|url\(#)live-[a-z-]+-\d-', r"\1", plain)


def stored(name: str) -> list[tuple[dict[str, str], tuple[str, str, str]]]:
    """Every setting that a notebook holds, and its frame."""
    knobs = EXPLORERS[name].knobs
    arguments = [knob.argument for knob in knobs]
    settings = itertools.product(*(knob.names for knob in knobs))
    frames = unpacked(STORED[name])
    return [
        (dict(zip(arguments, one, strict=True)), each)
        for one, each in zip(settings, frames, strict=True)
    ]


@pytest.mark.parametrize("name", STORED)
def test_a_stored_setting_is_computed_as_it_is_stored(name):
    """Catches a frame that changes its words or marks when Python has started."""
    for settings, (text, alt, picture) in stored(name)[SEED % EACH :: EACH]:
        shown = frame({"explorer": name, "settings": settings})
        assert (shown["text"], shown["alt"], as_stored(shown["picture"])) == (text, alt, picture)


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


# --- beyond what is stored: the package's numbers, by another method ----------------------------


def test_typed_bounds_of_a_person_are_the_noise_of_the_sentence():
    """Catches noise of other bounds or another budget: both promises are held by their definitions."""
    text = said("people", groups="100", rows="5", epsilon="0.3")
    tents = float(re.search(r"Laplace noise deviates by ([\d.]+)", text)[1])
    bells = float(re.search(r"\) by ([\d.]+)", text)[1])
    assert tents == pytest.approx(math.sqrt(2) * 500 / 0.3, rel=5e-3)
    assert gaussian_delta(bells * 1.005, 50, 0.3) <= 1e-6 <= gaussian_delta(bells * 0.995, 50, 0.3)


# --- what can be typed, and what is refused ------------------------------------------------------


def test_what_can_be_typed():
    """Catches a number that has a slider and no field, and a menu that has one."""
    own = {"label": "your own records", "example": "1, 2, 3, 10"}
    for name, explorer in EXPLORERS.items():
        found = fields({"explorer": name})
        assert list(found["typed"]) == [knob.argument for knob in explorer.knobs if knob.ordered]
        assert found["own"] == (own if name.startswith("witness") else None)
        assert json.loads(json.dumps(found)) == found
        for knob in explorer.knobs:
            if knob.typed:  # each end is a setting, and so is all that the slider has
                assert [knob.typed.read(each) for each in knob.names] == [*knob.settings.values()]
                for end in (knob.typed.low, knob.typed.high):
                    assert explorer.view(**{knob.argument: str(end)}).text


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("formula", {"k": "9"}, "distance k must be a whole number from 1 to 8, got 9"),
        ("formula", {"size": "2.5"}, "records n must be a whole number from 1 to 8, got 2.5"),
        ("formula", {"low": ""}, "lower bound L must be a whole number from -6 to 2, got nothing"),
        ("people", {"epsilon": "0"}, "budget ε must be a number from 0.01 to 10, got 0"),
        ("people", {"epsilon": "nan"}, "budget ε must be a number from 0.01 to 10, got nan"),
        ("people", {"groups": "many"}, "groups per person must be a whole number from 1 to 1000, got many"),
        (
            "witness-absence-days",
            {"k": "6", "relation": "exactly k added or removed"},
            "no dataset of size 6 has a neighbour under AddRemove(6)",
        ),
        ("witness-absence-days", {"own": "1, 2, many"}, "your own records must be numbers, got 1, 2, many"),
        ("witness-absence-days", {"own": "1, inf"}, "records must be finite, got inf"),
        ("formula", {"claim": "mode"}, "formula for must be one of mean, sum, median, variance, sum, as a colleague claims, got 'mode'"),
    ],
)  # fmt: skip
def test_what_is_refused_is_said(name, settings, message):
    """Catches an error that stops the explorer, and one without a clear text."""
    assert refused(name, **settings) == message


def test_own_records_at_a_typed_distance():
    """Catches own records that are asked at the slider's last distance."""
    text = said("witness-absence-days", own="1, 2, 3, 10", k="7")
    assert text.startswith(
        "mean at k = 7, at most 7 records changed: the sensitivity is 5. (1, 2) "
    )


# --- in the page ---------------------------------------------------------------------------------


@pytest.fixture
def in_page(monkeypatch):
    monkeypatch.setattr(module, "IN_PAGE", True)
    monkeypatch.setattr(module, "SHOWN", shown := {})
    monkeypatch.setattr(live, "SHOWN", shown)


@pytest.mark.usefixtures("in_page")
def test_a_cell_shows_an_explorer_that_is_not_in_the_book():
    """Catches an edited cell whose knobs turn another explorer, and a cell that draws all frames."""
    with pytest.raises(ValueError, match="no explorer witness-school-year is known; run the cell"):
        fields({"explorer": "witness-school-year"})
    explorer = witness_explorer(school_large().universes, size=6, start="school_year")
    bundle = explorer._repr_mimebundle_()
    assert "<script" not in bundle["text/html"]
    assert explorer.view().text in bundle["text/html"]
    assert set(re.findall(r'\sid="(\w+)-', bundle["text/html"])) == {"explorer", "witness", "live"}
    assert said("witness-school-year", k="5") == explorer.view(k="5").text


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


def test_the_stand_ins_are_enough():
    """Catches an import that the page's Python has not, and a picture that it shows as a name."""
    stand_ins = ROOT / "book" / "sensitivity_book" / "live" / "stand_ins"
    path = (
        f"import sys\nsys.path[:0] = [{str(stand_ins)!r}, {str(ROOT)!r}, {str(ROOT / 'book')!r}]\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", path + ALONE], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == said("formula", k="7")
