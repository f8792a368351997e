"""How far apart two answers lie, and in which arithmetic: the widest gap is the sensitivity."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any, Literal, TypeGuard

import numpy as np

from sensitivity_lab.numbers.exact import (
    Exact,
    RootGap,
    as_python,
    brief,
    exact_number,
    is_finite,
    is_missing,
    is_real,
    told,
)

Number = int | Fraction | float
Answer = Number | tuple[Number, ...]
Norm = Literal[0, 1, 2] | float  # infinity is a float; 0 counts the entries that differ
Gap = Number | RootGap  # exact to compare
LONGEST_INT = 2**52  # the difference of two such ints is a float too


def gap_between(norm: Norm, root: bool) -> Callable[[Answer, Answer], Gap]:
    """Return the function that measures how far apart two answers lie."""

    def gap(a: Any, b: Any) -> Gap:
        if isinstance(a, Told):
            return a.apart(b)
        try:
            if norm == 0:  # how many entries differ, or stand in one of the two alone
                both, alone = _side_by_side(a, b) if isinstance(a, tuple) else ([(a, b)], [])
                return sum(int(x != y) for x, y in both) + len(alone)
            if root:
                return RootGap(max(a, b), min(a, b))
            if not isinstance(a, tuple):
                apart: Gap = abs(a - b)
            else:
                both, alone = _side_by_side(a, b)
                # Sorted, for a sum of floats depends on its order: the same from either answer.
                steps = [abs(x - y) for x, y in both] + sorted(map(abs, alone))
                if norm == 2 and math.inf not in steps:
                    return RootGap(sum(Fraction(step) ** 2 for step in steps), 0)
                apart = max(steps, default=0) if norm == math.inf else sum(steps)
        except OverflowError as error:
            raise no_distance(a, b, error) from error
        if apart == math.inf:
            raise no_distance(a, b)
        return apart

    return gap


def _side_by_side(a: Any, b: Any) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """The entries of two vectors in pairs, key by key; and those whose key only one of them has."""
    if getattr(a, "labels", None) == getattr(b, "labels", None):  # or both have none
        return list(zip(a, b, strict=True)), []
    # Keys are compared key by key, never by position: either may have some alone.
    mine, yours = by_key(a), by_key(b)
    both = [(entry, yours[key]) for key, entry in mine.items() if key in yours]
    alone = [entry for key, entry in mine.items() if key not in yours]
    return both, alone + [entry for key, entry in yours.items() if key not in mine]


def no_distance(a: Any, b: Any, error: Exception | None = None) -> ValueError:
    """Return the refusal of two answers whose difference their arithmetic cannot give."""
    got = f"got {brief(a)} and {brief(b)}"
    if error is None:
        return ValueError(
            f"query must give answers whose distance its own numbers can hold, {got}: scale them "
            "down, or answer in ints or Fractions"
        )
    return ValueError(f"query must answer in one arithmetic, {got}: {error}")


def arithmetics(answers: Iterable[Answer]) -> set[str]:
    """Return the arithmetics that answers are in; a short whole number is at home in both."""
    return {
        "float" if isinstance(number, float) else "exact"
        for answer in answers
        for number in (answer if isinstance(answer, tuple) else (answer,))
        if not isinstance(number, int) or abs(number) > LONGEST_INT
    }


def all_rational(numbers: Sequence[Any]) -> TypeGuard[Sequence[Exact]]:
    """Whether all are ints or Fractions."""
    return all(isinstance(number, (int, Fraction)) for number in numbers)


def rational(gap: Gap) -> Exact:
    """Return a gap between rational answers as the rational that it is."""
    assert isinstance(gap, (int, Fraction))
    return gap


def common_denominator(numbers: Sequence[Exact]) -> tuple[list[int], int]:
    """Return rationals as numerators over their least common denominator."""
    common = math.lcm(*(number.denominator for number in numbers))
    return [number.numerator * (common // number.denominator) for number in numbers], common


def in_units(gap: Gap, denominator: int) -> Gap:
    """Return a gap between numerators as the gap between the numbers."""
    if denominator == 1:
        return gap
    if isinstance(gap, RootGap):
        return RootGap(Fraction(gap.larger, denominator), Fraction(gap.smaller, denominator))
    return Fraction(rational(gap), denominator)


def same_shape(answer: Any, first: Any, name: str) -> None:
    """Refuse a number here, a vector there; vectors of two lengths; and keys here, none there."""
    if not has_same_shape(answer, first):
        one, other = _shape_in_words(first), _shape_in_words(answer)
        raise ValueError(f"query {name} must return answers of one shape, got {one} and {other}")


def has_same_shape(answer: Any, other: Any) -> bool:
    """Whether two answers compare: numbers, vectors of one length, any with keys of one kind."""
    if isinstance(answer, Labelled) and isinstance(other, Labelled):
        return {answer.with_columns, other.with_columns} != {True, False}
    return labels_of(answer) == labels_of(other)


def labels_of(answer: Any) -> tuple[Any, ...] | None:
    """The labels of an answer's numbers: of a plain vector their positions, of a number None."""
    if isinstance(answer, Labelled):
        return answer.labels
    return tuple(range(len(answer))) if isinstance(answer, (tuple, np.ndarray)) else None


def _shape_in_words(answer: Any) -> str:
    if isinstance(answer, Labelled):
        return f"a vector with labels {brief(answer.labels)}"
    return "a number" if labels_of(answer) is None else f"a vector of length {len(answer)}"


# Two answers with labels are compared label by label, never by position.


class Labelled(tuple[Any, ...]):
    """The numbers of an answer in the order of their labels, which it holds."""

    labels: tuple[Any, ...]
    with_columns: bool | None = None  # of a table's numbers: whether its keys name their columns

    def __new__(cls, numbers: Iterable[Any], labels: Iterable[Any]) -> Labelled:
        """Hold the numbers, and a label for each."""
        made = super().__new__(cls, numbers)
        made.labels = tuple(labels)
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self), self.labels

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other) is True and self.labels == labels_of(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__  # of the numbers alone: a plain tuple can be equal


def by_key(answer: Answer | Labelled) -> dict[Any, Any]:
    """The numbers of a vector by their keys: the labels, or the positions in a plain one."""
    if not isinstance(answer, tuple):
        return {}
    return dict(zip(labels_of(answer) or (), answer, strict=True))


def keys_that_differ(answer: Answer, other: Answer) -> dict[Any, tuple[Any, Any]]:
    """The keys at which two answers differ, with what each has there: None for no such key."""
    before, after = by_key(answer), by_key(other)
    keys = sorted_labels({**before, **after})
    pairs = {key: (before.get(key), after.get(key)) for key in keys}
    return {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}


def in_order_of_labels(numbers: Sequence[Any], labels: Iterable[Any]) -> Labelled:
    """Return numbers in one order of their labels."""
    known = [_known(label) for label in labels]
    order = sorted(range(len(known)), key=lambda i: rank_of_label(known[i]))
    ordered = [known[i] for i in order]
    for label, times in Counter(ordered).items():
        if times > 1:
            raise ValueError(f"label {brief(label)} comes twice")
    return Labelled([numbers[i] for i in order], ordered)


def sorted_labels(labels: Iterable[Any]) -> list[Any]:
    """Labels in their one order."""
    return sorted(labels, key=rank_of_label)


def _known(label: Any) -> Any:
    """A label that equals itself and can be looked up: None for all that is missing."""
    if isinstance(label, (tuple, list)):
        return tuple(map(_known, label))
    try:
        hash(label)
    except TypeError as error:
        raise TypeError(f"label {brief(label)} cannot be looked up") from error
    return None if is_missing(label) else label


def rank_of_label(label: Any) -> tuple[Any, ...]:
    """The place of a label in their one order: numbers by value, then the rest by type and text."""
    if is_real(label) and is_finite(label):
        return 0, exact_number(label)
    return 1, type(label).__name__, repr(label)


NEAR = 1e-9  # relative: floats that are added in another order round differently,
NOTHING = 1e-12  # and where they cancel, what is left is rounding alone


def are_near(answer: Any, again: Any) -> bool:
    """Whether two answers are one: the same keys, floats within a billionth, the rest equal."""
    if isinstance(answer, tuple) and isinstance(again, tuple):
        labels, others = (getattr(one, "labels", len(one)) for one in (answer, again))
        return bool(labels == others) and all(map(are_near, answer, again))
    if isinstance(answer, float) and isinstance(again, float):
        return math.isclose(answer, again, rel_tol=NEAR, abs_tol=NOTHING)
    return bool(answer == again)


# Answers of any kind lie as far apart as a caller's metric says.

Metric = Callable[[Any, Any], Any]  # two inputs, or two answers, to a number


@dataclass(frozen=True, eq=False)
class Told:
    """An answer of any kind, with the caller's metric that says how far two of them lie apart."""

    answer: Any
    metric: Metric

    def apart(self, other: Told) -> Gap:
        """What the metric says."""
        gap: Gap = measured(self.metric, "output_metric", self.answer, other.answer)
        return gap

    def __repr__(self) -> str:
        return repr(self.answer)


def measured(metric: Metric, name: str, x: Any, y: Any) -> Any:
    """A metric's number for two inputs or answers; where it fails, say on which."""
    try:
        apart = metric(x, y)
    except Exception as error:  # the metric is the caller's: it may raise anything
        raise ValueError(f"{name} failed on {brief(x)} and {brief(y)}: {told(error)}") from error
    return amount(apart, name)


def amount(value: Any, what: str) -> Any:
    """Return a number of at least 0 as int, Fraction or float; infinity is one."""
    value = as_python(value)
    if not is_real(value):
        raise TypeError(f"{what} must be a number of at least 0, got {brief(value)}")
    if isinstance(value, (Rational, Decimal, np.bool_)) and is_finite(value):
        number: Any = exact_number(value, what)
    elif isinstance(value, float):
        number = float.__float__(value)
    elif isinstance(value, Decimal):
        number = math.nan if value.is_nan() else float(value)
    else:  # a short or a long float is read as it is written
        number = float(str(value))
        if math.isinf(number) and is_finite(value):
            number = exact_number(value, what)
    if number != number or number < 0:
        raise ValueError(f"{what} must be a number of at least 0, got {brief(value)}")
    return number
