"""A function's answers on many datasets, here or on an executor's workers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor

import numpy as np

from sensitivity_lab.extension import Answering
from sensitivity_lab.numbers.exact import brief
from sensitivity_lab.numbers.gap import NEAR, NOTHING, Answer, Gap, gap_between, has_same_shape
from sensitivity_lab.problem import Problem
from sensitivity_lab.proved.worst_pair import WorstPair
from sensitivity_lab.queries import AnswersDiffer, Query
from sensitivity_lab.universe import Giver, Indices

Block = np.ndarray | Sequence[Indices]  # datasets as positions among the values
ROWS_AT_ONCE = 1 << 22  # numbers in a block of datasets: bounds the memory

HELD = 4  # datasets of a size that are asked about in several orders of their rows
ROWS_TOGETHER = 1 << 18  # numbers in a block that a database answers together


def worker_count(executor: Executor) -> int:
    """How many workers an executor has: its own count, else this machine's."""
    client = getattr(executor, "_client", None)
    if client is not None:
        return max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
    return getattr(executor, "_max_workers", None) or os.cpu_count() or 1


def block_edges(
    datasets: int, size: int, executor: Executor | None, together: bool = False
) -> list[int]:
    """Where the blocks of some datasets begin and end, a few for each worker."""
    workers = worker_count(executor) if executor else 0
    wanted, most = 6 * workers or 100, ROWS_AT_ONCE
    if together:
        wanted, most = workers or 1, ROWS_TOGETHER
    # As many blocks as are wanted, more if one would be too large, never an empty one.
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


def hold(query: Query, given: Giver, datasets: Iterable[Sequence[int]]) -> None:
    """Refuse answers on some datasets that do not stand where these are put in another way."""
    if isinstance(given, Answering):
        given.hold(query, datasets)


def stood_by(problem: Problem, pair: WorstPair) -> WorstPair:
    """The pair, held to what a caller's function answers again: noise is refused."""
    query, given = problem.query, problem.given
    if isinstance(given, Answering):
        return given.stands(problem, pair)
    if not query.is_own:
        return pair
    answers = [query.answer(side) for side in pair.pair()]
    if not has_gap(problem, pair.gap, answers):
        one, other = map(brief, answers)
        words = f"answered {one} and {other} where its answers were {brief(pair.gap)} apart"
        raise ValueError(f"function must be deterministic: {query.name} {words}; fix its seed")
    return pair


def has_gap(problem: Problem, gap: Gap, answers: Sequence[Answer]) -> bool:
    """Whether two answers lie so far apart, but for the rounding of floats."""
    if not has_same_shape(*answers):
        return False
    apart = gap_between(problem.norm, problem.query.root)(*answers)
    numbers = [n for a in answers for n in (a if isinstance(a, tuple) else (a,))]
    if apart == gap or not any(isinstance(number, float) for number in numbers):
        return bool(apart == gap)
    room = len(numbers) * (NOTHING + NEAR * max(map(abs, map(float, numbers))))
    return abs(float(apart) - float(gap)) <= room


def answer_block(task: tuple[Query, Giver, Block]) -> list[Answer]:
    """Answer a query on the datasets of one block: the unit of work of an executor."""
    query, given, rows = task
    listed = rows.tolist() if isinstance(rows, np.ndarray) else rows
    return query.answers(given, [tuple(row) for row in listed])
