"""The order of rows: shuffles of a dataset of tables, on which answers must be one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from sensitivity_beyond.tables.frames import asked as answer_of
from sensitivity_beyond.tables.frames import taken
from sensitivity_lab.extension import Answering
from sensitivity_lab.numbers.exact import brief, told
from sensitivity_lab.numbers.gap import Told, are_near
from sensitivity_lab.numbers.text import number_repr
from sensitivity_lab.records import Positions

if TYPE_CHECKING:
    from sensitivity_beyond.tables.source import Tables, TableSource
    from sensitivity_lab.problem import Problem
    from sensitivity_lab.proved.worst_pair import WorstPair
    from sensitivity_lab.queries import Query
    from sensitivity_lab.universe import Indices

ALL_ORDERS = 3  # rows of which every order is asked where several are: 5 beside the first
SHUFFLES = 3  # of more rows, and of many datasets at once, beside the reverse and a rotation
DRAWS, FEW_DRAWS = 64, 8  # in search of an order that is not the reverse; and moves both ends
Order = tuple[int, ...]


class OrderMatters(ValueError):
    """The answer on a dataset depends on the order of its rows."""


def called_on(function: Any, record: Any, asked: str = "of") -> Any:
    """Call a function of one record, which messages call `asked`; where it fails, say on which."""
    try:
        return answer_of(function, record)
    except Exception as error:
        if " failed on " in str(error):  # it has said itself on which
            raise
        raise ValueError(f"{asked} failed on record {brief(record)}: {told(error)}") from error


def other_orders(numbers: np.ndarray, may_matter: bool) -> Iterator[np.ndarray]:
    """Yield the rows of many datasets in other orders: reversed and shuffled;
    rotated by one, too."""
    place = np.arange(len(numbers), dtype=np.intp)
    yield np.lexsort((-place, numbers))
    for seed in range(SHUFFLES if may_matter else 1):
        yield np.lexsort((np.random.default_rng(seed).random(len(numbers)), numbers))
    if may_matter:
        is_first = np.ones(len(numbers), dtype=bool)
        is_first[1:] = numbers[1:] != numbers[:-1]
        yield np.lexsort((place + len(numbers) * is_first, numbers))


@dataclass(frozen=True)
class InOrders(Answering):
    """Makes datasets of some records as a function receives them, and the same in other orders."""

    records: TableSource

    def __call__(self, positions: Positions) -> Any:
        """The dataset at some positions, in the records' order."""
        return self.records.given(positions)

    def shuffled(self, positions: Positions) -> Any | None:
        """The dataset in one other order, which differs from dataset to dataset;
        None without any."""
        rng = seeded(positions)
        if self.records.one_row_each:
            order = another_order(tuple(positions), rng)
            return None if order is None else self.records.given(order)
        if self.records.order_shows:
            positions = another_order(tuple(positions), rng) or positions
        tables = self.records.tables(positions)
        orders = [another_order(tuple(range(len(one))), rng) for one in tables.values()]
        return None if not any(orders) else _in_order(tables, orders)

    def several(self, positions: Positions) -> Iterator[Any]:
        """The dataset in several other orders: all of few rows."""
        rng = seeded(positions)
        if not self.records.one_row_each:
            tables = self.records.tables(positions)
            yield from (_in_order(tables, orders) for orders in _orders_of(tables, rng))
        if self.records.order_shows:
            yield from map(self.records.given, several_orders(tuple(positions), rng))

    def answers(self, query: Query, datasets: Sequence[Indices]) -> list[Any]:
        """The answers on some datasets, each asked twice: again in another order of its rows."""
        return [answer_in_orders(query, self, x, [self.shuffled(x)]) for x in datasets]

    def hold(self, query: Query, datasets: Iterable[Sequence[int]]) -> None:
        """Refuse a function whose answer on some datasets depends on the order of rows."""
        for dataset in datasets:
            if others := list(self.several(dataset)):
                answer_in_orders(query, self, tuple(dataset), others)

    def stands(self, problem: Problem, pair: WorstPair) -> WorstPair:
        """The pair, whose two datasets are asked about in several orders."""
        self.hold(problem.query, pair.at_positions())
        return pair


def are_one(answer: Any, again: Any) -> bool:
    """Whether two answers on one dataset are equal, but for the rounding of floats.

    Two that a caller's metric measures are one where it finds no distance.
    """
    if not isinstance(answer, Told):
        return are_near(answer, again)
    try:
        return are_near(answer.answer, again.answer) or float(answer.apart(again)) == 0
    except Exception:  # their own `==` may raise anything, and none can be asked beforehand
        return are_near(float(answer.apart(again)), 0.0)


def answer_in_orders(
    query: Query, given: Any, positions: Indices, others: Iterable[Any | None]
) -> Any:
    """The answer on a dataset, which must be that on its rows in other orders;
    else OrderMatters is raised."""
    answer = query.answer(given(positions))
    for other in others:
        if other is None or are_one(answer, again := query.answer(other)):
            continue
        dataset = number_repr(given(positions))
        if not are_one(answer, then := query.answer(given(positions))):
            raise ValueError(
                f"function must be deterministic: {query.name} answered {brief(answer)} on "
                f"{dataset}, then {brief(then)}; fix its seed, or audit it without its noise"
            )
        raise OrderMatters(
            f"query {query.name} must not depend on the order of rows (sort inside the function, "
            "round what it returns if this is rounding, do not read row numbers off an index, or "
            "ask audit(..., order='any') or "
            f"'kept'), got {brief(answer)} on dataset {dataset} and {brief(again)} on "
            f"{number_repr(other)}"
        )
    return answer


def seeded(positions: Positions) -> np.random.Generator:
    """Random numbers that are the same for the same dataset, on any machine."""
    return np.random.default_rng(crc32(np.asarray(positions, dtype=np.int64).tobytes()))


def another_order(order: Order, rng: np.random.Generator) -> Order | None:
    """Another order of some rows, of which equal ones are one; None where there is none."""
    if len(set(order)) < 2:
        return None
    backward = order[::-1]
    best, moved = (backward, 0) if backward != order else (order, -1)
    for turn in range(DRAWS if len(order) > 2 else 0):
        drawn = tuple(order[i] for i in rng.permutation(len(order)).tolist())
        if drawn == order:
            continue
        moves = 3 * (drawn != backward) + (drawn[0] != order[0]) + (drawn[-1] != order[-1])
        if moves > moved:
            best, moved = drawn, moves
        if moved == 5 or (moved >= 3 and turn >= FEW_DRAWS):
            break
    return best


def several_orders(order: Order, rng: np.random.Generator) -> list[Order]:
    """Several other orders of some rows, each once: the reverse, a rotation, shuffles; or all."""
    if len(order) <= ALL_ORDERS:
        drawn: list[Order] = list(permutations(order))
    else:
        shuffles = [another_order(order, rng) or order for _ in range(SHUFFLES)]
        drawn = [order[::-1], (*order[1:], order[0]), *shuffles]
    return [other for other in dict.fromkeys(drawn) if other != order]


def _orders_of(tables: Tables, rng: np.random.Generator) -> Sequence[Sequence[Order]]:
    """Several orders of some tables: all ways together where they have few rows."""
    plain: list[Order] = [tuple(range(len(one))) for one in tables.values()]
    if sum(map(len, plain)) <= ALL_ORDERS:
        return list(product(*(permutations(order) for order in plain)))[1:]
    each = [several_orders(order, rng) or [order] for order in plain]
    return [[of[i % len(of)] for of in each] for i in range(max(map(len, each)))]


def _in_order(tables: Tables, orders: Sequence[Order | None]) -> Any:
    """Tables with their rows in some orders, as a function receives them."""
    placed = {
        name: one if order is None else taken(one, order)
        for (name, one), order in zip(tables.items(), orders, strict=True)
    }
    return placed[None] if set(placed) == {None} else placed
