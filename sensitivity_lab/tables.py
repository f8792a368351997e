"""Many problems at once, as tidy tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from fractions import Fraction
from itertools import product
from typing import Any

import pandas as pd

from sensitivity_lab import extension
from sensitivity_lab.closed_form import closed_form
from sensitivity_lab.numbers.exact import brief, by_name, checked_bounds
from sensitivity_lab.numbers.gap import Norm, Number
from sensitivity_lab.problem import MAX_DATASETS, Budget, Problem, Size
from sensitivity_lab.queries import Query, as_query
from sensitivity_lab.relations import Relation, several
from sensitivity_lab.results import Sensitivity
from sensitivity_lab.sensitivity import GlobalMethod, settle
from sensitivity_lab.universe import Universe

COLUMNS = ["column", "query", "relation", "k", "sensitivity", "dataset", "neighbour", "method"]


@by_name
def sweep(
    queries: Sequence[Query | Callable[[Any], Any]],
    columns: Mapping[str, Universe],
    *,
    size: Size,
    relations: Relation | Sequence[Relation],
    norm: Norm = 1,
    method: GlobalMethod = "auto",
    max_datasets: int = MAX_DATASETS,
    seconds: float | None = None,
    progress: bool | None = None,
    executor: Executor | None = None,
) -> pd.DataFrame:
    """Return a row for each column, query and relation: the sensitivity and its witness.

    >>> from sensitivity_lab import COUNT, MEAN, AddRemove
    >>> table = sweep([MEAN, COUNT], {"days": Universe.population([1, 2, 3, 10])},
    ...               size=3, relations=[AddRemove(1)])
    >>> table[["column", "query", "relation", "k", "sensitivity"]]
      column  query   relation  k sensitivity
    0   days   mean  AddRemove  1        17/6
    1   days  count  AddRemove  1           1

    Where no direction is feasible the sensitivity, dataset and neighbour are None and the method
    is "infeasible". `table.attrs` holds the universes' reprs by column, and the size.

    :param queries: a list of queries or callables.
    :param columns: a universe for each name of a column.
    :param size: the number of records of the dataset, or a range in which both sizes lie.
    :param relations: one relation or a list of them, each with its k.
    :param norm: 1, 2 or infinity; it measures vectors. 0 counts the entries that differ.
    :param method: as in `global_sensitivity`, for every row.
    :param max_datasets: how many datasets may be answered for one row.
    :param seconds: how long it may take, in all.
    :param progress: whether bars are shown; by default after five seconds.
    :param executor: answers callables on many workers, as in `global_sensitivity`.
    :raises ValueError: for an empty list; other errors as `global_sensitivity`.

    Cost: as `global_sensitivity`, but the sweep answers a query once per dataset for all
    relations.

    Source: as `global_sensitivity`.
    """
    if not isinstance(columns, Mapping):
        raise TypeError(f"columns must be a dict, as {{'a': sl.Universe…}}, got {brief(columns)}")
    listed: Any = several(relations)
    for name, given in (("queries", queries), ("relations", listed), ("columns", columns)):
        if not isinstance(given, (Sequence, Mapping)):
            raise TypeError(f"{name} must be a list, as [sl.MEAN], got {brief(given)}")
        if not given:
            raise ValueError(f"{name} must not be empty, got {brief(given)}")
    asked = [as_query(query) for query in queries]
    problems = [
        (column, Problem(query, universe, size, relation, norm))
        for column, universe in columns.items()
        for query in asked
        for relation in listed
    ]
    # All together: a query is answered once on each dataset, whatever the relations.
    feasible = [problem for _, problem in problems if problem.plan]
    settled = iter(
        settle(feasible, method=method, budget=Budget(max_datasets, progress, executor, seconds))
    )
    rows = [
        _row(column, problem, next(settled) if problem.plan else None)
        for column, problem in problems
    ]
    table = pd.DataFrame(rows, columns=COLUMNS, dtype=object)
    table = table.astype(
        dict.fromkeys(("column", "query", "relation", "method"), str) | {"k": "int64"}
    )
    table.attrs = {"universes": {name: repr(u) for name, u in columns.items()}, "size": str(size)}
    return table


@by_name
def compare(
    queries: Sequence[Query],
    columns: Mapping[str, Universe],
    *,
    size: Size,
    relations: Relation | Sequence[Relation],
    bounds: tuple[Any, Any] | None = None,
    norm: Norm = 1,
    method: GlobalMethod = "auto",
    max_datasets: int = MAX_DATASETS,
    seconds: float | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return `sweep`'s table with the closed form beside each enumerated sensitivity.

    >>> from sensitivity_lab import MEAN, SUM, Change
    >>> ages = Universe.value_range([0, 6, 12])
    >>> table = compare([SUM, MEAN], {"age": ages}, size=4, relations=[Change(1)])
    >>> table[["query", "sensitivity", "closed_form", "status", "ratio"]]
      query sensitivity closed_form status  ratio
    0   sum          12          12  exact    1.0
    1  mean           3           3  exact    1.0

    `ratio` is closed form / enumerated: 1 where the formula is attained here, above 1 where it is
    loose. On a population a formula is an upper bound, since copies run out; None where
    there is none.

    :param bounds: the formula's (L, U); if not given, the least and greatest value of each
        universe. All else is as `sweep` has it.
    :raises ValueError: as `sweep` and `closed_form`.

    Cost and source: as `sweep` and `closed_form`.
    """
    table = sweep(
        queries, columns, size=size, relations=relations, norm=norm,
        method=method, max_datasets=max_datasets, seconds=seconds, progress=progress,
    )  # fmt: skip
    asked = product(columns.values(), map(as_query, queries), several(relations))
    compared = [
        _compared(value, *one, size, bounds, norm)
        for one, value in zip(asked, table["sensitivity"], strict=True)
    ]
    place = COLUMNS.index("dataset")
    for i, name in enumerate(("closed_form", "status", "ratio")):
        cells = pd.Series([row[i] for row in compared], dtype=float if name == "ratio" else object)
        table.insert(place + i, name, cells)
    return table


def _compared(
    value: Number | None,
    universe: Universe,
    query: Query,
    relation: Relation,
    size: Size,
    bounds: tuple[Any, Any] | None,
    norm: Norm,
) -> tuple[Any, str | None, float | None]:
    """The closed form beside a sensitivity, its status here, and their ratio; None without one."""
    if value is None or not norm or not query.proved or not relation.is_standard:
        return None, None, None
    lifted = extension.lift(query, universe)
    if lifted:
        if bounds is not None:
            bounds = query.bounds_of(*checked_bounds(bounds))
        query, universe = lifted.query, lifted.numbers
    elif not universe.numeric:  # bounds of numbers say nothing of the records
        return None, None, None
    form = closed_form(
        query,
        bounds=(universe.values[0], universe.values[-1]) if bounds is None else bounds,
        relation=relation,
        size=size,
        norm=norm,
        values=len(universe.values),
    )
    status = form.status if universe.unlimited else "upper bound"
    return form.value, status, _ratio(form.value, value)


def _ratio(claimed: Number, value: Number) -> float:
    """Claimed over value; infinity where that is above the floats."""
    if value == 0:
        return 1.0 if claimed == 0 else math.inf
    try:
        return float(Fraction(claimed) / Fraction(value))
    except OverflowError:
        return math.inf


def _row(column: str, problem: Problem, found: Sensitivity | None) -> list[Any]:
    relation = problem.relation
    key = [column, problem.query.name, relation.kind, relation.k]
    if found is None:
        return [*key, None, None, None, "infeasible"]
    sides: Iterable[Any] = found.witness
    if not found.universe.source.as_tuples:  # a cell has no room for tables
        sides = extension.marked(found.universe, found.witness).lines()
    return [*key, found.value, *sides, found.method]
