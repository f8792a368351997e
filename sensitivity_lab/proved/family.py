"""What is proved of a standard query: one object of its family, asked by every method for its part.

A dataset and its neighbour share c records; a more are the dataset's alone, b the neighbour's.
D(c, a, b) is the most by which the query's answer on the one with a exceeds that on the other.
Where a docstring names a theorem, as in (thm-mean), that is its label on the book's page of proofs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from sensitivity_lab.numbers.exact import Exact
from sensitivity_lab.numbers.gap import Gap, Norm
from sensitivity_lab.proved.worst_pair import D, Share, shares
from sensitivity_lab.relations import Relation

ANY_COPIES = "records take any values from L to U, in any number of copies; L and U both occur"
LARGEST_OF_TWO = "the larger of Add(k)'s and Remove(k)'s"
Texts = dict[str, tuple[str, str]]  # by relation, for a known size n and for at least m records


@dataclass(frozen=True)
class Interval:
    """The values that records may take: all from `low` to `high`, or so many of them."""

    low: Exact
    high: Exact
    values: int | None = None

    @property
    def width(self) -> Exact:
        """R = U − L."""
        return self.high - self.low


@dataclass(frozen=True)
class Words:
    """A closed form in words: its proof, its formula by relation, its letters, its conditions."""

    proof: str
    texts: Texts
    conditions: str = ANY_COPIES
    where: str = ""

    def text(self, relation: Relation, *, pinned: bool) -> str:
        """The formula for a relation; `pinned` says that the size n is known, else m ≤ n."""
        name = type(relation).__name__
        known, at_least = self.texts[name if name in self.texts else "any"]
        return known if pinned else at_least


@dataclass(frozen=True)
class Family(ABC):
    """What is proved of a query on an interval: of one class and equal fields the same."""

    falls: ClassVar[bool] = False  # D never rises with c, for c ≥ 1
    at_ends: ClassVar[bool] = False  # D is largest where a and b each have the most or the least
    among_records: ClassVar[bool] = True  # an answer lies among the records, in their unit
    adds: ClassVar[Literal["one", "number"] | None] = None  # what a record adds to the answer
    of_anything: ClassVar[bool] = False  # a record that counts need be no number
    tells_apart: ClassVar[bool] = False  # it asks only which records are equal
    asked_again: ClassVar[bool] = False  # a witness is held to its gap by a second route

    @abstractmethod
    def on_interval(self, interval: Interval, norm: Norm) -> D:
        """D for records anywhere in an interval."""

    @abstractmethod
    def words(self, norm: Norm) -> Words:
        """The formula of that in words."""

    def words_within(self, interval: Interval, norm: Norm) -> Words:
        """As `words`, where some intervals have a formula of their own."""
        return self.words(norm)

    def shared(self, least: int, most: int) -> range:
        """Of so many shared records those among which D is largest."""
        return range(least, (min(max(least, 1), most) if self.falls else most) + 1)

    def shares_from(self, relation: Relation, least: int) -> Iterator[Share]:
        """Shares of sizes of at least m that hold the widest gap of any such size (thm-sizes)."""
        if self.falls:  # the two smallest sizes of each move are enough
            smallest = {(r, a): max(least + max(r - a, 0), r) for r, a in relation.moves}
            moves = [(n + more, *move) for move, n in smallest.items() for more in (0, 1)]
            return shares(sorted(moves, key=lambda asked: asked[0]))
        # Beyond these sizes no share is new: 2k + 1 of them hold every move from both sides.
        sizes = range(least, least + 2 * relation.k + 2)
        moves = [(n, r, a) for n in sizes for r, a in relation.moves]
        return shares((n, r, a) for n, r, a in moves if n >= r and n - r + a >= least)

    def bound_from(self, interval: Interval, relation: Relation, least: int) -> Gap | None:
        """An upper bound for sizes of at least m, where no more than that is proved."""
        return None
