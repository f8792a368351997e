"""Datasets of any universe and pairs of any relation, for Hypothesis, which shrinks them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice, repeat

try:
    from hypothesis import strategies as st
except ImportError:  # a claim can be asserted without it
    st = None  # type: ignore[assignment]

import numpy as np

from sensitivity_lab.numbers.exact import by_name
from sensitivity_lab.problem import Problem, Size
from sensitivity_lab.queries import Query
from sensitivity_lab.relations import Move, Relation, Remove
from sensitivity_lab.universe import Dataset, Indices, Universe

ANY_DATASET = Query("dataset", len, smallest_size=0, takes_missing=True)


@by_name
def datasets(universe: Universe, *, size: Size) -> st.SearchStrategy[Dataset]:
    """A Hypothesis strategy for the datasets of a size, or of the sizes in a range.

    >>> from hypothesis import find
    >>> votes = Universe.value_range(["no", "yes"])
    >>> find(datasets(votes, size=range(5)), lambda dataset: dataset.count("yes") >= 2)
    ('yes', 'yes')

    They have the form that functions receive: sorted numbers, a tuple, a table, a dict of tables.
    Shrinks to few records, and to the first of the universe. Raises ValueError for a size that no
    dataset has. Cost: linear in the dataset, for each.
    """
    sizes = set(_problem("datasets", universe, size, Remove(1)).sizes)

    @st.composite
    def drawn(draw: st.DrawFn) -> Dataset:
        return _given(universe, _filled(universe, _drawn(draw, universe, sizes), sizes))

    return drawn()


@by_name
def neighbouring_pairs(
    universe: Universe, *, size: Size, relation: Relation
) -> st.SearchStrategy[tuple[Dataset, Dataset]]:
    """A Hypothesis strategy for pairs of a dataset of a size, and a neighbour.

    >>> from hypothesis import find
    >>> from sensitivity_lab import Change
    >>> marks = Universe.value_range(range(10))
    >>> pairs = neighbouring_pairs(marks, size=3, relation=Change(1))
    >>> find(pairs, lambda pair: sum(pair[1]) - sum(pair[0]) >= 4)
    ((0, 0, 0), (0, 0, 4))

    With a range of sizes both have a size in it. Every pair of the relation can be drawn, and none
    other; a test that fails shrinks to few records that move, and to the first of the universe.

    Errors and cost: as `datasets`; Infeasible if no direction of the relation is feasible.
    """
    problem = _problem("neighbouring_pairs", universe, size, relation)
    problem.require_feasible()
    sizes: dict[Move, set[int]] = {}  # of the records that stay, by who leaves and who joins
    for n, moves in problem.plan.items():
        for removed, added in moves:
            sizes.setdefault((removed, added), set()).add(n - removed)
    leaving, all_joining = ({move[i] for move in sizes} for i in (0, 1))
    every = leaving, all_joining, set().union(*sizes.values())

    @st.composite
    def drawn(draw: st.DrawFn) -> tuple[Dataset, Dataset]:
        # Each list has the same bounds whatever the others hold:
        # so any entry can go when it shrinks.
        gone, joined, stay = (_drawn(draw, universe, counts) for counts in every)
        gone = _filled(universe, gone, leaving)
        joining = {added for removed, added in sizes if removed == len(gone)}
        joined = _filled(universe, joined, joining, taken=gone)
        move, both = (len(gone), len(joined)), (*gone, *joined)
        stay = _filled(universe, stay, sizes[move], taken=both)
        return _given(universe, (*gone, *stay)), _given(universe, (*stay, *joined))

    return drawn()


def _problem(name: str, universe: Universe, size: Size, relation: Relation) -> Problem:
    """The checked problem of any function of such datasets."""
    if st is None:
        raise ImportError(f"{name} needs Hypothesis: pip install 'sensitivity-beyond[testing]'")
    return Problem(ANY_DATASET, universe, size, relation, norm=1, any_answer=True)


def _drawn(draw: st.DrawFn, universe: Universe, sizes: set[int]) -> Indices:
    """Records, about as many as a size says: values of a range, people of a population."""
    least, most, every = min(sizes), max(sizes), len(_values(universe))
    one = st.integers(0, every - 1) if every else st.nothing()
    if 2 * most <= every:
        # Hypothesis draws unique numbers from what is left: an entry that goes changes those after
        # it. Behind a map it draws again instead, which is quick where few of many are wanted.
        one = one.map(int)
    unique = not universe.unlimited
    return tuple(draw(st.lists(one, min_size=least, max_size=most, unique=unique)))


def _filled(universe: Universe, records: Indices, sizes: set[int], taken: Indices = ()) -> Indices:
    """As many of some records as the nearest size says, filled with the first there are."""
    first: Iterator[int]
    if universe.unlimited:
        free, first = list(records), repeat(0)
    else:
        free = [record for record in records if record not in taken]
        used = {*free, *taken}
        first = (record for record in range(int(universe.records)) if record not in used)
    count = min(sizes, key=lambda size: (abs(size - len(free)), size))
    return tuple(islice(chain(free, first), count))


def _values(universe: Universe) -> Sequence[int]:
    """The value of each record of a population; of a range each value is one."""
    if universe.unlimited:
        return range(universe.distinct)
    return np.repeat(np.arange(universe.distinct, dtype=np.intp), universe.counts).tolist()


def _given(universe: Universe, records: Indices) -> Dataset:
    """Records as functions receive them."""
    values = _values(universe)
    dataset: Dataset = universe.given(sorted(values[record] for record in records))
    return dataset
