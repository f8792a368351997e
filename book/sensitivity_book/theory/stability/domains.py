"""What a map speaks of: distances between datasets and answers, measures, and domains."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from sensitivity_lab.numbers import Exact, exact_number, rounded_root_gap, whole_number

Rows = Literal["any", "number"]

# --- distances and measures ----------------------------------------------------------------


@dataclass(frozen=True)
class Metric:
    """A distance between datasets, or between answers; it is known by its name.

    >>> SYMMETRIC((1, 2, 2), (2, 3)), L1((1, 5), (3, 4))
    (3, 3)

    Cost: linear in the two sizes. Distances of datasets count rows, those of answers have the
    unit of the answers. Source: OpenDP (2026); def-neighbour-distances in
    chapters/neighbours-in-detail and def-norms in chapters/norms.
    """

    name: str
    distance: Callable[[Any, Any], Any] = field(compare=False, repr=False)
    counts_rows: bool = field(default=False, compare=False, repr=False)

    @property
    def __name__(self) -> str:
        return self.name  # what a report of `audit_map` calls it

    def __str__(self) -> str:
        return self.name

    def __call__(self, a: Any, b: Any) -> Any:
        """Return how far apart two datasets or answers are."""
        return self.distance(a, b)

    def read(self, d_in: Any) -> Exact:
        """Return a distance as an exact number, or refuse what is none.

        >>> ABSOLUTE.read(0.5), SYMMETRIC.read(3)
        (Fraction(1, 2), 3)
        """
        if self.counts_rows:
            return whole_number(d_in, "d_in", 0)
        exact = exact_number(d_in, "d_in")
        if exact < 0:
            raise ValueError(f"d_in must be at least 0, got d_in={d_in}")
        return exact


def _gone_and_new(x: Iterable[Hashable], y: Iterable[Hashable]) -> tuple[int, int]:
    x, y = Counter(x), Counter(y)
    return (x - y).total(), (y - x).total()


def _changed(x: Iterable[Hashable], y: Iterable[Hashable]) -> float:
    gone, new = _gone_and_new(x, y)
    return gone if gone == new else math.inf


def _root_of_squares(a: Iterable[Any], b: Iterable[Any]) -> float:
    return root(sum(Fraction(s - t) ** 2 for s, t in zip(a, b, strict=True)))


def root(square: Any) -> float:
    """Return the float nearest to the root of an exact number."""
    return rounded_root_gap(Fraction(square), Fraction(0))


# The first two are those of the ground floor, for rows that need not be numbers.
SYMMETRIC = Metric("symmetric distance", lambda x, y: sum(_gone_and_new(x, y)), counts_rows=True)
CHANGE_ONE = Metric("change-one distance", _changed, counts_rows=True)
ABSOLUTE = Metric("absolute distance", lambda a, b: abs(a - b))
L1 = Metric("L1 distance", lambda a, b: sum(abs(s - t) for s, t in zip(a, b, strict=True)))
L2 = Metric("L2 distance", _root_of_squares)


def dataset_metric(metric: Metric) -> Metric:
    """Return a metric between datasets, or refuse another."""
    if metric not in (SYMMETRIC, CHANGE_ONE):
        raise ValueError(f"metric must be SYMMETRIC or CHANGE_ONE, got metric={metric}")
    return metric


@dataclass(frozen=True)
class Measure:
    """A divergence between output distributions; it is known by its name.

    >>> print(MAX_DIVERGENCE)
    max divergence (ε)

    Source: OpenDP (2026); def-privacy-general in chapters/privacy-maps.
    """

    name: str

    def __str__(self) -> str:
        return self.name


MAX_DIVERGENCE = Measure("max divergence (ε)")
ZERO_CONCENTRATED = Measure("zero-concentrated divergence (ρ)")


def delta_at(epsilon: Any) -> Measure:
    """Return the measure δ at a fixed ε: how much probability escapes the factor e^ε.

    >>> print(delta_at(0.5))
    hockey-stick divergence at ε = 1/2 (δ)

    Raises ValueError for ε below 0. Source: Balle and Wang (2018), section 2; def-privacy-delta
    in chapters/privacy-maps.
    """
    exact = exact_number(epsilon, "epsilon")
    if exact < 0:
        raise ValueError(f"epsilon must be at least 0, got epsilon={epsilon}")
    return Measure(f"hockey-stick divergence at ε = {exact} (δ)")


# --- domains -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Records:
    """A domain of datasets: what a row is, between which bounds, and how many rows there are.

    >>> print(Records(bounds=(0, 12), size=5))
    datasets of 5 numbers in [0, 12]

    Raises ValueError for bounds that do not rise or that no number can meet, and for a size below
    1. Source: OpenDP (2026), whose domains these are after.
    """

    bounds: tuple[Exact, Exact] | None = None
    size: int | None = None
    rows: Rows = "number"

    def __post_init__(self) -> None:
        if self.rows not in ("any", "number"):
            raise ValueError(f"rows must be 'any' or 'number', got rows={self.rows!r}")
        if self.size is not None:
            object.__setattr__(self, "size", whole_number(self.size, "size", 1))
        if self.bounds is not None:
            if self.rows == "any":
                raise ValueError(f"bounds need rows that are numbers, got {self.bounds}")
            object.__setattr__(self, "bounds", interval(*self.bounds))

    def __str__(self) -> str:
        many = "datasets of " if self.size is None else f"datasets of {self.size} "
        kind = {"any": "rows", "number": "numbers"}[self.rows]
        return many + kind + ("" if self.bounds is None else " in [{}, {}]".format(*self.bounds))

    def within(self, other: Any) -> bool:
        """Whether every dataset of this domain is one of the other.

        >>> Records(bounds=(0, 12), size=5).within(Records(bounds=(0, 20)))
        True
        """
        return (
            isinstance(other, Records)
            and other.rows in ("any", self.rows)
            and other.size in (None, self.size)
            and (other.bounds is None or _inside(self.bounds, other.bounds))
        )

    def read(self, dataset: Iterable[Any]) -> tuple[Any, ...]:
        """Return the rows with exact numbers, or refuse a dataset that is not of this domain.

        >>> Records(bounds=(0, 12)).read([3, 0.5])
        (3, Fraction(1, 2))
        """
        rows = tuple(map(self._row, dataset))
        if self.size not in (None, len(rows)):
            raise ValueError(f"data must be of the domain '{self}', got {len(rows)} rows")
        return rows

    def changes(self, metric: Metric, d_in: int) -> int | None:
        """Return how many rows may be changed at a distance; None where rows may come and go.

        >>> Records(size=5).changes(SYMMETRIC, 3), Records().changes(SYMMETRIC, 3)
        (1, None)
        """
        if metric == CHANGE_ONE:
            changes = d_in
        elif self.size is None:
            return None
        else:
            changes = d_in // 2
        return changes if self.size is None else min(changes, self.size)

    def _row(self, row: Any) -> Any:
        if self.rows == "any":
            return row
        number = exact_number(row, "row")
        if self.bounds is not None and not self.bounds[0] <= number <= self.bounds[1]:
            raise ValueError(f"data must be of the domain '{self}', got the row {row!r}")
        return number


@dataclass(frozen=True)
class Answers:
    """A domain of answers: numbers, or vectors of `length` numbers; whole, where that is known.

    >>> print(Answers(length=3, whole=True))
    vectors of 3 whole numbers

    Raises ValueError for a length below 1. Source: OpenDP (2026), whose domains these are after.
    """

    length: int | None = None
    whole: bool = False

    def __post_init__(self) -> None:
        if self.length is not None:
            object.__setattr__(self, "length", whole_number(self.length, "length", 1))

    def __str__(self) -> str:
        numbers = "whole numbers" if self.whole else "numbers"
        return numbers if self.length is None else f"vectors of {self.length} {numbers}"

    def within(self, other: Any) -> bool:
        """Whether every answer of this domain is one of the other.

        >>> Answers(whole=True).within(Answers()), Answers().within(Answers(whole=True))
        (True, False)
        """
        return (
            isinstance(other, Answers)
            and self.length == other.length
            and (self.whole or not other.whole)
        )

    def read(self, answer: Any) -> Any:
        """Return the answer in exact numbers, or refuse one that is not of this domain.

        >>> Answers(length=2).read([1, 0.5])
        (1, Fraction(1, 2))
        """
        parts = [answer] if self.length is None else list(answer)
        exact = tuple(exact_number(part, "answer") for part in parts)
        if len(exact) != (self.length or 1) or (self.whole and any(x % 1 for x in exact)):
            raise ValueError(f"data must be of the domain '{self}', got {answer!r}")
        return exact[0] if self.length is None else exact


Domain = Records | Answers


def interval(lower: Any, upper: Any) -> tuple[Exact, Exact]:
    """Return two bounds as exact numbers, or refuse bounds that do not rise."""
    low, high = exact_number(lower, "bounds"), exact_number(upper, "bounds")
    if low >= high:
        raise ValueError(f"bounds must be two rising numbers, got ({lower}, {upper})")
    return low, high


def _inside(inner: tuple[Exact, Exact] | None, outer: tuple[Exact, Exact]) -> bool:
    return inner is not None and outer[0] <= inner[0] and inner[1] <= outer[1]
