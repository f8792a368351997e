"""Many questions at once, as tidy tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

import pandas as pd

from sensitivity_lab.queries import Query, as_query
from sensitivity_lab.questions import Question, Size
from sensitivity_lab.relations import Relation
from sensitivity_lab.results import Sensitivity
from sensitivity_lab.sensitivity import MAX_DATASETS, settle
from sensitivity_lab.universe import Universe

COLUMNS = ["column", "query", "relation", "k", "sensitivity", "dataset", "neighbour", "method"]


def sweep(
    queries: Sequence[Query | Callable[[Any], Any]],
    columns: Mapping[str, Universe],
    *,
    size: Size,
    relations: Sequence[Relation],
    norm: float = 1,
    method: str = "auto",
    max_datasets: int = MAX_DATASETS,
    progress: bool = False,
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

    Cost: a query is answered once per dataset for all relations.
    Errors: as `global_sensitivity`.
    """
    if not isinstance(columns, Mapping):
        raise TypeError(f"columns must map names to universes, got {columns!r}")
    for name, given in (("queries", queries), ("relations", relations), ("columns", columns)):
        if not isinstance(given, (Sequence, Mapping)):
            raise TypeError(f"{name} must be a list, got {given!r}")
        if not given:
            raise ValueError(f"{name} must not be empty, got {given!r}")
    asked = [as_query(query) for query in queries]
    questions = [
        (column, Question(query, universe, size, relation, norm))
        for column, universe in columns.items()
        for query in asked
        for relation in relations
    ]
    feasible = [question for _, question in questions if question.plan]
    settled = iter(
        settle(
            feasible, method=method, max_datasets=max_datasets, progress=progress, executor=executor
        )
    )
    rows = [
        _row(column, question, next(settled) if question.plan else None)
        for column, question in questions
    ]
    table = pd.DataFrame(rows, columns=COLUMNS, dtype=object)
    table = table.astype(dict.fromkeys(("column", "query", "relation", "method"), str) | {"k": int})
    table.attrs = {"universes": {name: repr(u) for name, u in columns.items()}, "size": str(size)}
    return table


def _row(column: str, question: Question, found: Sensitivity | None) -> list[Any]:
    relation = question.relation
    key = [column, question.query.name, type(relation).__name__, relation.k]
    if found is None:
        return [*key, None, None, None, "infeasible"]
    return [*key, found.value, *found.witness, found.method]
