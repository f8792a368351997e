"""Sums, means, quantiles and the range beyond an interval: their routes, each a few lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sensitivity_beyond.proofs.at_distance import (
    AtDistance,
    Bounded,
    QuantileAtDistance,
    most_moved,
)
from sensitivity_beyond.proofs.ranks.at_one import outermost, widest_and_narrowest
from sensitivity_beyond.proofs.ranks.on_population import widest_range, widest_shifted
from sensitivity_beyond.proofs.routes import at_distance, on_dataset, on_population, on_values
from sensitivity_beyond.proofs.sorted_records import Pool, SortedRecords
from sensitivity_lab.numbers.exact import Exact
from sensitivity_lab.numbers.gap import Norm
from sensitivity_lab.proved.family import Interval
from sensitivity_lab.proved.ranks import AtEnds, Count, Mean, Monotone, Quantile, Range, Sum
from sensitivity_lab.proved.worst_pair import D, WorstPair
from sensitivity_lab.relations import Move
from sensitivity_lab.universe import Indices


@on_values.register
def _(family: AtEnds, values: Sequence[Exact], norm: Norm) -> D | None:
    return family.on_interval(Interval(values[0], values[-1]), norm)


@on_population.register
def _(family: Count, records: SortedRecords, norm: Norm) -> D | None:
    def d(c: int, a: int, b: int) -> WorstPair:
        m = len(records)
        return WorstPair(abs(a - b), ((b, b + c),), ((m - a, m),), ((0, b),), records)

    return d


@on_population.register
def _(family: Monotone, records: SortedRecords, norm: Norm) -> D | None:
    return lambda *share: widest_shifted(records, family, share)


@on_population.register
def _(family: Range, records: SortedRecords, norm: Norm) -> D | None:
    return lambda *share: widest_range(records, share)


@on_dataset.register(Count)
@on_dataset.register(Monotone)
def _(family: Count | Monotone, pool: Pool, move: Move, norm: Norm) -> Sequence[Indices] | None:
    return outermost(pool, move)


@on_dataset.register
def _(family: Range, pool: Pool, move: Move, norm: Norm) -> Sequence[Indices] | None:
    return widest_and_narrowest(pool, move)


@at_distance.register
def _(family: Count) -> Callable[[Bounded], AtDistance] | None:
    # The size never changes.
    return lambda of: AtDistance(of, lambda t: of.moved(0, (0, 0), (), into=0))


@at_distance.register
def _(family: Sum) -> Callable[[Bounded], AtDistance] | None:
    return lambda of: AtDistance(of, lambda t: most_moved(of, t, divisor=1))


@at_distance.register
def _(family: Mean) -> Callable[[Bounded], AtDistance] | None:
    return lambda of: AtDistance(of, lambda t: most_moved(of, t, divisor=len(of)))


@at_distance.register
def _(family: Quantile) -> Callable[[Bounded], AtDistance] | None:
    return lambda dataset: QuantileAtDistance(dataset, family.q)
