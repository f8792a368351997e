"""The pages of the package, held against the package; and what the docstrings promise."""

import inspect
import re

import pytest
from conftest import PUBLIC, ROOT
from pybtex.database import parse_file

import sensitivity_lab as sl

API = ROOT / "book" / "api.md"  # of what most users call
FOLDERS = "sensitivity_lab", "beyond", "book/sensitivity_book", "book/sensitivity_board"
MODULES = [module for folder in FOLDERS for module in ROOT.glob(f"{folder}/**/*.py")]


def named(*pages):
    return set(re.findall(r"\w+", "".join(page.read_text("utf-8") for page in pages)))


def test_every_public_name_is_on_a_page_of_the_package() -> None:
    """Catches a name that is made public and never documented."""
    assert set(sl.__all__) <= named(API)
    assert set(PUBLIC) <= named(*API.with_suffix("").glob("*.md"))


def test_a_listing_is_a_table_of_contents_and_loses_no_name() -> None:
    """Catches a name that few need in `dir(sl)`, one that is gone, machinery in a universe's."""
    assert {*dir(sl), "RANGE"} <= {*PUBLIC, "__version__"}
    assert len(sl.__all__) == len(dir(sl)) - 1 < 42
    assert sl.RANGE is sl.catalogue.RANGE
    shown = {name for name in dir(sl.Universe.value_range([1])) if not name.startswith("_")}
    assert {"population", "name"} < shown <= {*dir(sl.Universe)}
    assert shown <= named(*API.with_suffix("").glob("*.md"))


@pytest.mark.parametrize("name", [name for name in PUBLIC if callable(getattr(sl, name))])
def test_every_public_function_has_an_example(name):
    """Catches a function that a reader would have to try out to see what it gives."""
    thing = getattr(sl, name)
    own = vars(thing).items() if inspect.isclass(thing) else ()
    told = {n: f for n, f in own if inspect.isfunction(f) and not n.startswith("_")} | {name: thing}
    assert [n for n, one in told.items() if ">>>" not in inspect.getdoc(one)] == []


def test_every_proof_that_a_docstring_names_is_in_the_book():
    """Catches a theorem or a definition that is cited under a label that has gone."""
    pages = [*ROOT.glob("book/*.md"), *ROOT.glob("book/chapters/*.md")]
    book = "".join(page.read_text(encoding="utf-8") for page in pages)
    code = "".join(module.read_text(encoding="utf-8") for module in MODULES)
    label = r"(?:thm|def)-[a-z0-9-]*[a-z0-9]"
    cited = set(re.findall(rf"\b{label}", code))
    assert len(cited) > 20
    assert cited - set(re.findall(rf":label: ({label})", book)) == set()


def as_cited(entry):
    """What a citation prints of a reference: one author or two, of more the first, and the year."""
    names = [" ".join(author.last_names).strip("{}") for author in entry.persons["author"]]
    printed = names if len(names) < 3 else [names[0], "others"]
    return " and ".join(printed).removeprefix("The "), entry.fields["year"]


REFERENCES = parse_file(ROOT / "book" / "references.bib").entries.values()
BIBLIOGRAPHY = [as_cited(entry) for entry in REFERENCES]


def test_no_two_references_are_cited_alike():
    """Catches "Author (2021)" for two works: one is of 2021a and the other of 2021b."""
    assert [label for label in BIBLIOGRAPHY if BIBLIOGRAPHY.count(label) > 1] == []
