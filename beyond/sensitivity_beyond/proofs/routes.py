"""What is proved of a query beyond an interval, route by route;
a route without a proof answers None.

Each family of queries (`sensitivity_lab/proved/family.py`) registers what it can, in the folder
that has its name: `ranks` sums, means and quantiles, `entries` counts by bin, `scatter` variance
and standard deviation, `distinct.py` different values.  All give D(c, a, b), or what it is made of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch

from sensitivity_beyond.proofs.at_distance import AtDistance, Bounded
from sensitivity_beyond.proofs.sorted_records import Pool, SortedRecords
from sensitivity_lab.numbers.exact import Exact
from sensitivity_lab.numbers.gap import Norm
from sensitivity_lab.proved.family import Family
from sensitivity_lab.proved.worst_pair import D
from sensitivity_lab.relations import Move
from sensitivity_lab.universe import Indices


@singledispatch
def on_values(family: Family, values: Sequence[Exact], norm: Norm) -> D | None:
    """D for records that take any of some ascending values, in any number of copies."""
    return None


@singledispatch
def on_population(family: Family, records: SortedRecords, norm: Norm) -> D | None:
    """D for datasets drawn from a population: where it is positive, else a gap of at most D."""
    return None


@singledispatch
def on_dataset(family: Family, pool: Pool, move: Move, norm: Norm) -> Sequence[Indices] | None:
    """A few neighbours of one dataset by a move, one of which lies furthest (thm-local)."""
    return None


@singledispatch
def at_distance(family: Family) -> Callable[[Bounded], AtDistance] | None:
    """How the widest pairs within t changed records of one dataset are found."""
    return None
