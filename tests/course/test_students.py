"""What students get of the chapters: no solution, no output, no sentence that tells an answer."""

import re
from functools import cache
from itertools import pairwise

import pytest
from conftest import a_third
from lab_copies import RAW
from test_assignments import course

PATH = [document.path for document in course.chapters.listed()[0][1]]
SOLUTION = re.compile(r"\{solution-start\}.*?\{solution-end\}", re.DOTALL)
TOLD = re.compile(
    r"^([`:~]{3,})\{dropdown\} (?!A hint|From memory|.*[Pp]roof)[^\n]*\n(.*?)\n\1", re.S | re.M
)
REASON = re.compile(r"^- (?:yes|no): .*\n\n((?:  .+\n?)+)", re.MULTILINE)
copies = cache(lambda: dict(course.student_notebooks()))


@pytest.mark.parametrize("path", a_third(PATH), ids=lambda path: path.stem)
def test_a_notebook_for_students_is_whole_and_tells_no_answer(path):
    """Catches a solution, a reason, an output that tells, a lost exercise, a raw directive."""
    copy = next(book for name, book in copies().items() if name[3:-6] == path.stem)
    shown = "\n".join(cell.source for cell in copy.cells)
    text = "\n\n".join(cell.source for cell in course.chapters.source(path).cells)
    told = SOLUTION.findall(text) + REASON.findall(text) + [one[1] for one in TOLD.findall(text)]
    lines = [line for one in told for line in re.findall(r"^ *([^{\n]{31,})$", one, re.M)]
    assert len(lines) > 10
    asked = SOLUTION.sub("", REASON.sub("", TOLD.sub("", text)))
    assert [line for line in lines if line in shown and line not in asked] == []
    assert "assert " not in shown or "assert " in asked
    drawn = {below.id for cell, below in pairwise(copy.cells) if cell.get("outputs")}
    assert drawn <= {*course.PLAN["figures"]["kept"]}
    assert shown.count("### Exercise ") == text.count("{exercise}")
    assert shown.count("<summary>A hint") == text.count("{dropdown} A hint")
    assert not RAW.search("\n".join(c.source for c in copy.cells if c.cell_type == "markdown"))


def test_the_figures_that_are_kept_are_there():
    """Catches a name in the plan that no figure has."""
    assert {*course.PLAN["figures"]["kept"]} <= {c.id for b in copies().values() for c in b.cells}
