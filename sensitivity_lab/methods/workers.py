"""A function's answers on many datasets, here or on an executor's workers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import replace
from typing import Any

import numpy as np

from sensitivity_lab.numbers.exact import brief
from sensitivity_lab.numbers.gap import Answer, Gap, gap_between, has_same_shape
from sensitivity_lab.problem import Problem
from sensitivity_lab.proved.worst_pair import AtPositions, WorstPair
from sensitivity_lab.queries import AnswersDiffer, Query
from sensitivity_lab.records.order import NEAR, NOTHING, InOrders
from sensitivity_lab.universe import Giver, Indices

Block = np.ndarray | Sequence[Indices]  # datasets as positions among the values
ROWS_AT_ONCE = 1 << 22  # numbers in a block of datasets: bounds the memory

HELD = 4  # datasets of a size that are asked about in several orders of their rows
ROWS_TOGETHER = 1 << 18  # numbers in a block that a database answers together


def worker_count(executor: Executor) -> int:
    """How many workers an executor has: a pool's own count, a Dask client's,
    else this machine's."""
    client = getattr(executor, "_client", None)
    if client is not None:
        return max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
    return getattr(executor, "_max_workers", None) or os.cpu_count() or 1


def block_edges(
    datasets: int, size: int, executor: Executor | None, together: bool = False
) -> list[int]:
    """Where the blocks of some datasets begin and end: a few for each worker, none too large."""
    wanted = 6 * worker_count(executor) if executor else 100
    most = ROWS_AT_ONCE
    if together:
        wanted = worker_count(executor) if executor else 1
        most = ROWS_TOGETHER
    blocks = min(max(wanted, -(-datasets * size // most)), datasets)
    return [datasets * block // blocks for block in range(blocks + 1)] if blocks else [0]


def answers_in_blocks(
    query: Query, given: Giver, blocks: Iterable[Block], executor: Executor | None
) -> Iterator[list[Answer]]:
    """Yield a query's answers block by block, in order."""
    tasks = ((query, given, rows) for rows in blocks)
    if executor is None or query.rows is not None:
        yield from map(answer_block, tasks)
        return
    try:
        yield from executor.map(answer_block, list(tasks))  # Dask maps no iterator
    except Exception as error:
        if isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker":  # Dask's
            raise RuntimeError(f"a worker died while answering query {query.name}") from error
        theirs = isinstance(error, RuntimeError) and not isinstance(error, AnswersDiffer)
        if theirs:  # what the query raises is a ValueError
            raise ValueError(f"executor must take tasks, got one that does not: {error}") from error
        raise


def few_of(count: int) -> list[int]:
    """Which of some datasets are asked about in several orders: a few, evenly spread."""
    return sorted({(2 * i + 1) * count // (2 * HELD) for i in range(HELD)}) if count else []


def ask_in_orders(query: Query, given: Giver, datasets: Iterable[Sequence[int]]) -> None:
    """Refuse a caller's function of tables whose answer on some datasets depends on their order."""
    if several := getattr(given, "several", None):
        for dataset in datasets:
            if others := list(several(dataset)):
                query.answer_in_orders(given, tuple(dataset), others)


def stood_by(problem: Problem, pair: WorstPair) -> WorstPair:
    """The pair, held to what its two datasets answer alone: other orders and noise are refused."""
    query, given = problem.query, problem.given
    asked: Sequence[Any] = ()
    if not problem.universe.tabular:
        asked = pair.pair()
    elif query.together is not None or isinstance(given, InOrders):
        assert isinstance(pair.records, AtPositions)
        sides = [tuple(pair.records.positions(side)) for side in pair.sides()]
        ask_in_orders(query, given, sides)
        asked = [given(side) for side in sides] if query.together else ()
    if not asked:
        return pair
    answers = [query.answer(side) for side in asked]
    measure = gap_between(problem.norm, query.root)
    gap = measure(*answers) if has_same_shape(*answers) else float("inf")
    if gap != pair.gap and not _near(gap, pair.gap, answers):
        before, (one, other) = f"{brief(pair.gap)} apart", map(brief, answers)
        if query.together is None:
            words = f"{query.name} answered {one} and {other} where its answers were {before}"
            raise ValueError(f"function must be deterministic: {words}; fix its seed")
        got = f"got answers {before} and alone {brief(gap)} apart, {one} and {other}"
        raise AnswersDiffer(f"{query.name} must answer many datasets as it does each alone, {got}")
    return replace(pair, gap=gap) if query.together else pair


def _near(gap: Gap, other: Gap, answers: Iterable[Answer]) -> bool:
    """Whether two gaps between answers that hold floats differ as these may be rounded."""
    numbers = [n for a in answers for n in (a if isinstance(a, tuple) else (a,))]
    if not any(isinstance(number, float) for number in numbers):
        return False
    room = len(numbers) * (NOTHING + NEAR * max(map(abs, map(float, numbers))))
    return abs(float(gap) - float(other)) <= room


def answer_block(task: tuple[Query, Giver, Block]) -> list[Answer]:
    """Answer a query on the datasets of one block: the unit of work of an executor."""
    query, given, rows = task
    listed = rows.tolist() if isinstance(rows, np.ndarray) else rows
    return query.answers(given, [tuple(row) for row in listed])
