"""Other orders of a dataset's rows, and whether what is answered in two of them is one answer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import narwhals as nw
import numpy as np

from sensitivity_lab.tabular.answers import Keyed
from sensitivity_lab.tabular.rows import taken

NEAR = 1e-9  # relative: floats that are added in another order round differently,
NOTHING = 1e-12  # and where they cancel, what is left is rounding alone
SHUFFLES = 4  # where order may matter: with the reverse and a rotation most orders of three rows


class OrderMatters(ValueError):
    """The answer on a dataset depends on the order of its rows."""


def other_orders(numbers: np.ndarray, may_matter: bool) -> Iterator[np.ndarray]:
    """Yield the rows of many datasets in other orders: reversed and shuffled; rotated by one, too.

    >>> [rows.tolist() for rows in other_orders(np.array([0, 0, 0, 1]), may_matter=False)]
    [[2, 1, 0, 3], [2, 1, 0, 3]]

    `numbers` has each row's dataset; the rows of one stay together. One shuffle must do where
    nothing says that order `may_matter`. Shuffles are the same in every run. Cost: a sort each.
    """
    place = np.arange(len(numbers), dtype=np.intp)
    yield np.lexsort((-place, numbers))
    for seed in range(SHUFFLES if may_matter else 1):
        yield np.lexsort((np.random.default_rng(seed).random(len(numbers)), numbers))
    if may_matter:
        is_first = np.ones(len(numbers), dtype=bool)
        is_first[1:] = numbers[1:] != numbers[:-1]
        yield np.lexsort((place + len(numbers) * is_first, numbers))


def in_order(one: Any, rows: np.ndarray) -> Any:
    """A table with its rows in another order."""
    return taken(nw.from_native(one, eager_only=True), rows)


def are_near(answer: Any, again: Any) -> bool:
    """Whether two answers are one: the same keys, floats within a billionth, the rest equal.

    >>> are_near(0.1 + 0.2, 0.3), are_near(0.1 + 0.2 - 0.3, 0.0), are_near((1, 2), (2, 1))
    (True, True, False)
    """
    if isinstance(answer, Keyed) and isinstance(again, Keyed):
        if answer.keys == again.keys:
            return are_near(tuple(answer.entries), tuple(again.entries))
        mine = dict(zip(answer.keys, answer.entries, strict=True))
        yours = dict(zip(again.keys, again.entries, strict=True))
        return mine.keys() == yours.keys() and all(are_near(n, yours[k]) for k, n in mine.items())
    if isinstance(answer, tuple) and isinstance(again, tuple):
        labels, others = (getattr(one, "labels", len(one)) for one in (answer, again))
        return bool(labels == others) and all(map(are_near, answer, again))
    if isinstance(answer, float) and isinstance(again, float):
        return math.isclose(answer, again, rel_tol=NEAR, abs_tol=NOTHING)
    return bool(answer == again)
