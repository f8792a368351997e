"""The staff's source of an assignment: tasks in the cell metadata of nbgrader."""

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import chapters
from assignments import a1, a2, a3
from assignments.task import Task, numbered
from plain import Cell

ASSIGNMENTS: dict[str, ModuleType] = {"a1": a1, "a2": a2, "a3": a3}
SETUP = """from fractions import Fraction

import sensitivity_lab as sl
from sensitivity_book.grading import hand_in"""
TESTS = """hand_in({handed})
### BEGIN HIDDEN TESTS
from fractions import Fraction
import sensitivity_lab as sl
from sensitivity_book.grading import function, number, pair
judge = {judge}
### END HIDDEN TESTS"""
HEAD = """# Assignment {number}. {title}

{points} points, about {minutes} minutes. Numbers may be exact (`Fraction(7, 3)`) or have three
digits. Keep the names that the cells give you. The cell below an answer hands it in: what it prints
is what is marked. At the end run all cells, from the top, and save the notebook."""


def assignment(name: str, seed: str) -> Any:
    """The staff's source of an assignment, in the cell metadata of nbgrader."""
    module = ASSIGNMENTS[name]
    tasks = list(numbered(module.TASKS, name, seed))
    points, minutes = sum(task.points for task in tasks), sum(task.minutes for task in tasks)
    head = HEAD.format(number=name[1:], title=module.TITLE, points=points, minutes=minutes)
    cells = [told(f"{name}-head", head), told(f"{name}-setup", SETUP, "code")]
    for task in tasks:
        cells += task_cells(task)
    return chapters.finished(cells)


def told(grade_id: str, text: str, kind: str = "markdown", **nbgrader: Any) -> Any:
    """A cell as nbgrader wants it; as it is given here students cannot change it."""
    flags = {"grade": False, "locked": True, "solution": False, "task": False, "schema_version": 3}
    about = {**flags, **nbgrader, "grade_id": grade_id, "cell_type": kind}
    cell = chapters.made(Cell(kind, text, grade_id))
    cell.metadata |= {"nbgrader": about, "tags": ["raises-exception"] * (kind == "code")}
    return cell


def task_cells(task: Task) -> Iterator[Any]:
    """A question and a blank; below it the tests, unless a person marks it."""
    stars = "★" * task.stars
    told_of = (
        f"*{task.kind}, {stars}, {task.minutes} minutes, {task.points} "
        f"point{'s' * (task.points > 1)}.*"
    )
    yield told(f"{task.name}-text", f"## {task.title}\n\n{told_of} {task.text}")
    if not task.own:
        body = f"### BEGIN SOLUTION\n{task.solution}\n### END SOLUTION"
        marks = {"grade": True, "solution": True, "locked": False, "points": task.points}
        yield told(task.name, body, **marks)
        return
    body = f"{task.start}\n### BEGIN SOLUTION\n{task.solution}\n### END SOLUTION"
    yield told(f"{task.name}-own", body, "code", solution=True, locked=False)
    handed = f"{task.own}, {task.inputs}" if task.inputs else task.own
    tests = TESTS.format(handed=handed, judge=task.judge)
    yield told(task.name, tests, "code", grade=True, points=task.points)
