"""Who is a neighbour: relations between datasets, and the distances they are cut from."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from sensitivity_lab import extension
from sensitivity_lab.numbers.errors import TooLarge
from sensitivity_lab.numbers.exact import (
    brief,
    by_name,
    exact_number,
    is_real,
    sequence,
    whole_number,
)
from sensitivity_lab.records import SHORT_FLOATS, hashed
from sensitivity_lab.universe import Dataset, Indices, Universe, check_universe, multisets

Move = tuple[int, int]  # how many records leave the dataset, how many join it
Plan = dict[int, tuple[Move, ...]]  # the feasible moves from a dataset of each size
MOST_ONE_BY_ONE = 64  # values alike, whose ways are multiplied one by one; more by powers


def symmetric_distance(x: Iterable[Any], y: Iterable[Any]) -> int:
    """Return how many records must be removed from x and added to it to make y.

    >>> symmetric_distance((1, 2, 2), (2, 3))
    3

    Multiplicities count: this is the size of the multiset symmetric difference.
    Cost: linear in the sizes. Raises ValueError or TypeError for records that are no numbers.
    Source: def-neighbour-distances in the book's lookup on neighbours; OpenDP's "symmetric
    distance"; McSherry (2009).
    """
    return sum(_move_between(_records_of(x, "x"), _records_of(y, "y")))


def change_one_distance(x: Iterable[Any], y: Iterable[Any]) -> float:
    """Return how many records of x must be changed to make y; infinity if the sizes differ.

    >>> change_one_distance((1, 2, 2), (2, 2, 9))
    1

    Cost and errors: as `symmetric_distance`. Source: OpenDP's "change-one distance";
    thm-change-one-hamming in the book's lookup on neighbours.
    """
    removed, added = _move_between(_records_of(x, "x"), _records_of(y, "y"))
    return removed if removed == added else math.inf


def _move_between(x: Dataset, y: Dataset) -> Move:
    """How many records of x are not in y, and of y not in x, as multisets of exact values."""
    count_x, count_y = Counter(_comparable(x, y)), Counter(_comparable(y, x))
    return (count_x - count_y).total(), (count_y - count_x).total()


def _comparable(dataset: Dataset, other: Dataset) -> Iterable[Any]:
    """Records as exact values; rationals, and floats of one kind, are compared as they are."""
    kinds = {type(record) for record in (*dataset, *other)}
    one_float = len(kinds) == 1 and kinds <= {float, np.float64, *SHORT_FLOATS}
    if kinds <= {int, bool, Fraction} or (one_float and all(map(math.isfinite, dataset))):
        return dataset
    if not any(is_real(record) for record in (*dataset, *other)):
        return (hashed(record, "record") for record in dataset)  # no numbers: compared as they are
    return (None if record is None else exact_number(record, "record") for record in dataset)


def _records_of(dataset: Any, what: str) -> Dataset:
    """The records of a dataset: those of a table, else the entries of a sequence."""
    if extension.is_foreign(dataset):
        return tuple(extension.entries(dataset, what))
    if isinstance(dataset, Mapping):
        raise TypeError(f"{what} must be a sequence of records or a table, got {brief(dataset)}")
    return sequence(dataset, what)


@dataclass(frozen=True, repr=False)
class Relation:
    """A set of moves: how many records may leave a dataset and how many may join it.

    >>> Change(2)
    <Change(2): at most 2 records changed>

    A relation of your own is a subclass with `at_most`, `phrase` and `moves`.
    Raises ValueError or TypeError for a k that is no whole number from 1 to `largest_k`.
    Source: thm-share on the book's page of proofs: moves are all that a sensitivity asks about.
    """

    k: int
    at_most: ClassVar[bool]
    phrase: ClassVar[str]
    largest_k: ClassVar[int] = 1_000_000  # its moves are listed
    in_place: ClassVar[bool] = False  # a record that leaves is replaced
    sides: ClassVar[tuple[str, str]] = ("removed", "added")  # what only one dataset has

    def __post_init__(self) -> None:
        if type(self) is Relation:
            check_relation(self)
        k = whole_number(self.k, "k", 1)
        if k > self.largest_k:
            raise TooLarge(
                f"k must be at most {self.largest_k:,} for {type(self).__name__}, got k={brief(k)}"
            )
        object.__setattr__(self, "k", k)

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """The pairs (records removed, records added) that lead to a neighbour, each listed once."""
        raise NotImplementedError

    @property
    def kind(self) -> str:
        """The relation's name without its k, as tables have it."""
        return type(self).__name__

    @property
    def description(self) -> str:
        """The relation in words, with "exactly" or "at most"."""
        records = "record" if self.k == 1 else "records"
        return f"{'at most' if self.at_most else 'exactly'} {self.k} {records} {self.phrase}"

    def __repr__(self) -> str:
        return f"<{self}: {self.description}>"

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.k})"

    @property
    def is_standard(self) -> bool:
        """Whether it is one of the package's five, for which closed forms are proved."""
        return type(self) in STANDARD

    def are_neighbours(self, x: Iterable[Any], y: Iterable[Any]) -> bool:
        """Return whether y is a neighbour of x.

        >>> SymmetricDifference(2).are_neighbours((1, 2), (1, 3))
        True

        A relation that says "at most" makes every dataset its own neighbour, at distance 0.
        Cost: linear in the sizes and in the number of moves. Errors: as `symmetric_distance`.
        """
        return _move_between(_records_of(x, "x"), _records_of(y, "y")) in self.moves

    def neighbours(self, dataset: Iterable[Any], universe: Universe) -> Iterator[Dataset]:
        """Yield the neighbours of a dataset once each, as sorted tuples, in lexicographic order.

        >>> list(Change(1).neighbours((1, 2), Universe.population([1, 2, 3])))
        [(1, 2), (1, 3), (2, 3)]

        Cost: `count_neighbours` tuples, sorted before the first is given.
        Raises ValueError if the dataset does not lie in the universe.
        Source: thm-school-selections in the chapter *A blog, checked*.
        """
        check_universe(universe)
        indices = universe.indices(dataset)
        return map(universe.given, sorted(neighbours_of(indices, universe, self.moves)))

    def count_neighbours(self, dataset: Iterable[Any], universe: Universe) -> int:
        """Return how many neighbours a dataset has; none is built.

        >>> Change(1).count_neighbours((1, 2, 3), Universe.population(range(1, 11)))
        22

        Cost: O(k²) arithmetic for each value, O(k⁴) for each 64 and more alike. Errors: as
        `neighbours`.
        """
        check_universe(universe)
        return count_neighbours_of(universe.indices(dataset), universe, self.moves)


class Add(Relation):
    """Exactly k records added: `{(x, y): y = x + k records}`.

    >>> Add(2), Add(2).moves
    (<Add(2): exactly 2 records added>, ((0, 2),))

    At exactly k the sensitivity can fall as k grows; calibrate noise with an at-most relation.
    Source: def-add-remove in the book's chapter on neighbours.
    """

    at_most = False
    phrase = "added"

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        return ((0, self.k),)


class Remove(Relation):
    """Exactly k records removed: `{(x, y): x = y + k records}`.

    >>> Remove(1), Remove(1).moves
    (<Remove(1): exactly 1 record removed>, ((1, 0),))

    At exactly k the sensitivity can fall as k grows; calibrate noise with an at-most relation.
    Source: def-add-remove in the book's chapter on neighbours.
    """

    at_most = False
    phrase = "removed"

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        return ((self.k, 0),)


class AddRemove(Relation):
    """Exactly k records added, or exactly k removed, never a mix.

    >>> AddRemove(1).moves
    ((1, 0), (0, 1))

    The blog post *Global Sensitivity From Scratch* calls this "unbounded". At exactly k the
    sensitivity can fall as k grows; calibrate noise with an at-most relation.
    Source: Munilla Garrido (2021a); def-add-remove in the book's chapter on neighbours.
    """

    at_most = False
    phrase = "added, or removed"

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        return ((self.k, 0), (0, self.k))


class SymmetricDifference(Relation):
    """At most k additions and removals in any mix: `{(x, y): |x ⊖ y| ≤ k}`.

    >>> SymmetricDifference(2).moves
    ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0))

    The field's unbounded group distance; ⊖ is the multiset symmetric difference.
    Source: McSherry (2009); def-symmetric-difference in the book's chapter on neighbours.
    """

    at_most = True
    phrase = "added or removed"
    largest_k = 1_000  # half a million moves

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        return tuple((r, a) for r in range(self.k + 1) for a in range(self.k + 1 - r))


class Change(Relation):
    """At most k records changed, size kept: `{(x, y): |x| = |y| and |x ⊖ y| ≤ 2k}`.

    >>> Change(2).moves
    ((0, 0), (1, 1), (2, 2))

    Source: Dwork, McSherry, Nissim and Smith (2006a), whose neighbours differ in one record;
    def-change in the book's chapter on neighbours.
    """

    at_most = True
    phrase = "changed"
    in_place = True
    sides = ("changed from", "changed to")

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        return tuple((j, j) for j in range(self.k + 1))


Relation.__init__ = by_name(Relation.__init__)  # type: ignore[method-assign]
STANDARD = (Add, Remove, AddRemove, SymmetricDifference, Change)


def several(relations: Any) -> Any:
    """Some relations as they are given; one alone as a list of it."""
    return [relations] if isinstance(relations, Relation) else relations


def check_relation(relation: Any) -> None:
    """Refuse what is no relation with its k, or one whose moves the sweep would misread."""
    if not isinstance(relation, Relation) or type(relation) is Relation:
        got = "Relation(k)" if isinstance(relation, Relation) else brief(relation)
        raise TypeError(
            "relation must be Add(k), Remove(k), AddRemove(k), SymmetricDifference(k) "
            f"or Change(k), got {got}"
            + ": sl.sweep and sl.audit take several" * isinstance(relation, (list, tuple))
            + ": sl.audit_map takes an input_metric of your own" * callable(relation)
        )
    if not relation.is_standard:
        moves = set(relation.moves)
        for r, a in moves:
            if r and a and (less := (r - 1, a - 1)) not in moves:
                raise ValueError(
                    f"relation must have the move {less} beside {r, a}, got {relation}"
                )


def neighbours_of(dataset: Indices, universe: Universe, moves: Iterable[Move]) -> Iterator[Indices]:
    """Yield the neighbours of a dataset of value positions, move by move, once each."""
    held = Counter(dataset)
    for removed, added in moves:
        if removed > len(dataset):
            continue
        # What leaves may not come back in the same move: that would be a smaller move.
        copies = universe.copies(len(dataset) + added)
        for gone in multisets([held[i] for i in range(len(copies))], removed):
            left = held - Counter(gone)
            free = [0 if i in gone else copies[i] - left[i] for i in range(len(copies))]
            core = tuple(left.elements())
            for joined in multisets(free, added):
                yield tuple(sorted(core + joined))


def count_neighbours_of(
    dataset: Indices, universe: Universe, moves: Iterable[Move], enough: int | None = None
) -> int:
    """Count a dataset's neighbours, or find more than `enough`; none is built."""
    moves, most, found = tuple(moves), 1, 0
    reach = max(map(max, moves))
    if enough is None:
        most = reach
    while True:  # the moves of few records alone are often more than enough
        found = _count_within(dataset, universe, [move for move in moves if max(move) <= most])
        if most >= reach or (enough is not None and found > enough):
            return found
        most *= 2


def _count_within(dataset: Indices, universe: Universe, moves: Sequence[Move]) -> int:
    """Count the neighbours by some moves: of polynomials, for each value, of what goes or joins."""
    if not moves:
        return 0
    most_removed, most_added = (max(side) for side in zip(*moves, strict=True))
    copies = universe.most_copies(len(dataset) + most_added)
    held = np.bincount(np.array(dataset, dtype=np.int64), minlength=len(copies))
    removable, addable = np.minimum(held, most_removed), np.minimum(copies - held, most_added)
    # Values with the same room are alike: their polynomial is taken to a power.
    kinds = np.unique(removable * (most_added + 1) + addable, return_counts=True)
    shape = min(most_removed, len(dataset)) + 1, most_added + 1
    ways = np.zeros(shape, dtype=object)
    ways[0, 0] = 1
    one = ways.copy()
    for kind, values in zip(*(part.tolist() for part in kinds), strict=True):
        some = divmod(kind, most_added + 1)
        if values > MOST_ONE_BY_ONE:
            ways = _product(ways, _power(_times(one, *some), values))
        else:
            for _ in range(values):
                ways = _times(ways, *some)
    return sum(int(ways[move]) for move in moves if move[0] < shape[0])


def _times(ways: np.ndarray, removable: int, addable: int) -> np.ndarray:
    """The ways with one value more, of which up to so many copies leave, or so many join."""
    # Some copies leave, or some join, never both: so two sums along an axis, less what both count.
    sums: list[np.ndarray] = []
    for axis, most in enumerate((removable, addable)):
        total = np.cumsum(ways.swapaxes(0, axis), axis=0, dtype=object)
        total[most + 1 :] -= total[: -most - 1].copy()
        sums.append(total.swapaxes(0, axis))
    found: np.ndarray = sums[0] + sums[1] - ways
    return found


def _product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    out = np.zeros_like(p)
    for r, a in np.argwhere(q).tolist():
        out[r:, a:] += q[r, a] * p[: len(p) - r, : p.shape[1] - a]
    return out


def _power(p: np.ndarray, exponent: int) -> np.ndarray:
    half = p if exponent < 2 else _power(_product(p, p), exponent // 2)
    return _product(half, p) if exponent % 2 and exponent > 1 else half
