"""What is taught against what is asked: objectives, exercises, tasks and exam questions."""

import re
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

import chapters
from assignments.cells import ASSIGNMENTS
from assignments.task import numbered

COURSE = Path(__file__).parent
PLAN = tomllib.loads((COURSE / "course.toml").read_text(encoding="utf-8"))


def questions() -> dict[str, dict[str, Any]]:
    """The exam bank by number: kind, minutes, marks, objectives,
    and the texts of question and scheme."""
    text = (COURSE / "exam.md").read_text(encoding="utf-8")
    form = (
        r"^## (Q\d+)\. ([^\n]+)\n\*(\w+), (\d+) minutes, (\d+) marks\. Objectives: "
        r"(.+?)\.\*\n\n(.*?)\n\n\*\*Scheme\.\*\* (.*?)(?=\n\n## |\Z)"
    )
    names = ("title", "kind", "minutes", "marks", "objectives", "question", "scheme")
    found: dict[str, dict[str, Any]] = {}
    for number, *said in re.findall(form, text, re.MULTILINE | re.DOTALL):
        about = dict(zip(names, said, strict=True))
        about.update(minutes=int(said[2]), marks=int(said[3]), objectives=said[4].split(", "))
        found[number] = about
    return found


def objectives() -> dict[str, str]:
    """What the chapters of the path promise, each under its chapter and its place."""
    path = [document.path for document in chapters.listed()[0][1]]
    said: dict[str, str] = {}
    for page in path:
        head = chapters.source(page).cells[0].source
        for place, words in enumerate(re.findall(r"^- (\*\*.*)$", head, re.MULTILINE), start=1):
            said[f"{page.stem}.{place}"] = re.sub(r"\{[\w:]+\}`([^`<]*?)(?: <.*?>)?`", r"\1", words)
    return said


def served() -> dict[str, list[list[str]]]:
    """By objective, the book's exercises, the assignments' tasks and the exam's questions."""
    rows: dict[str, list[list[str]]] = defaultdict(lambda: [[], [], []])
    for label, served in PLAN["exercises"].items():
        for one in served:
            rows[one][0].append(f"`{label}`")
    tasks = [task for name in ASSIGNMENTS for task in numbered(ASSIGNMENTS[name].TASKS, name, "")]
    for task in tasks:
        for one in task.objectives:
            rows[one][1].append(task.name)
    for number, about in questions().items():
        for one in about["objectives"]:
            rows[one][2].append(number)
    return rows


def table() -> str:
    """The matrix, to read."""
    rows = served()
    lines = [
        "# What is taught, and where it is asked",
        "",
        "| objective | exercises | assignments | exam |",
        "|---|---|---|---|",
    ]
    for name, words in objectives().items():
        lines.append(f"| {name}: {words} | {' | '.join(', '.join(each) for each in rows[name])} |")
    return "\n".join(lines) + "\n"
