"""Count, sum and mean: no answer falls as a record rises, so one side has the top, one the bottom.

The records that only one side has lie at the two ends (thm-monotone); a range needs no value
between its ends (thm-range).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sensitivity_lab.numbers.exact import Exact
from sensitivity_lab.numbers.gap import Norm
from sensitivity_lab.proved.at_distance import AtDistance, Bounded
from sensitivity_lab.proved.family import Family, Interval, Words
from sensitivity_lab.proved.pool import Pool, joined
from sensitivity_lab.proved.sorted_records import Run, SortedRecords
from sensitivity_lab.proved.worst_pair import D, WorstPair
from sensitivity_lab.relations import Move
from sensitivity_lab.universe import Indices


class Monotone(Family):
    """A query whose answer never falls as a record rises."""

    def on_values(self, values: Sequence[Exact], norm: Norm) -> D | None:
        return self.on_interval(Interval(values[0], values[-1]), norm)

    def on_dataset(self, pool: Pool, move: Move, norm: Norm) -> Sequence[Indices] | None:
        """The lowest of its records leave and the highest spare ones join, or the other way."""
        removed, added = move
        n, m = len(pool.own), len(pool.spare)
        return (
            joined(pool.own[removed:], pool.spare[m - added :]),
            joined(pool.own[: n - removed], pool.spare[:added]),
        )


def ends(records: SortedRecords, a: int, b: int) -> tuple[Run, Run]:
    """The top a and the bottom b of sorted records."""
    return (len(records) - a, len(records)), (0, b)


@dataclass(frozen=True)
class Count(Monotone):
    """The difference of the sizes (thm-count)."""

    falls = True
    at_ends = True
    among_records = False
    adds = "one"
    of_anything = True

    def words(self, norm: Norm) -> Words:
        return Words("count", {"any": ("k", "k"), "Change": ("0", "0")}, conditions="none")

    def on_interval(self, interval: Interval, norm: Norm) -> D:
        low = interval.low
        return lambda c, a, b: WorstPair.of_copies(
            abs(a - b), ((low, c),), ((low, a),), ((low, b),)
        )

    def on_population(self, records: SortedRecords, norm: Norm) -> D | None:
        def d(c: int, a: int, b: int) -> WorstPair:
            top, bottom = ends(records, a, b)
            return WorstPair(abs(a - b), ((b, b + c),), (top,), (bottom,), records)

        return d

    def at_distance(self) -> Callable[[Bounded], AtDistance] | None:
        """The size never changes."""
        return lambda dataset: AtDistance(dataset, lambda t: dataset.moved(0, (0, 0), (), into=0))


@dataclass(frozen=True)
class Sum(Monotone):
    """All a at the top, all b at the bottom; the shared records cancel (thm-sum)."""

    falls = True
    at_ends = True
    adds = "number"

    def words(self, norm: Norm) -> Words:
        unbounded = ("k·max(|L|, |U|)", "k·max(|L|, |U|)")
        return Words("sum", {"any": unbounded, "Change": ("min(k, n)·R", "k·R")})

    def on_interval(self, interval: Interval, norm: Norm) -> D:
        low, high = interval.low, interval.high

        def d(c: int, a: int, b: int) -> WorstPair:
            return WorstPair.of_copies(a * high - b * low, ((low, c),), ((high, a),), ((low, b),))

        return d

    def on_population(self, records: SortedRecords, norm: Norm) -> D | None:
        def d(c: int, a: int, b: int) -> WorstPair:
            top, bottom = ends(records, a, b)
            gap = Fraction(records.total([top]) - records.total([bottom]), records.scale)
            return WorstPair(gap, ((b, b + c),), (top,), (bottom,), records)

        return d

    def at_distance(self) -> Callable[[Bounded], AtDistance] | None:
        return lambda dataset: AtDistance(dataset, lambda t: _most_moved(dataset, t, divisor=1))


@dataclass(frozen=True)
class Mean(Monotone):
    """The shared records weigh 1/(c + a) − 1/(c + b): high if a < b, else low (thm-mean)."""

    falls = True
    at_ends = True

    def words(self, norm: Norm) -> Words:
        return Words(
            "mean",
            {
                "Add": ("k·R/(n + k)", "k·R/(m + k)"),
                "Remove": ("k·R/n", "k·R/(m + k)"),
                "AddRemove": ("k·R/n if k < n, else k·R/(n + k)", "k·R/(m + k)"),
                "SymmetricDifference": (
                    "k·R/n if k < n; R·max((n − 1)/n, 1/2) if k = n; R if k > n",
                    "R·max(k/(m + k), ⌈k/2⌉/(max(0, m − ⌊k/2⌋) + ⌈k/2⌉))",
                ),
                "Change": ("min(k, n)·R/n", "min(k, m)·R/m"),
            },
        )

    def on_interval(self, interval: Interval, norm: Norm) -> D:
        low, high = interval.low, interval.high

        def d(c: int, a: int, b: int) -> WorstPair:
            most = max(a, b)
            gap = Fraction(most, c + most) * (high - low) if most else Fraction(0)
            return WorstPair.of_copies(
                gap, ((high if a < b else low, c),), ((high, a),), ((low, b),)
            )

        return d

    def on_population(self, records: SortedRecords, norm: Norm) -> D | None:
        """The shared records lie next to the top if a < b, else next to the bottom."""

        def d(c: int, a: int, b: int) -> WorstPair:
            top, bottom = ends(records, a, b)
            shared = (top[0] - c, top[0]) if a < b else (b, b + c)
            sums = records.sums
            higher = Fraction(sums.exact([shared, top]), records.scale * (c + a))
            lower = Fraction(sums.exact([shared, bottom]), records.scale * (c + b))
            return WorstPair(higher - lower, (shared,), (top,), (bottom,), records)

        return d

    def at_distance(self) -> Callable[[Bounded], AtDistance] | None:
        """The sum's, over n."""
        return lambda dataset: AtDistance(
            dataset, lambda t: _most_moved(dataset, t, divisor=len(dataset))
        )


def _most_moved(dataset: Bounded, t: int, divisor: int) -> WorstPair:
    """The lowest record goes to the top or the highest to the bottom (thm-at-distance-sum)."""
    top, unit = dataset.top, dataset.scale * divisor
    if t:  # first send one record to the bottom
        return dataset.moved(Fraction(top, unit), (0, 1), ((0, 1),), into=top)
    rise, fall = top - int(dataset.x[0]), int(dataset.x[-1])
    into = top if rise >= fall else 0
    return dataset.moved(Fraction(max(rise, fall), unit), (0, 0), (), into)
