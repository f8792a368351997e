"""A task that a machine marks, or a person; its numbers come from the lecturer's seed."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sensitivity_lab as sl


@dataclass(frozen=True)
class Task:
    """What stands in the cells of a task.

    `start` is what students find, `solution` what the staff has, `own` the name that is graded, of
    a function for these `inputs`, and `judge` an expression that makes the answer. A task without
    `own` is marked by hand: its solution is a marking scheme.
    """

    title: str
    kind: str
    stars: int
    minutes: int
    objectives: tuple[str, ...]
    text: str
    solution: str
    start: str = ""
    own: str = ""
    judge: str = ""
    inputs: str = ""
    given: dict[str, Any] = field(default_factory=dict)
    name: str = ""

    @property
    def points(self) -> int:
        """A star is one point, and three where a person reads the answer."""
        return self.stars if self.own else 3 * self.stars


Made = Callable[[random.Random], Task]


def numbered(makers: list[Made], assignment: str, seed: str) -> Iterator[Task]:
    """The tasks of an assignment, each with numbers of its own."""
    for make in makers:
        name = f"{assignment}-{make.__name__.replace('_', '-')}"
        task = make(random.Random(f"{seed}/{name}"))
        yield Task(**{**vars(task), "name": name})


def value(code: str, setting: str = "") -> Any:
    """What an expression of a solution comes to, where the assignment's imports stand."""
    scope: dict[str, Any] = {"sl": sl, "Fraction": Fraction}
    exec(setting, scope)
    return eval(code, scope)


def about(title: str, kind: str, stars: int, minutes: int, objectives: str) -> dict[str, Any]:
    """What stands above a task."""
    named = {"title": title, "kind": kind, "stars": stars, "minutes": minutes}
    return named | {"objectives": tuple(objectives.split())}


def number(own: str, right: Any, solution: str, **words: Any) -> Task:
    """A task whose answer is a number, in a variable."""
    exact = f"Fraction({str(right)!r})" if not isinstance(right, float) else repr(right)
    judge, given = f"number({exact})", {**words.pop("given"), "right": right}
    return Task(start=f"{own} = ...", own=own, judge=judge, given=given, solution=solution, **words)


def pair(judge: str, solution: str, setting: str, **words: Any) -> Task:
    """A task whose answer is two datasets, `x` and `y`; both cells are given the setting."""
    return Task(
        start=f"{setting}\nx = [...]\ny = [...]",
        own="(x, y)",
        judge=judge,
        solution=solution,
        **words,
    )


def function(header: str, body: str, right: str, inputs: str, **words: Any) -> Task:
    """A task whose answer is a function; `right` is another, as an expression."""
    return Task(
        start=f"{header}\n    ...",
        solution=f"{header}\n{body}",
        own=header[4 : header.index("(")],
        judge=f"function({right}, {inputs})",
        inputs=inputs,
        **words,
    )
