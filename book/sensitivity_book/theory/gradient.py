"""Sensitivity as a derivative: the steps to a dataset's neighbours, and norms of linear maps.

A dataset is a vector of counts, one per value of the universe. One more record of a value is a
step along its axis, one record fewer a step back.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from sensitivity_lab import Query, SymmetricDifference, TooLarge, Universe, local_sensitivity
from sensitivity_lab.numbers import (
    Exact,
    Labelled,
    brief,
    by_key,
    exact_number,
    fields_repr,
    gap_between,
    is_sequence,
    proper_norm,
    rounded_root_gap,
    sequence,
    simplest,
    sorted_labels,
)

MOST_SIGNS = 16  # columns: beyond, the corners of the cube are too many to visit
CELLS = 1 << 20  # records handled at once: bounds the memory


@dataclass(frozen=True)
class Gradient:
    """How a query's answer moves when one record of each value joins or leaves a dataset.

    >>> from sensitivity_lab import SUM
    >>> discrete_gradient(SUM, (5,), Universe.value_range([1, 5])).backward
    (None, 5)

    For the i-th of `values`, with one record e of it, `forward[i]` is f(x + e) − f(x) and
    `backward[i]` is f(x) − f(x − e). It is None where there is no such neighbour: no copy is left
    to add, none is held to remove, or the query has no answer there. Of a vector query these are
    vectors: the columns of the Jacobian. Of answers with keys they have the keys of both ends,
    and an absent one counts 0.

    Source: def-derivatives-difference in the book's chapter on derivatives.
    """

    dataset: tuple[Any, ...]
    values: tuple[Any, ...]
    forward: tuple[Any, ...]
    backward: tuple[Any, ...]

    def __repr__(self) -> str:
        return fields_repr(self)

    def norm(self, q: float = 1) -> Any:
        """Return the largest q-norm of a step, forward or backward; 0 if there is none.

        >>> from sensitivity_lab import MEAN
        >>> discrete_gradient(MEAN, (0, 2), Universe.value_range([0, 1, 2])).norm()
        1

        It is the local sensitivity, equal to `local_sensitivity` under `SymmetricDifference(1)`.
        Cost: linear in the steps' entries. Raises ValueError for q other than 1, 2 and infinity.
        Source: thm-gradient-local in the book's chapter on derivatives.
        """
        return _longest((*self.forward, *self.backward), q)

    def forward_norm(self, q: float = 1) -> Any:
        """Return the largest q-norm of a forward step; 0 if there is none.

        >>> from sensitivity_lab import MEAN
        >>> discrete_gradient(MEAN, (0, 2), Universe.value_range([0, 1, 2])).forward_norm()
        Fraction(1, 3)

        It misses the neighbours with a record fewer. Its maximum over all datasets misses nothing:
        thm-gradient-global in the book's chapter on derivatives. Cost and errors: as `norm`.
        """
        return _longest(self.forward, q)


def discrete_gradient(
    query: Query | Callable[[Any], Any], dataset: Iterable[Any], universe: Universe
) -> Gradient:
    """Return the forward and backward differences of a query at a dataset.

    >>> from sensitivity_lab import MEAN, SUM
    >>> discrete_gradient(SUM, (), Universe.value_range([1, 5]))
    Gradient(dataset=(), values=(1, 5), forward=(1, 5), backward=(None, None))
    >>> discrete_gradient(MEAN, (0, 0), Universe.population([0, 0, 6])).forward
    (None, 2)

    Differences are exact (int or Fraction) where the query is rational, correctly rounded floats
    for standard deviations, a callable's own arithmetic else.
    Cost: two evaluations for the dataset and two for each neighbour, of which each value has at
    most two. Errors: as `local_sensitivity`, which is asked first.
    Source: Schultz-Wu (2020a), who has the forward differences.
    """
    found = local_sensitivity(query, dataset, universe, relation=SymmetricDifference(1))
    asked, positions = found.query, universe.positions(found.witness[0])
    smallest = asked.smallest_size
    if smallest is None:
        smallest = 1 if found.not_asked else 0
    answers = _Answers(asked, universe)
    (here,) = answers.on([tuple(positions.tolist())])
    held = np.bincount(positions, minlength=universe.distinct)
    forward: list[Any] = [None] * universe.distinct
    backward: list[Any] = [None] * universe.distinct
    free = np.flatnonzero(held < universe.most_copies(len(positions) + 1))
    for i, more in answers.beside(_with_one_more, positions, free):
        forward[i] = _step(asked, here, more)
    if len(positions) > smallest:
        for i, fewer in answers.beside(_with_one_fewer, positions, np.flatnonzero(held)):
            backward[i] = _step(asked, fewer, here)
    records = tuple(universe.values[i] for i in positions.tolist())
    return Gradient(records, universe.values, tuple(forward), tuple(backward))


def operator_norm(matrix: Iterable[Iterable[Any]], p: float = 1, q: float = 1) -> Any:
    """Return how much a matrix can stretch: the largest q-norm of M·v over real v of p-norm 1.

    >>> import math
    >>> tree = [[1, 1], [1, 0], [0, 1]]  # a total and its two parts
    >>> operator_norm(tree), operator_norm(tree, p=math.inf)
    (2, 4)
    >>> f"{operator_norm(tree, q=2):.6f} {operator_norm(tree, p=2, q=2):.6f}"
    '1.414214 1.732051'

    The q-norm of M·v is convex in v, so it is largest at a corner of the ball. For p = 1 the
    corners are the axes: the answer is the largest q-norm of a column. For p = ∞ they are all
    vectors of signs. Both answers are exact, or correctly rounded where q = 2. The round ball of
    p = 2 has no corners: there q must be 2, and the answer is the largest singular value, a float.
    Cost: columns × rows for p = 1, times 2^(columns − 1) for p = ∞.
    Raises ValueError for a norm other than 1, 2 and infinity, p = 2 with another q, rows of
    different lengths, no entries, more than 16 columns for p = ∞, and a float above the largest.
    Source: thm-derivatives-balls in the book's chapter on derivatives; Higham (2002), Accuracy
    and Stability of Numerical Algorithms, section 6.2.
    """
    rows = _checked_rows(matrix)
    proper_norm(p, "p")
    proper_norm(q, "q")
    if p == 2:
        if q != 2:
            raise ValueError(f"q must be 2 where p is 2, got q={brief(q)}")
        return _largest_singular_value(rows)
    if p == 1:
        return _longest(tuple(zip(*rows, strict=True)), q)
    columns = len(rows[0])
    if columns > MOST_SIGNS:
        raise TooLarge(f"matrix must have at most {MOST_SIGNS} columns for p=inf, got {columns}")
    corners = ((1, *signs) for signs in product((1, -1), repeat=columns - 1))
    return _longest((_times(rows, corner) for corner in corners), q)


def _largest_singular_value(rows: list[list[Exact]]) -> float:
    """Found among numbers below 2: a power of two, which is exact in floats, is taken out."""
    largest = max(abs(Fraction(entry)) for row in rows for entry in row)
    power = largest.numerator.bit_length() - largest.denominator.bit_length()
    scale = Fraction(2) ** power
    norm = np.linalg.norm(
        np.array([[float(entry / scale) for entry in row] for row in rows], dtype=float), 2
    )
    try:
        return float(Fraction(float(norm)) * scale)
    except OverflowError as error:
        raise ValueError(
            f"a norm for p=2 must be at most {sys.float_info.max}, the largest float: "
            "scale the matrix down"
        ) from error


def _times(rows: list[list[Any]], v: Sequence[int]) -> tuple[Any, ...]:
    return tuple(sum(a * b for a, b in zip(row, v, strict=True)) for row in rows)


Neighbours = Callable[[np.ndarray, np.ndarray], np.ndarray]


class _Answers:
    """The raw answers of a query, a root query's squares, on datasets of a universe's positions."""

    def __init__(self, query: Query, universe: Universe) -> None:
        self.query, self.given = query, query.giver(universe)

    def on(self, datasets: Iterable[tuple[int, ...]]) -> list[Any]:
        return self.query.answers(self.given, [*datasets])

    def beside(
        self, neighbours: Neighbours, positions: np.ndarray, values: np.ndarray
    ) -> Iterator[tuple[int, Any]]:
        """The answer on the neighbour of each value, many at once."""
        at_once = max(1, CELLS // (len(positions) + 1))
        for start in range(0, len(values), at_once):
            some = values[start : start + at_once]
            answers = self.on(map(tuple, neighbours(positions, some).tolist()))
            yield from zip(some.tolist(), answers, strict=True)


def _with_one_more(positions: np.ndarray, values: np.ndarray) -> np.ndarray:
    """A row for each value: the dataset with it."""
    rows = np.broadcast_to(positions, (len(values), len(positions)))
    return np.sort(np.column_stack([rows, values]), axis=1)


def _with_one_fewer(positions: np.ndarray, values: np.ndarray) -> np.ndarray:
    """A row for each value: the dataset without one record of it."""
    rows = np.broadcast_to(positions, (len(values), len(positions)))
    kept = (
        np.arange(len(positions), dtype=np.intp)
        != np.searchsorted(positions, values)[:, np.newaxis]
    )
    fewer: np.ndarray = rows[kept].reshape(len(values), -1)
    return fewer


def _step(query: Query, start: Any, end: Any) -> Any:
    """The end less the start; entry by entry for vectors, key by key where they have keys."""
    if isinstance(end, Labelled) or isinstance(start, Labelled):
        before, after = by_key(start), by_key(end)
        keys = sorted_labels({**before, **after})
        return Labelled([_minus(after.get(key, 0), before.get(key, 0)) for key in keys], keys)
    if isinstance(end, tuple):
        return tuple(_minus(b, a) for a, b in zip(start, end, strict=True))
    return rounded_root_gap(Fraction(end), Fraction(start)) if query.root else _minus(end, start)


def _minus(b: Any, a: Any) -> Any:
    step = b - a
    return simplest(step) if isinstance(step, Fraction) else step


def _longest(steps: Iterable[Any], q: float) -> Any:
    """The largest q-norm of the steps there are; 0 if there are none."""
    proper_norm(q, "q")
    gap = gap_between(q, root=False)
    lengths = [gap(step, _still(step)) for step in steps if step is not None]
    longest: Any = max(lengths, default=0)
    if isinstance(longest, Fraction):
        return simplest(longest)
    return longest if isinstance(longest, (int, float)) else float(longest)  # a root


def _still(step: Any) -> Any:
    """A step of the same shape that leads nowhere."""
    if isinstance(step, Labelled):
        return Labelled((), ())
    return (0,) * len(step) if isinstance(step, tuple) else 0


def _checked_rows(matrix: Any) -> list[list[Any]]:
    given = sequence(matrix, "matrix") if is_sequence(matrix) else (matrix,)
    if not all(map(is_sequence, given)):
        raise TypeError(f"matrix must be rows of numbers, got {brief(matrix)}")
    listed = [sequence(row, "matrix row", "numbers") for row in given]
    rows = [[exact_number(entry, "matrix entry") for entry in row] for row in listed]
    lengths = {len(row) for row in rows}
    if not lengths or 0 in lengths:
        raise ValueError(f"matrix must have at least one row and one column, got {brief(matrix)}")
    if len(lengths) > 1:
        raise ValueError(
            f"matrix must have rows of one length, got lengths {brief(sorted(lengths))}"
        )
    return rows
