"""The explorer of questions to a table: how far one person moves the answer, and which person."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from matplotlib.figure import Figure

from sensitivity_book.stage.explorers.explorer import Explorer, Knob, View
from sensitivity_book.stage.explorers.stage import ring, stage
from sensitivity_lab import (
    Change,
    Query,
    Relation,
    Sensitivity,
    SymmetricDifference,
    Universe,
    global_sensitivity,
    plot_witness,
)
from sensitivity_lab.numbers import number_text
from sensitivity_lab.plotting import EXACT, NARROW_FORMS

STAFF = Universe.product(team=["art", "law"], salary=[0, 50, 100], name="staff")
SIZES = (2, 3, 4)
ONE = {"one joins or leaves": SymmetricDifference(1), "one changes": Change(1)}


def pairs(table: Any) -> int:
    """How many pairs of a team there are in which one earns less than the other."""
    rows = list(zip(table["team"], table["salary"], strict=True))
    return sum(one[0] == other[0] and one[1] < other[1] for one in rows for other in rows)


QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "total salary": lambda table: table["salary"].sum(),
    "average salary": lambda table: table["salary"].mean(),
    "highest salary": lambda table: table["salary"].max(),
    "total of a team": lambda table: table.groupby("team")["salary"].sum(),
    "average of a team": lambda table: table.groupby("team")["salary"].mean(),
    "pairs of a team": pairs,
    "how many above the average": lambda table: (table["salary"] > table["salary"].mean()).sum(),
}


def statement_explorer() -> Explorer:
    """Return the explorer of an office: a question, the relation, and how many people there are."""
    knobs = [
        Knob("question", "question", {name: name for name in QUESTIONS}, ordered=False),
        Knob("relation", "neighbours", ONE, ordered=False),
        Knob("people", "people", {str(n): n for n in SIZES}, start="3", ordered=False),
    ]
    return Explorer("statements", statement_view, knobs)


def statement_view(question: str, relation: Relation, people: int) -> View:
    """Return how far one person moves an answer, size by size, and the two tables that show it."""
    found = {n: _asked(question, relation, n) for n in SIZES}
    moved = {n: float(each) for n, each in found.items()}
    here = number_text(moved[people])
    text = f"{question}, {people} people, {relation.description}: one person moves it by {here}."
    heights = ", ".join(f"{n} people: {number_text(each)}" for n, each in moved.items())
    alt = (
        f"The sensitivity against the number of people. {heights}. Below it the two tables, "
        "row by row."
    )
    return View((_curve(moved, people), _tables(found[people])), text, alt)


@lru_cache(maxsize=256)
def _asked(question: str, relation: Relation, people: int) -> Sensitivity:
    """The sensitivity; of answers by team, how far a single team moves."""
    asked = Query(question, QUESTIONS[question], smallest_size=1)
    return global_sensitivity(asked, STAFF, size=people, relation=relation, norm=float("inf"))


def _curve(moved: dict[int, float], people: int) -> Figure:
    with stage(2.6) as (figure, panel):
        panel.plot(list(moved), list(moved.values()), "o-", color=EXACT, clip_on=False)
        ring(panel, people, moved[people])
        panel.set(xlabel="people", ylabel="sensitivity", ylim=(0, 1.15 * max(moved.values())))
        panel.set(xlim=(SIZES[0] - 0.2, SIZES[-1] + 0.2), xticks=SIZES)
    return figure


def _tables(found: Sensitivity) -> Figure:
    """The pair, row by row, in the form that a phone has."""
    narrow = NARROW_FORMS[plot_witness(found)]
    assert narrow is not None  # a witness has one
    return narrow()
