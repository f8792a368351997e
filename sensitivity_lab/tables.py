"""Many problems at once, as tidy tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from fractions import Fraction
from itertools import product
from typing import Any

import pandas as pd

from sensitivity_lab import extension
from sensitivity_lab.closed_form import closed_form
from sensitivity_lab.numbers.exact import as_float, brief, by_name, checked_bounds
from sensitivity_lab.numbers.gap import Norm
from sensitivity_lab.problem import MAX_DATASETS, Budget, Problem, Size
from sensitivity_lab.queries import Query, as_query
from sensitivity_lab.relations import Relation, several
from sensitivity_lab.results import COLUMNS, cells_of, tidy
from sensitivity_lab.sensitivity import GlobalMethod, settle
from sensitivity_lab.universe import Universe


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
    exact: bool = True,
) -> pd.DataFrame:
    """Return a row for each column, query and relation: the sensitivity and its witness.

    >>> from sensitivity_lab import COUNT, MEAN, AddRemove
    >>> table = sweep([MEAN, COUNT], {"days": Universe.population([1, 2, 3, 10])},
    ...               size=3, relations=[AddRemove(1)])
    >>> table[["sensitivity", "column", "query", "relation", "k"]]
      sensitivity column  query   relation  k
    0        17/6   days   mean  AddRemove  1
    1           1   days  count  AddRemove  1

    Where no direction is feasible the sensitivity, dataset and neighbour are None and the method
    is "infeasible". `table.attrs` holds the universes' reprs by column, and the size.

    :param queries: a list of queries or callables.
    :param columns: a universe for each name of a column.
    :param size: the number of records of the dataset, or a range in which both sizes lie.
    :param relations: one relation or a list of them, each with its k.
    :param norm: as in `global_sensitivity`, and so is `method`, for every row.
    :param max_datasets: how many datasets may be answered for one row.
    :param seconds: how long it may take, in all.
    :param progress: whether bars are shown; by default after five seconds.
    :param executor: answers callables on many workers, as in `global_sensitivity`.
    :param exact: False for floats and texts, which plot, and go to CSV, JSON, parquet and back.
    :raises ValueError: for an empty list; other errors as `global_sensitivity`.

    Cost and source: as `global_sensitivity`, but the sweep answers a query once per dataset for
    all relations.
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
    budget = Budget(max_datasets, progress, executor, seconds)
    settled = iter(settle(feasible, method=method, budget=budget))
    rows = []
    for column, problem in problems:
        relation, nothing = problem.relation, dict.fromkeys(COLUMNS) | {"method": "infeasible"}
        named = {"query": problem.query.name, "relation": relation.kind, "k": relation.k}
        found = cells_of(next(settled)) if problem.plan else nothing | named
        rows.append({"sensitivity": None, "column": column} | found)
    table = tidy(pd.DataFrame(rows, dtype=object), exact)
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
    exact: bool = True,
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
    forms: list[tuple[Any, str | None, float | None]] = []
    for (universe, query, relation), value in zip(asked, table["sensitivity"], strict=True):
        lifted = extension.lift(query, universe)
        source = lifted.numbers if lifted else universe
        # bounds of numbers say nothing of records that are none
        if value is None or not (norm and query.proved and relation.is_standard and source.numeric):
            forms.append((None, None, None))
            continue
        ends = source.values[0], source.values[-1]
        if bounds is not None:
            ends = query.bounds_of(*checked_bounds(bounds)) if lifted else bounds
        form = closed_form(
            lifted.query if lifted else query,
            bounds=ends, relation=relation, size=size, norm=norm, values=len(source.values),
        )  # fmt: skip
        ratio = as_float(Fraction(form.value) / Fraction(value)) if value else math.inf
        status = form.status if source.unlimited else "upper bound"
        forms.append((form.value, status, 1.0 if form.value == value else ratio))
    place = [*table].index("dataset")
    for i, name in enumerate(("closed_form", "status", "ratio")):
        cells = pd.Series([row[i] for row in forms], dtype=float if name == "ratio" else object)
        table.insert(place + i, name, cells)
    return tidy(table, exact)
