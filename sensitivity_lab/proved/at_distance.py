"""How far a query moves within t changed records of one dataset.

A⁽ᵗ⁾(x) is the largest local sensitivity within t changes of x. Each family says for every t which
pair has it; here are the dataset, its pairs, and the search over all t, discounted by e^(−βt).
The formulas are proved on the book's page of proofs, "At a distance from one dataset".
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from sensitivity_lab.numbers.exact import Exact, brief, simplest
from sensitivity_lab.numbers.gap import rational
from sensitivity_lab.proved.sorted_records import Run
from sensitivity_lab.proved.worst_pair import Parts, WorstPair, apart
from sensitivity_lab.universe import Dataset, Universe

NEAR = 1e-12  # discounted values this near to the largest, in floats, are compared exactly
Distances = list[tuple[int, WorstPair]]  # some t, each with its widest pair


@dataclass(frozen=True, eq=False)
class Bounded:
    """A dataset in order, as whole numbers: each record is L + x / scale, and U is L + top / scale."""

    x: np.ndarray
    top: int
    scale: int
    bounds: tuple[Exact, Exact]

    @classmethod
    def of(cls, universe: Universe, bounds: tuple[Exact, Exact]) -> Bounded:
        """The records of a population within some bounds."""
        low, high = bounds
        whole, scale = universe.sorted_scaled
        common = math.lcm(scale, Fraction(low).denominator, Fraction(high).denominator)
        lowest, top = int(low * common), int((high - low) * common)
        largest = max(abs(int(end)) for end in (whole[0], whole[-1])) * (common // scale)
        if max(largest, abs(lowest), abs(top), common // scale) >= 2**61:
            whole = whole.astype(object)
        x = whole * (common // scale) - lowest
        if x[0] < 0 or x[-1] > top:
            record = universe.sorted_records[0 if x[0] < 0 else -1]
            raise ValueError(
                f"dataset must lie within bounds={brief(bounds)}, got a record {brief(record)}"
            )
        return cls(x, top, common, bounds)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bounded) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @cached_property
    def _key(self) -> tuple[Any, ...]:
        x = tuple(self.x) if self.x.dtype == object else self.x.tobytes()
        return x, self.top, self.scale, self.bounds

    def __len__(self) -> int:
        return len(self.x)

    def moved(
        self,
        gap: Exact,
        gone: Run,
        joined: tuple[tuple[Exact, int], ...],
        into: Exact,
        out_of: Exact | None = None,
    ) -> WorstPair:
        """A dataset near x, and one that has `into` instead of its record `out_of`.

        The near one is x without the run `gone` and with copies of some values `joined`;
        `out_of` is by default its lowest, or for a lower `into` its highest.
        """
        near = [
            (start, stop) for start, stop in ((0, gone[0]), (gone[1], len(self))) if start < stop
        ]
        copies = [(value, times) for value, times in joined if times]
        if out_of is None:
            ends: list[Exact] = [int(self.x[i]) for start, stop in near for i in (start, stop - 1)]
            ends += [value for value, _ in copies]
            out_of = min(ends) if into > min(ends) else max(ends)
        pair = WorstPair.of_copies(
            simplest(Fraction(gap)), (*copies, (out_of, -1)), ((out_of, 1),), ((into, 1),)
        )
        return replace(pair, common=(*near, *pair.common), records=self)

    def dataset(self, parts: Parts | None = None) -> Dataset:
        """The records of some parts, or all of them, in exact numbers."""
        copies = self._copies([(0, len(self))] if parts is None else parts)
        return tuple(self._given(x) for x, times in sorted(copies.items()) for _ in range(times))

    def multiset(self, parts: Parts) -> frozenset[tuple[Any, int]]:
        """The different records of some parts, each with its number of copies."""
        return frozenset((self._given(x), times) for x, times in self._copies(parts).items())

    def _copies(self, parts: Parts) -> Counter[Exact]:
        copies: Counter[Exact] = Counter()
        runs, others = apart(parts)
        for start, stop in runs:
            copies.update(self.x[start:stop].tolist())
        for value, times in others:
            copies[value] += times
        return +copies

    def _given(self, x: Exact) -> Exact:
        """The number that a whole number stands for."""
        return simplest(self.bounds[0] + Fraction(x) / self.scale)


class AtDistance:
    """The widest pair within t changes of a dataset, and the t whose discounted gap is largest."""

    def __init__(self, dataset: Bounded, widest: Callable[[int], WorstPair]) -> None:
        self.dataset, self._widest = dataset, widest

    def widest(self, t: int) -> WorstPair:
        """The widest pair whose first dataset is within t changes."""
        return self._widest(t)

    def nearly_widest(self, beta: float) -> tuple[Distances, float]:
        """The distances whose discounted gap may be the largest, each with its widest pair."""
        n = len(self.dataset)
        most = rational(self.widest(n).gap)
        best, candidates = -math.inf, []
        for t in range(n + 1):
            pair = self.widest(t)
            value = logarithm(rational(pair.gap)) - beta * t
            best = max(best, value)
            candidates.append((value, t, pair))
            if pair.gap == most or logarithm(most) - beta * t < best - doubt(best, most):
                break  # no further one is wider
        least = best - doubt(best, most)
        return [(t, pair) for value, t, pair in candidates if value >= least], 0.0


def doubt(best: float, most: Exact) -> float:
    """How near to the largest discounted logarithm, of gaps up to `most`, is settled exactly."""
    return NEAR * max(1, abs(best), abs(logarithm(most))) if best > -math.inf else 0.0


def logarithm(gap: Exact) -> float:
    """The logarithm of a number of any length: that of its first digits, and a power of 2."""
    if gap == 0:
        return -math.inf
    shift = gap.numerator.bit_length() - gap.denominator.bit_length()
    return math.log(Fraction(gap) / Fraction(2) ** shift) + shift * math.log(2)


def logarithms(gaps: np.ndarray) -> np.ndarray:
    """Logarithms of whole numbers, which were subtracted before they were rounded."""
    if gaps.dtype == object:  # they may be above the largest float
        return np.array([math.log(gap) if gap else -math.inf for gap in gaps.tolist()], dtype=float)
    logs: np.ndarray = np.log(gaps.astype(float))
    return logs
