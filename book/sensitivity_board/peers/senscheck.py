"""SensCheck's six wrong annotations, each held to its type over small whole numbers.

SensCheck (Jafri 2025, https://github.com/uvm-plaid/SensCheck, commit of 8 March 2025) reads the
sensitivity that the type of a Haskell function states, and makes a random test of it. Its file
`src/IncorrectAnnotations.hs` has six functions whose types are wrong.
They are written here anew, from what they do.

A type states a sum of distances, one for each argument that it names: `s1 +++ s2` says that the
answer moves by no more than the first argument and the second move together, `s1` that it moves by
no more than the first moves, whatever the second does. Distances are L2, over the entries of an
argument.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Any

import pandas as pd

import sensitivity_lab as sl
from sensitivity_board.peers.score import Score
from sensitivity_lab import Audit, AuditRow
from sensitivity_lab.numbers import dataset_text, number_text

Argument = tuple[int, ...]  # the entries of a number (one), a pair (two) or a matrix, row by row
Given = tuple[Argument, ...]  # the arguments of one call
LARGEST_SUM = 6  # of the entries of two calls
Stated = tuple[int, ...]  # the positions of the arguments that a type names


@dataclass(frozen=True)
class Annotation:
    """A function, what its type states, and what is right."""

    name: str
    does: str
    function: Callable[..., Argument]
    entries: tuple[int, ...]
    stated: Stated
    right: Stated
    times: int = 1
    grows: bool = False

    @property
    def promise(self) -> str:
        """What the type states, in its own letters."""
        return " + ".join(f"s{i + 1}" for i in self.stated)

    @property
    def right_promise(self) -> str:
        """What would be right, in the same letters; M is the largest number that is allowed."""
        total = " + ".join(f"s{i + 1}" for i in self.right)
        if self.grows:
            return f"M · ({total})"
        return f"{self.times} · {total}" if self.times > 1 else total

    @cached_property
    def query(self) -> sl.Query:
        """The function as the audit asks it: of all its arguments at once."""
        return sl.Query(self.name, lambda given: self.function(*given))

    def inputs(self, most: int) -> list[Given]:
        """Every call with numbers from 0 to `most`.
        Cost: (most + 1) to the power of the entries."""
        sides = [product(range(most + 1), repeat=entries) for entries in self.entries]
        return list(product(*sides))

    def claimed(self, x: Given, y: Given) -> float:
        """The distance that the type states for two calls."""
        return between(x, y, self.stated)


def apart(x: Argument, y: Argument) -> float:
    """Return the L2 distance between two arguments, or two answers."""
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(x, y, strict=True)))


def between(x: Given, y: Given, stated: Stated) -> float:
    """Return the distances between some arguments of two calls, added up."""
    return math.fsum(apart(x[i], y[i]) for i in stated)


def _twice(a: Argument) -> Argument:
    return tuple(2 * entry for entry in a)


def _added(a: Argument, b: Argument) -> Argument:
    return tuple(one + other for one, other in zip(a, b, strict=True))


def _multiplied(a: Argument, b: Argument) -> Argument:
    return tuple(one * other for one, other in zip(a, b, strict=True))


NUMBERS, PAIRS = (1, 1), (2, 2)
MATRICES = (1, 1)  # the type takes any shape: one row and one column are enough
ANNOTATIONS = (
    Annotation("solo_double1", "a + a", _twice, (1,), (0,), (0,), times=2),
    Annotation("solo_plus1", "a + b", _added, NUMBERS, (0,), (0, 1)),
    Annotation("solo_plus2", "a · b", _multiplied, NUMBERS, (0, 1), (0, 1), grows=True),
    Annotation("add_pair_solo1", "a + b, pairs", _added, PAIRS, (0,), (0, 1)),
    Annotation("add_pair_solo2", "a · b, pairs", _multiplied, PAIRS, (0, 1), (0, 1), grows=True),
    Annotation(
        "add_dependently_typed_matrix_solo1", "a + b, matrices", _added, MATRICES, (1,), (0, 1)
    ),
)


def held(
    annotation: Annotation, inputs: Sequence[Given], stated: Stated, times: float = 1
) -> Audit:
    """Hold a function to `times` the distances of some arguments, over every pair of some calls."""

    def moved(x: Given, y: Given) -> float:
        return between(x, y, stated)

    distances = {0.0, *(moved(x, y) for x, y in combinations(inputs, 2))}
    return sl.audit_map(
        annotation.query,
        lambda distance: times * distance,
        inputs,
        distances=sorted(distances),
        input_metric=moved,
        output_metric=apart,
    )


def as_stated(annotation: Annotation, most: int = 2) -> Audit:
    """Hold a function to its type, over all numbers from 0 to `most`."""
    return held(annotation, annotation.inputs(most), annotation.stated)


def mended(annotation: Annotation, most: int = 2) -> Audit:
    """Hold a function to the right annotation, over all numbers from 0 to `most`."""
    times = most if annotation.grows else annotation.times
    return held(annotation, annotation.inputs(most), annotation.right, times)


def smallest(annotation: Annotation) -> AuditRow | None:
    """Return the violation with the smallest numbers:
    the sum of all entries is the least that there is."""
    for total in range(1, LARGEST_SUM + 1):
        broken = [pair for pair in _pairs_of(annotation, total) if _breaks(annotation, pair)]
        if broken:
            least = min(broken, key=lambda pair: annotation.claimed(*pair))
            return held(annotation, least, annotation.stated).violations[0]
    return None


def _pairs_of(annotation: Annotation, total: int) -> Iterator[tuple[Given, Given]]:
    """The pairs of calls whose entries sum to a total,
    the first the one that is earlier in order."""
    width = sum(annotation.entries)
    for entries in _entries_of(2 * width, total):
        x, y = (_arguments(annotation, side) for side in (entries[:width], entries[width:]))
        if x < y:
            yield x, y


def _entries_of(width: int, total: int) -> Iterator[Argument]:
    """The rows of `width` numbers of at least 0 that sum to `total`, in order."""
    if width == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _entries_of(width - 1, total - first):
            yield (first, *rest)


def _arguments(annotation: Annotation, entries: Argument) -> Given:
    """The entries of a call, argument by argument."""
    entry = iter(entries)
    return tuple(tuple(next(entry) for _ in range(n)) for n in annotation.entries)


def _breaks(annotation: Annotation, pair: tuple[Given, Given]) -> bool:
    """Whether the answers lie further apart than the type states; a hair is no difference."""
    x, y = pair
    found = apart(annotation.function(*x), annotation.function(*y))
    return found > annotation.claimed(x, y) * (1 + 1e-9)


def factor(annotation: Annotation, most: int = 2) -> float:
    """Return how many times too small a type is, over numbers from 0 to `most`;
    infinity if it claims 0."""
    ratio = as_stated(annotation, most).worst.ratio
    return float(1 / ratio) if ratio else math.inf


def annotations_table() -> pd.DataFrame:
    """Return the six as a table: what is stated, what was found, the smallest witness,
    what is right."""
    return pd.DataFrame([_row(annotation) for annotation in ANNOTATIONS])


def _row(annotation: Annotation) -> dict[str, Any]:
    row = smallest(annotation)
    rows = mended(annotation).rows
    exact = sum(row.verdict == "exact" for row in rows)
    return {
        "function": annotation.name,
        "does": annotation.does,
        "stated": annotation.promise,
        "claimed": "–" if row is None else number_text(row.claimed),
        "found": "–" if row is None else number_text(row.found),
        "smallest witness": "none" if row is None else _pair_shown(row),
        "too small by": _times(annotation),
        "right": annotation.right_promise,
        "then exact at": f"{exact} of {len(rows)} distances",
    }


def _pair_shown(row: AuditRow) -> str:
    return f"{_shown(row.dataset)} → {_shown(row.neighbour)}"


def _times(annotation: Annotation) -> str:
    """How many times too small a type is over numbers from 0 to M, in words."""
    times = factor(annotation)
    if math.isinf(times):
        return "no factor helps"
    return "×M" if annotation.grows else f"×{number_text(times)}"


def _shown(given: Given) -> str:
    """The arguments of a call, a number without brackets."""
    return ", ".join(dataset_text(a) if len(a) > 1 else str(a[0]) for a in given)


def scored() -> Score:
    """Return how many of the six were shown too small, with the right annotation shown to hold."""
    shown = [
        (row, annotation)
        for annotation in ANNOTATIONS
        if (row := smallest(annotation)) and not mended(annotation).violations
    ]
    row, annotation = min(shown, key=lambda one: _size(one[0]))
    moved = f"{number_text(row.found)} where {number_text(row.claimed)} is claimed"
    return Score(
        "SensCheck's wrong annotations",
        "jafri2025",
        len(ANNOTATIONS),
        len(shown),
        "shown too small, and the right annotation holds",
        f"{annotation.name}: {_pair_shown(row)}, {moved}",
    )


def _size(row: AuditRow) -> tuple[int, int]:
    """How many entries the two calls of a violation have, and their sum."""
    entries = [entry for call in (row.dataset, row.neighbour) for part in call for entry in part]
    return len(entries), sum(entries)
