"""Datasets of any universe and pairs of any relation, for Hypothesis, which shrinks them."""

from __future__ import annotations

from collections.abc import Sequence

try:
    from hypothesis import assume
    from hypothesis import strategies as st
except ImportError:  # a claim can be asserted without it
    st = None  # type: ignore[assignment]

from sensitivity_lab.problem import Problem, Size
from sensitivity_lab.queries import Query
from sensitivity_lab.relations import Relation, Remove
from sensitivity_lab.universe import Dataset, Indices, Universe

ANY_DATASET = Query("dataset", len, smallest_size=0, takes_missing=True)


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
    _need_hypothesis("datasets")
    sizes = sorted(_problem(universe, size, Remove(1)).sizes)

    @st.composite
    def drawn(draw: st.DrawFn) -> Dataset:
        records = _records(draw, universe, draw(st.sampled_from(sizes)))
        return _given(universe, records)

    return drawn()


def neighbouring_pairs(
    universe: Universe, *, size: Size, relation: Relation
) -> st.SearchStrategy[tuple[Dataset, Dataset]]:
    """A Hypothesis strategy for pairs of a dataset of a size, and a neighbour.

    >>> from hypothesis import find
    >>> from sensitivity_lab import Change
    >>> marks = Universe.value_range(range(10))
    >>> pairs = neighbouring_pairs(marks, size=3, relation=Change(1))
    >>> find(pairs, lambda pair: abs(sum(pair[0]) - sum(pair[1])) >= 4)
    ((0, 0, 0), (0, 0, 4))

    With a range of sizes both have a size in it. Every pair of the relation can be drawn, and none
    other; a test that fails shrinks to few records that move, and to the first of the universe.

    Errors and cost: as `datasets`; Infeasible if no direction of the relation is feasible.
    """
    _need_hypothesis("neighbouring_pairs")
    problem = _problem(universe, size, relation)
    problem.require_feasible()
    moves = [(n, move) for n, moves in problem.plan.items() for move in sorted(moves, key=sum)]

    @st.composite
    def drawn(draw: st.DrawFn) -> tuple[Dataset, Dataset]:
        n, (removed, added) = draw(st.sampled_from(moves))
        records = _records(draw, universe, n + added)
        gone, joined = records[:removed], records[n:]
        assume(not set(gone) & set(joined))  # what leaves does not come back
        assume(problem.kept is None or _alike(problem.kept, gone, joined))
        return _given(universe, records[:n]), _given(universe, records[removed:])

    return drawn()


def _need_hypothesis(name: str) -> None:
    if st is None:
        raise ImportError(f"{name} needs Hypothesis: pip install 'sensitivity-lab[testing]'")


def _problem(universe: Universe, size: Size, relation: Relation) -> Problem:
    """The checked problem of any function of such datasets."""
    return Problem(ANY_DATASET, universe, size, relation, norm=1, any_answer=True)


def _records(draw: st.DrawFn, universe: Universe, count: int) -> Indices:
    """So many records, by the positions of their values, in the order they were drawn."""
    every = universe.distinct if universe.unlimited else int(universe.records)
    one = st.integers(0, every - 1) if every else st.nothing()
    numbers = draw(st.lists(one, min_size=count, max_size=count, unique=not universe.unlimited))
    return tuple(numbers if universe.unlimited else (universe.value_of[i] for i in numbers))


def _given(universe: Universe, records: Indices) -> Dataset:
    """Records as functions receive them."""
    dataset: Dataset = universe.given(sorted(records))
    return dataset


def _alike(kept: Sequence[int], gone: Indices, joined: Indices) -> bool:
    """Whether the records that join have kept what those that leave must keep."""
    return sorted(kept[i] for i in gone) == sorted(kept[i] for i in joined)
