"""The guide's recipes, followed to the letter in a copy: a contributor's checks pass."""

import os
import re
import shutil
import subprocess
import sys
from textwrap import dedent, indent

import pytest
from conftest import CHECK_ALL, ROOT, in_turn

GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
QUERY, MEANING, RELATION, FAMILY, DIALECT, ENTRY, SESSION = (
    dedent(block) for block in re.findall(r"^ *```python\n(.*?)^ *```", GUIDE, re.S | re.M)
)


class Copy:
    """A copy of the project, to be edited and asked."""

    def __init__(self, place):
        self.place = place
        for name in ("sensitivity_lab", "beyond", "tests", "book", "notebooks", "scripts"):
            shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
        for path in (*ROOT.glob("*.*"), ROOT / "Makefile"):
            if path.is_file():
                shutil.copy(path, place)

    def insert(self, path, text, before):
        file = self.place / path
        old = file.read_text(encoding="utf-8")
        assert before in old, (path, before)
        file.write_text(old.replace(before, text + before, 1), encoding="utf-8")

    def export(self, name, beside):
        """As the guide says: twice in the package's front, and on the API page."""
        front = "sensitivity_lab/__init__.py"
        self.insert(front, f"{name} as {name},\n        ", f"{beside} as {beside}")
        self.insert(front, f"{name} ", self.room_of(beside))
        self.insert("book/api/ask.md", f"`{name}`, ", "and `RANGE`, the highest")

    def room_of(self, name):
        """From where a name stands in a room's names to the end of its line."""
        front = (self.place / "sensitivity_lab/__init__.py").read_text(encoding="utf-8")
        return re.search(rf'(?<=")[^"]*\b{name}\b.*', front[front.index("_ROOMS") :])[0]

    def run(self, *arguments):
        paths = os.pathsep.join(str(self.place / name) for name in (".", "beyond", "book", "tests"))
        done = subprocess.run(
            [sys.executable, *arguments],
            env={**os.environ, "PYTHONPATH": paths},
            cwd=self.place,
            capture_output=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
        return done.stdout

    def tested(self, words, *tests):
        """All of these tests, or only those that name what is new, and those of all names."""
        chosen = () if CHECK_ALL else ("-k", words)
        self.run("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests, *chosen)


def a_query_with_its_proof(copy):
    """Catches a step that is not written down, and a block of code that the checks refuse."""
    copy.insert(
        "sensitivity_lab/catalogue.py",
        QUERY.replace("exact=True", "exact=True, proved=ranks.Midrange()") + "\n\n",
        "CONSTANTS = {",
    )
    copy.insert("sensitivity_lab/catalogue.py", '"MIDRANGE": MIDRANGE, ', '"RANGE": RANGE')
    copy.insert("sensitivity_lab/proved/ranks.py", FAMILY + "\n\n", "class Sum(")
    copy.export("MIDRANGE", "quantile")
    copy.insert("sensitivity_lab/definition.py", MEANING, '    "count": (len, 0)')
    copy.insert("tests/conftest.py", "sl.MIDRANGE,\n    ", "sl.COUNT, sl.SUM, sl.MEAN")
    both = "sl.COUNT, sl.SUM, sl.MEAN, sl.MEDIAN, sl.quantile(0.25), sl.quantile(0.9), sl.VARIANCE"
    copy.insert("tests/conftest.py", "sl.MIDRANGE,\n    ", both)
    theorem = "```{prf:theorem} Midrange\n:label: thm-midrange\n```\n\n"
    copy.insert("book/proofs.md", theorem, "```{prf:theorem}")
    copy.tested(
        "midrange or MIDRANGE or api or proof or imports",
        *("tests/core/proved/test_closed_forms.py", "tests/core/methods/test_walk_and_sweep.py",
            "tests/core/test_properties.py"),
        *("tests/core/test_queries.py", "tests/book/test_api_page.py", "tests/test_imports.py"),
    )  # fmt: skip
    copy.run("-m", "ruff", "check", "sensitivity_lab", "tests/conftest.py")


def a_relation(copy):
    """Catches a relation that is not served as the five are, or whose snippet does not run."""
    copy.insert("sensitivity_lab/relations.py", RELATION + "\n\n", "STANDARD = ")
    copy.export("AddOrChange", "AddRemove")
    meaning = '        "AddOrChange": removed <= added <= k,\n'
    copy.insert("sensitivity_lab/definition.py", meaning, '        "Change": removed')
    copy.insert("tests/conftest.py", "sl.AddOrChange, ", "*STANDARD]")
    copy.insert("book/glossary.md", "AddOrChange(k)", "`AddRemove(k)`")
    copy.tested(
        "AddOrChange or api or imports",
        *("tests/core/methods/test_walk_and_sweep.py", "tests/core/test_relations.py",
            "tests/core/test_properties.py"),
        *("tests/book/test_api_page.py", "tests/test_imports.py", "tests/beyond/test_faults.py"),
    )  # fmt: skip
    ask = (
        "sl.global_sensitivity(sl.SUM, sl.Universe.value_range([0, 2]), size=2, "
        "relation=sl.AddOrChange(1))"
    )
    snippet = copy.run("-c", f"import sensitivity_lab as sl; print({ask}.snippet())")
    copy.run("-c", snippet)


def a_chapter(copy):
    """Catches a template that does not run, or that the tests of chapters refuse."""
    text = (copy.place / "book/template/chapter.md").read_text(encoding="utf-8")
    new, there = "book/chapters/midranges", "  - caption: Reference"  # the last: no number moves
    (copy.place / f"{new}.md").write_text(text.replace("template", "midranges"), encoding="utf-8")
    copy.insert("_toc.yml", f"      - file: {new}\n", there)
    listed = "| {ref}`ch-midranges` | How wide is a spread? | {ref}`by hand <ch-by-hand>` |\n"
    copy.insert("book/chapters.md", listed, "| {ref}`ch-by-hand`")
    # It makes no room for itself in the book.
    limit = copy.place / "tests/book/test_page_shape.py"
    limit.write_text(limit.read_text("utf-8").replace("50_000", "52_000"), encoding="utf-8")
    copy.run("scripts/outputs.py", f"{new}.md")
    copy.tested(
        "midranges or shape", "tests/book/test_page_shape.py", "tests/book/test_lab_copies.py"
    )


QUILL = """
import sqlite3
from sqlite3 import *
Connection = type("Connection", (sqlite3.Connection,), {"__module__": __name__})
def connect(path): return sqlite3.connect(path, factory=Connection)
"""


def an_sql_dialect(copy):
    """Catches a dialect that one class does not make: here sqlite3 under another name."""
    (copy.place / "quill.py").write_text(QUILL, encoding="utf-8")
    dialects = "beyond/sensitivity_beyond/tables/sql/dialects.py"
    tests = "tests/beyond/sql/test_databases.py"
    copy.insert(dialects, DIALECT + "\n\n", "# The dialects by")
    copy.insert(dialects, indent(ENTRY, "    "), '    "sqlite3": SQLite')
    copy.insert(tests, "import quill\n", "import sensitivity_lab as sl")
    copy.insert(tests, indent(SESSION, "    "), '    "sqlite": by_sqlite')
    copy.tested("quill or imports", tests, "tests/test_imports.py")
    chosen = "type(dialects.database_of(quill.connect(':memory:'))) is dialects.Quill"
    copy.run(
        "-c", f"import quill; from sensitivity_beyond.tables.sql import dialects; assert {chosen}"
    )
    copy.run("-m", "ruff", "check", "beyond")


RECIPES = [a_query_with_its_proof, a_relation, an_sql_dialect, a_chapter]


@pytest.mark.parametrize("recipe", in_turn(RECIPES), ids=lambda recipe: recipe.__name__)
def test_a_recipe(tmp_path, recipe):
    recipe(Copy(tmp_path))


def test_the_guide_names_files_that_there_are():
    """Catches a file that has moved."""
    paths = re.findall(r"`([\w./-]+\.(?:py|md|ipynb|yml|bib))`", GUIDE)
    assert len(set(paths)) > 10
    folders = [
        ROOT, ROOT / "sensitivity_lab", ROOT / "book/sensitivity_board",
        ROOT / "beyond/sensitivity_beyond/tables/sql",
    ]  # fmt: skip
    wanted = [path for path in paths if path != "figures.py" and not path.endswith("NAME.csv")]
    missing = [path for path in wanted if not any((folder / path).exists() for folder in folders)]
    assert missing == []
