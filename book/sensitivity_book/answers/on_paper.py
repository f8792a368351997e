"""Verdicts on small datasets, made with the page: a reader on paper needs no Python, whose words these are.

What can be typed falls into classes, told apart by a few numbers that book/_static/answers.js computes, too. The judge
is asked once for each class.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import sensitivity_lab as sl
from sensitivity_book.answers.kinds import DatasetAnswer
from sensitivity_book.answers.reading import known

Records = tuple[Any, ...]
TELLS = {"mean": sl.MEAN, "median": sl.MEDIAN, "maximum": sl.MAX}


def told_on_paper(answer: DatasetAnswer) -> dict[str, Any]:
    """Return what the script reads, checks and says, for an answer that has `by`."""
    sizes = answer.sizes or (answer.size,)
    said = [*(answer.told.items() if answer.told else _verdicts(answer, sizes))]
    words = sorted({verdict for _, verdict in said})
    few, many = (answer.universe.copies(n) for n in (10, 11))
    return {
        "by": answer.by,
        "values": [*answer.universe.values],
        "copies": [*few] if few == many else None,
        "known": known(answer.universe),
        "sizes": sizes,
        "size": answer.size,
        "moves": sorted(answer.relation.moves) if answer.relation else None,
        "neighbours": answer.relation.description if answer.relation else "",
        "said": {name: words.index(verdict) for name, verdict in said},
        "words": words,
    }


def classed(answer: DatasetAnswer, datasets: tuple[Records, ...]) -> str:
    """Name the class of what was typed."""
    parts = []
    for tell in answer.by:
        if tell == "records":
            parts += [" ".join(map(str, x)) for x in datasets]
        elif tell == "swaps":
            parts.append(str(_moved(*datasets)[0]))
        else:
            answers = [_answer(tell.removesuffix(" moved"), x) for x in datasets]
            apart = tell.endswith(" moved")
            parts += map(str, [abs(answers[0] - answers[1])] if apart else answers)
    return " | ".join(parts)


@cache
def _answer(tell: str, x: Records) -> Fraction:
    return Fraction(TELLS[tell](x))


def _verdicts(
    answer: DatasetAnswer, sizes: tuple[Any, ...]
) -> Iterator[tuple[str, tuple[bool, str]]]:
    seen = set()
    for datasets in _submissions(answer, sizes):
        if (name := classed(answer, datasets)) not in seen:
            seen.add(name)
            said = answer.judge(*datasets)
            yield name, (said.right, said.words)


def _submissions(answer: DatasetAnswer, sizes: tuple[Any, ...]) -> Iterator[tuple[Records, ...]]:
    """Everything that can be typed: a dataset, or two neighbours."""
    every = [tuple(x) for size in sizes for x in answer.universe.datasets(size)]
    if answer.relation is None:
        yield from ((x,) for x in every)
        return
    moves = set(answer.relation.moves)
    yield from ((x, y) for x in every for y in every if _moved(x, y) in moves)


def _moved(x: Records, y: Records) -> tuple[int, int]:
    """How many records leave x, and how many join, on the way to y."""
    shared = sum(min(x.count(one), y.count(one)) for one in {*x})
    return len(x) - shared, len(y) - shared
