"""What the front pages and the reference say is what the package and the chapters are."""

import doctest
import re
from functools import partial

import nbformat
import pytest
from conftest import RELATIONS, ROOT, a_third
from pybtex.database import parse_file, parse_string

from scripts import map as book_map
from scripts.cover import PICTURES, STATIC, draw

FRONT = ["README.md", "book/api/results.md", "book/tasks.md"]
CHAPTERS = (ROOT / "book" / "chapters.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", FRONT)
def test_examples_on_the_front_pages_run(page):
    """Catches a front page that shows what the package no longer does."""
    failed, tried = doctest.testfile(str(ROOT / page), module_relative=False)
    assert tried > 0
    assert failed == 0


DRAWN = {STATIC / f"{name}.svg": partial(draw, name) for name in PICTURES}


@pytest.mark.parametrize("stored", a_third([*DRAWN, book_map.MAP]), ids=lambda path: path.stem)
def test_a_stored_picture_is_what_is_drawn(stored, tmp_path):
    """Catches a cover, a small picture or a map of the chapters, left behind by a change."""
    DRAWN.get(stored, book_map.draw)(tmp_path / "drawn.svg")
    assert (tmp_path / "drawn.svg").read_text("utf-8") == stored.read_text("utf-8")


def test_the_route_of_the_path_is_complete_and_says_its_minutes():
    """Catches a chapter of the path without its row, and one that takes longer than it says."""
    rows = re.findall(r"^\| \{ref\}`(ch-[\w-]+)` \|[^|]+\| (\d+) \|$", CHAPTERS, re.MULTILINE)
    path = {label: one for label, one in book_map.chapters().items() if one.part == book_map.PATH}
    assert [label for label, _ in rows] == list(path)
    for label, minutes in rows:
        said = f"**Time:** about {minutes} minutes"
        assert said in (ROOT / f"{path[label].page}.md").read_text(encoding="utf-8")


def test_the_glossary_explains_every_relation():
    """Catches a relation of the package for which the glossary has no word."""
    glossary = (ROOT / "book" / "glossary.md").read_text(encoding="utf-8")
    assert [made for made in RELATIONS if f"`{made.__name__}(k)`" not in glossary] == []


def test_every_reference_is_cited_and_leads_to_its_text():
    """Catches a reference that nobody cites, or without DOI, arXiv number and address."""
    references = parse_file(ROOT / "book" / "references.bib").entries
    pages = ROOT.glob("book/**/*.md")
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    cited = ",".join(re.findall(r"\{cite(?::\w+)?\}`([\w,]+)`", text))
    assert set(cited.split(",")) == set(references)
    ways = {"doi", "eprint", "url"}
    assert [key for key, entry in references.items() if ways.isdisjoint(entry.fields)] == []


def test_printed_pieces_are_joined_as_they_are(extension):
    """Catches a line that is broken where the kernel happened to send it in two pieces."""
    join_pieces = extension("offline").join_pieces
    texts = ("L1", " 2\nL2", " 3\n")
    pieces = [nbformat.v4.new_output("stream", name="stdout", text=text) for text in texts]
    assert [output["text"] for output in join_pieces(pieces)] == ["L1 2\nL2 3\n"]


def test_a_page_with_formulas_says_what_they_need(extension):
    """Catches a reader without JavaScript who sees TeX, and no word why."""
    explain = extension("offline").explain_raw_formulas
    with_one, without = {"body": '<span class="math notranslate">'}, {"body": "<p>"}
    explain(None, "page", "page.html", with_one, None)
    explain(None, "page", "page.html", without, None)
    assert with_one["body"].startswith("<noscript><p><em>Formulas on this page stay TeX")
    assert without == {"body": "<p>"}


@pytest.mark.parametrize(
    ("authors", "expected"),
    [
        ("Warner, Stanley L.", "Warner, 1965"),
        ("Munilla Garrido, Gonzalo", "Munilla Garrido, 1965"),
        ("Near, Joseph P. and Abuah, Chik{\\'e}", "Near and Abuah, 1965"),
        ("{Tumult Labs}", "Tumult Labs, 1965"),
        ("A, B and C, D and E, F", "A et al., 1965"),
    ],
)
def test_a_reference_bears_its_authors_and_year(extension, authors, expected):
    """Catches a label that a reader of the text does not find in the list."""
    source = f"@misc{{key, author = {{{authors}}}, year = {{1965}}}}"
    entry = parse_string(source, "bibtex").entries["key"]
    assert extension("references").label(entry) == expected
