"""How a page shows its pictures and its tables."""

import re

import pandas as pd
import pytest
from bs4 import BeautifulSoup
from conftest import ROOT
from lab_copies import CHAPTERS, chapters, read
from sensitivity_book import palette
from sensitivity_book.palette import DARK, stylesheet
from sensitivity_book.pictures.drawings import inline, themed
from sensitivity_book.pictures.table_html import aligned

from sensitivity_lab.plotting import style

IMAGE = '<img alt="a &lt; b" src="../_images/0a.svg" class="align-center" style="width: 80%;" />'
WIDE = (
    '<?xml version="1.0"?>\n<svg width="9pt"><path d="M 0 0" style="fill: #ffffff; stroke: '
    '#222222"/>'
)


def test_a_picture_stands_in_the_page_with_its_words_and_its_look():
    """Catches a drawing without a name for a screen reader, or without the width it was given."""
    placed = inline(IMAGE, WIDE + "\n</svg>")
    assert placed.startswith(
        '<svg role="img" aria-label="a &lt; b" class="drawing align-center" style="width: 80%;"'
    )
    assert placed.count("<svg") == placed.count("</svg>") == 1


def test_colours_follow_the_theme():
    """Catches a colour that the dark page does not change, and one changed for paper too."""
    variables = themed('style="fill: #ffffff; stroke: #222222; color: #123456"')
    assert variables == (
        'style="fill: var(--fig-ffffff, #ffffff); stroke: var(--fig-222222, #222222); color: '
        '#123456"'
    )
    assert themed("stroke: #123456") == "stroke: #123456"
    _, screen, after = re.split(r"@media (?=screen|print)", stylesheet())
    assert screen.startswith("screen")
    assert "--fig-" not in after
    assert dict(re.findall(r"--fig-(\w{6}): (#\w{6});", screen)) == {
        light[1:]: dark for light, dark in DARK.items()
    }


def test_the_book_has_no_colour_of_its_own():
    """Catches a picture whose colours are not of the style: on a dark page they would stay."""
    for path in CHAPTERS:
        for output in (one for cell in read(path.stem).cells for one in cell.get("outputs", [])):
            data = output.get("data", {})
            svg, html = ("".join(data.get(kind, "")) for kind in ("image/svg+xml", "text/html"))
            picture = svg + (html if 'class="explorer"' in html else "")
            found = set(re.findall(r"(?:fill|stroke): ?(#[0-9a-f]{6})\b", picture))
            assert found <= DARK.keys(), path.name


def cells(html, tag):
    found = BeautifulSoup(html, "html.parser").find_all(tag)
    return [("num" in cell.get("class", []), cell.text) for cell in found]


def test_numbers_stand_on_the_right_below_their_headings():
    """Catches words on the right, numbers on the left, a hyphen for a minus, a hurt date."""
    frame = pd.DataFrame({
        "query": ["mean", "sum"], "exact": ["19/6 ≈ 3.17", "-1/2"], "gap": ["∞", "1e-09"],
        "pair": ["(-1, 2)", "(0, -3)"], "day": ["2024-01-02", "1-2"],
    })  # fmt: skip
    shown = aligned(frame.to_html(index=False))
    numeric = {"exact", "gap"}
    assert cells(shown, "th") == [(name in numeric, name) for name in frame]
    assert cells(shown, "td") == [
        (False, "mean"), (True, "19/6 ≈ 3.17"), (True, "∞"), (False, "(−1, 2)"),
        (False, "2024-01-02"), (False, "sum"), (True, "−1/2"), (True, "1e-09"), (False, "(0, −3)"),
        (False, "1-2"),
    ]  # fmt: skip


def code_of(path):
    if path.suffix != ".md":
        return path.read_text(encoding="utf-8")
    return "\n".join(cell.source for cell in chapters.code_cells(chapters.source(path)))


def test_a_colour_is_written_in_one_place():
    """Catches a colour beside those of the two palettes, which the dark page would not know."""
    names = "white|black|gr[ae]y|red|green|blue|orange"
    colour = re.compile(
        r"#(?:[0-9a-fA-F]{3,4}){1,2}\b|\b(?:rgb|hsl)a?\((?!\{)"
        rf"|color\w*[\"']?[=:] ?[\"'](?:{names}|[krgbw]|0?\.\d+)\b"
        rf"|(?:color|background|fill|stroke): (?:{names})\b"
    )
    palettes = {"sensitivity_lab/plotting/palette.py", "book/sensitivity_book/palette.py"}
    others = {"prism.js", "deck.css"}  # not ours; a deck's, which has no dark form
    written = {
        f"{path.relative_to(ROOT)}: {line.strip()[:100]}"
        for folder in ("sensitivity_lab", "beyond", "book", "scripts")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".js", ".css", ".md"} and path.name not in others
        for line in code_of(path).splitlines()
        if colour.search(line)
    }
    assert {line.split(":")[0] for line in written} == palettes, written


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    high, low = sorted(map(luminance, (one, other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_colours_are_seen_in_the_dark():
    """Catches a line that fades into a dark page, and words that cannot be read on it."""
    paper = palette.DARK[style.PAPER]
    marks = (style.ADDED, style.REMOVED, style.EXACT, style.CLAIMED)
    words = {style.INK, palette.WORDS, "#000000", *marks}
    for light, dark in palette.DARK.items():
        if light not in palette.GROUNDS:
            assert contrast(dark, paper) >= (4.5 if light in words else 3), light
        else:  # what stands on it is seen
            assert contrast(palette.DARK[style.INK], dark) >= 4.5, light
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
