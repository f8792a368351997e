"""A function's answers on many datasets, here or on an executor's workers."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from typing import Any

import numpy as np

from sensitivity_lab.exact import brief
from sensitivity_lab.queries import Query
from sensitivity_lab.universe import Dataset, Indices

Rows = np.ndarray | Sequence[Indices]  # datasets as positions among the values
ROWS_AT_ONCE = 1 << 22  # numbers in a block of datasets: bounds the memory


def check_run(executor: Any, progress: Any, queries: Iterable[Query] = ()) -> None:
    """Refuse what is no executor, or cannot be given the queries, and what says neither yes nor no.

    >>> check_run(None, False)

    Cost: a query that no pool of processes could be sent is found by pickling each one.
    Raises TypeError, and ValueError for a query that cannot be pickled.
    """
    if not isinstance(progress, (bool, np.bool_)):
        raise TypeError(f"progress must be True or False, got {brief(progress)}")
    if executor is None:
        return
    if isinstance(executor, type):
        raise TypeError(
            f"executor must be made before it is given, as {executor.__name__}(4), got the class"
        )
    if not all(callable(getattr(executor, name, None)) for name in ("map", "submit")):
        raise TypeError(
            "executor must be a concurrent.futures.Executor, or have its map and submit, "
            f"got {brief(executor)}"
        )
    if isinstance(executor, ProcessPoolExecutor):
        for query in queries:
            if query.rows is None:
                _check_picklable(query)


def _check_picklable(query: Query) -> None:
    try:
        pickle.dumps(query)
    except Exception as error:
        raise ValueError(
            f"executor is a pool of processes, which needs a function defined at the top of a "
            f"module: query {query.name} cannot be sent to one ({error}); define it there, or use "
            "a ThreadPoolExecutor"
        ) from error


def worker_count(executor: Executor) -> int:
    """How many workers an executor has: a pool's own count, a Dask client's, else this machine's.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> worker_count(ThreadPoolExecutor(3))
    3
    """
    client = getattr(executor, "_client", None)
    if client is not None:
        return max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
    return getattr(executor, "_max_workers", None) or os.cpu_count() or 1


def block_edges(datasets: int, size: int, executor: Executor | None) -> list[int]:
    """Where the blocks of some datasets begin and end: a few for each worker, none too large.

    >>> block_edges(200, 3, executor=None)[:3]
    [0, 2, 4]
    """
    wanted = 6 * worker_count(executor) if executor else 100
    blocks = min(max(wanted, datasets * size // ROWS_AT_ONCE), datasets)
    return [datasets * block // blocks for block in range(blocks + 1)] if blocks else [0]


def answers_in_blocks(
    query: Query, values: Dataset, blocks: Iterable[Rows], executor: Executor | None
) -> Iterator[list[Any]]:
    """Yield a query's answers block by block, in order.

    >>> from sensitivity_lab import MAX
    >>> list(answers_in_blocks(MAX, (10, 20, 30), [[(0, 1)], [(0, 2), (2,)]], None))
    [[20], [30, 30]]

    A standard query is answered here: it is quicker so. Cost: one answer for each dataset.
    Errors: as `Query.answer`; ValueError if the executor takes no tasks, RuntimeError if a worker
    dies.
    """
    tasks = ((query, values, rows) for rows in blocks)
    if executor is None or query.rows is not None:
        yield from map(answer_block, tasks)
        return
    try:
        yield from executor.map(answer_block, list(tasks))  # Dask maps no iterator
    except Exception as error:
        if isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker":  # Dask's
            raise RuntimeError(
                f"a worker died while answering query {query.name}; no result was kept"
            ) from error
        if isinstance(error, RuntimeError):  # what the query raises is a ValueError
            raise ValueError(f"executor must take tasks, got one that does not: {error}") from error
        raise


def answer_block(task: tuple[Query, Dataset, Rows]) -> list[Any]:
    """Answer a query on the datasets of one block: the unit of work of an executor.

    >>> from sensitivity_lab import MAX
    >>> answer_block((MAX, (10, 20, 30), np.array([[0, 1], [0, 2]])))
    [20, 30]

    Cost: one answer for each row of value positions. Errors: as `Query.answer`.
    """
    query, values, rows = task
    listed = rows.tolist() if isinstance(rows, np.ndarray) else rows
    return [query.answer(tuple(values[i] for i in row)) for row in listed]
