"""Questions whose numbers need more than 32 bits, or 64: the package's answers against Python's own.

In a browser NumPy's default integer has 32 bits, and arithmetic in it overflows without a word. The
right answers here come from Python's ints and Fractions alone, by trying every pair.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import numpy as np

import sensitivity_lab as sl
from sensitivity_book.stage.bounds import clipped_sums
from sensitivity_book.theory.gradient import discrete_gradient
from sensitivity_lab.methods.lattice import Lattice

Question = tuple[str, Callable[[], Any], Any]  # its name, who asks the package, the right answer
Data = tuple[Any, ...]

POPULATIONS: dict[str, Data] = {
    "32 bits": (-(2**31), -7, 46_341, 2**31 - 1, 3_000_000_000),
    "64 bits": (-(2**63), -5, 2**53 + 1, 2**62, 2**63 - 1),
    "more than 64 bits": (-(2**70), 3, 2**64, 2**100),
    "decimals": (0.1, 0.25, 123_456_789.625, 4_000_000_000.5),
}


def disagreements(_: object = None) -> list[str]:
    """Return what the package answers otherwise than Python's own numbers, a line each."""
    return [told for question in questions() if (told := _told(question))]


def questions() -> Iterator[Question]:
    """Yield every question."""
    yield from _of_every_pair()
    yield from _of_long_populations()
    yield from _of_one_dataset()
    yield from _of_narrow_arrays()
    yield from _of_ranks()


def _told(question: Question) -> str | None:
    """What is wrong with an answer, or nothing."""
    name, ask, right = question
    try:
        found = ask()
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    return None if found == right else f"{name}: {right} is right, got {found}"


# --- small populations: every pair by hand --------------------------------------------------


def _of_every_pair() -> Iterator[Question]:
    """Sensitivities of each population, three records of it, two of them changed."""
    for bits, values in POPULATIONS.items():
        exact = [Fraction(str(value)) for value in values]
        for query, by_hand in _by_hand(exact):
            right = _widest([by_hand(data) for data in combinations(exact, 3)])
            for method in ("solver", "sweep"):
                yield f"{query} of {bits}, {method}", _asker(query, values, method), right


def _by_hand(values: Sequence[Fraction]) -> list[tuple[sl.Query, Callable[[Data], Any]]]:
    """Queries, and what they mean, in Fractions."""
    edges = (values[0], values[1], values[-1])
    return [
        (sl.SUM, sum),
        (sl.VARIANCE, lambda data: sum(x * x for x in data) / 3 - (sum(data) / 3) ** 2),
        (sl.quantile(0.25), lambda data: (data[0] + data[1]) / 2),
        (sl.histogram(edges), lambda data: _counts(edges, data)),
    ]


def _counts(edges: Sequence[Fraction], data: Data) -> Data:
    """How many records lie in each bin; the last holds its upper edge."""
    last = edges[-1]
    return tuple(
        sum(low <= x < high or x == high == last for x in data) for low, high in pairwise(edges)
    )


def _widest(answers: Sequence[Any]) -> Any:
    """The widest gap of all pairs, in L1: any two sets of three differ in at most three."""
    vectors = [answer if isinstance(answer, tuple) else (answer,) for answer in answers]
    return max(
        sum(abs(x - y) for x, y in zip(a, b, strict=True)) for a, b in combinations(vectors, 2)
    )


def _asker(query: sl.Query, values: Data, method: str) -> Callable[[], Any]:
    asked: dict[str, Any] = {"size": 3, "relation": sl.Change(3), "method": method}
    return lambda: _value(query, sl.Universe.population(values), **asked)


# --- long populations: sums over many records -----------------------------------------------


def _of_long_populations() -> Iterator[Question]:
    """Sums, means and deviations whose prefix sums leave 32 and 64 bits."""
    many = [10**15 + 7 * i * i for i in range(3000)]
    first, second = sum(many[:1500]), sum(many[1500:])
    one = {"relation": sl.Change(1500), "size": 1500}
    yield (
        "sum of 3,000",
        lambda: _value(sl.SUM, sl.Universe.population(many), **one),
        second - first,
    )
    right = Fraction(second - first, 1500)
    yield "mean of 3,000", lambda: _value(sl.MEAN, sl.Universe.population(many), **one), right
    three = (0, 3_000_000_000, 2**33)
    deviation = {"relation": sl.Change(2), "size": 2}
    halves = [Fraction(abs(a - b), 2) for a, b in combinations(three, 2)]  # deviations of two
    yield (
        "standard deviation",
        lambda: _value(sl.STD, sl.Universe.population(three), **deviation),
        float(max(halves) - min(halves)),
    )
    huge = {"relation": sl.Change(5), "size": 10**12}
    yield (
        "mean of 10¹² records",
        lambda: _value(sl.MEAN, sl.Universe.value_range([0, 2**40]), **huge),
        Fraction(5 * 2**40, 10**12),
    )
    form: dict[str, Any] = {"bounds": (0, 2**40), "size": 10**10, "relation": sl.Change(3)}
    yield "closed form", lambda: sl.closed_form(sl.SUM, **form).value, 3 * 2**40


def _value(query: sl.Query, universe: sl.Universe, **asked: Any) -> Any:
    return sl.global_sensitivity(query, universe, **asked).value


# --- one dataset ----------------------------------------------------------------------------


def _of_one_dataset() -> Iterator[Question]:
    """Local and smooth sensitivities, and a gradient."""
    records = [1_000_003 * i * i for i in range(60)]
    dataset, change = records[:40], sl.Change(1)

    def scatter(data: Sequence[int]) -> Fraction:
        return Fraction(len(data) * sum(x * x for x in data) - sum(data) ** 2, len(data) ** 2)

    own = scatter(dataset)
    near = (scatter([*dataset[:i], *dataset[i + 1 :], x]) for i in range(40) for x in records[40:])
    right = max(abs(one - own) for one in near)
    yield (
        "variance at one dataset",
        lambda: (
            sl.local_sensitivity(
                sl.VARIANCE, dataset, sl.Universe.population(records), relation=change
            ).value
        ),
        right,
    )
    bounds, beta, odd = (0, 2**40), Fraction(1, 4), records[:41]
    yield "smooth median", lambda: _smooth(odd, bounds, beta), _smooth_by_hand(odd, bounds, beta)
    yield (
        "gradient of a sum",
        lambda: discrete_gradient(sl.SUM, (5,), sl.Universe.value_range([5, 2**40])).forward,
        (5, 2**40),
    )


def _smooth(data: Sequence[int], bounds: tuple[int, int], beta: Fraction) -> tuple[int, Any]:
    found = sl.smooth_sensitivity(sl.MEDIAN, data, bounds=bounds, beta=beta)
    return found.distance, found.local


def _smooth_by_hand(
    data: Sequence[int], bounds: tuple[int, int], beta: Fraction
) -> tuple[int, int]:
    """The distance, and the median's local sensitivity there: all runs around the middle."""
    low, high = bounds
    middle, n = len(data) // 2, len(data)

    def record(i: int) -> int:
        return low if i < 0 else high if i >= n else data[i]

    widest = [
        max(record(middle + s) - record(middle + s - t - 1) for s in range(t + 2))
        for t in range(n + 1)
    ]
    best = max(range(n + 1), key=lambda t: (math.log(widest[t]) - float(beta) * t, -t))
    return best, widest[best]


# --- arrays of few bits ---------------------------------------------------------------------


def _of_narrow_arrays() -> Iterator[Question]:
    """What a reader makes in NumPy has 32 bits there; sums of it need more."""
    values = [2**31 - 9, 2**31 - 5, 2**31 - 1]
    narrow = sl.Universe.population(np.array(values, dtype=np.int32))
    change = {"relation": sl.Change(2), "size": 2}
    yield "variance of 32 bits", lambda: _value(sl.VARIANCE, narrow, **change), _spread(values)
    yield (
        "clipped sum of 32 bits",
        lambda: _value(sl.SUM.clipped(-(2**40), 2**40), narrow, relation=sl.AddRemove(2), size=1),
        2**32 - 6,
    )
    wide = sl.Universe.population(np.array([1, 2**40, 2**50], dtype=np.int64))
    clipped = sl.SUM.clipped(0, 2**45)
    yield (
        "clipped sum",
        lambda: _value(clipped, wide, relation=sl.AddRemove(2), size=0),
        2**40 + 2**45,
    )
    rows = sl.Query("billions", lambda data: 10**9 * len(data), rows=_narrow_rows)
    yield (
        "rows of 32 bits",
        lambda: _value(rows, narrow, relation=sl.AddRemove(3), size=0),
        3 * 10**9,
    )
    ends = [0, 1, 2**40 - 1, 2**40]
    yield "values that break ints", lambda: sl.breaking_values((0, 2**40), int), ends
    yield "clipped sums", lambda: clipped_sums([2**31] * 3, [1, 2**33]).tolist(), [3, 3 * 2**31]
    labels = [("a", 2**40), ("a", 3), ("b", -(2**41))]
    grouped = sl.SUM.of(_second).by(_first)
    yield (
        "sums by group",
        lambda: _value(grouped, sl.Universe.population(labels), relation=sl.AddRemove(3), size=0),
        2**40 + 3 + 2**41,
    )


def _spread(values: Sequence[int]) -> int:
    """The largest variance of two of three values minus the smallest."""
    variances = [Fraction((a - b) ** 2, 4) for a, b in combinations(values, 2)]
    return int(max(variances) - min(variances))


def _narrow_rows(rows: np.ndarray, universe: sl.Universe) -> tuple[np.ndarray, int]:
    """10⁹ for each record, in 32 bits for two records, as NumPy has it in a browser."""
    counted = 10**9 * rows.shape[1]
    kind = np.int32 if counted < 2**31 else np.int64
    return np.full(len(rows), counted, dtype=kind), 1


def _first(record: tuple[str, int]) -> str:
    return record[0]


def _second(record: tuple[str, int]) -> int:
    return record[1]


# --- ranks and numbers of datasets ----------------------------------------------------------


def _of_ranks() -> Iterator[Question]:
    """Places in a lattice, and how many datasets there are."""
    chosen = list(range(1, 60, 2))
    rank = sum(math.comb(x, i + 1) for i, x in enumerate(chosen))
    ranks = np.array([rank], dtype=np.int64)
    sixty = sl.Universe.population(range(60))
    yield (
        "a rank's dataset",
        lambda: Lattice(sixty.copies(30), 30).rows(30, ranks)[0].tolist(),
        chosen,
    )
    twice = sl.Universe.population([x for x in range(50) for _ in range(2)])
    right = sum(math.comb(50, j) * math.comb(50 - j, 50 - 2 * j) for j in range(26))
    yield "datasets of 50 twins", lambda: twice.count(50), right
    every = sl.Universe.value_range(range(1000))
    move = sl.SymmetricDifference(12)
    joined = sum(math.comb(999 + a, a) for a in range(13))
    right = joined + sum(math.comb(998 + a, a) for a in range(12))  # the one record leaves
    yield "neighbours of one record", lambda: move.count_neighbours((0,), every), right
