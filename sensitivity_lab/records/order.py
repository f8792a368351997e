"""The order of rows: shuffles of a dataset of tables, and whether two answers on them are one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any
from zlib import crc32

import narwhals as nw
import numpy as np

from sensitivity_lab.numbers.exact import brief
from sensitivity_lab.records.keyed import Keyed
from sensitivity_lab.records.rows import taken
from sensitivity_lab.records.source import Positions, Source, Tables, called_on

NEAR = 1e-9  # relative: floats that are added in another order round differently,
NOTHING = 1e-12  # and where they cancel, what is left is rounding alone
ALL_ORDERS = 3  # rows of which every order is asked where several are: 5 beside the first
SHUFFLES = 3  # of more rows, and of many datasets at once, beside the reverse and a rotation
DRAWS, FEW_DRAWS = 64, 8  # in search of an order that is not the reverse; and moves both ends
Order = tuple[int, ...]


class OrderMatters(ValueError):
    """The answer on a dataset depends on the order of its rows."""


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


def in_order(one: Any, rows: Positions) -> Any:
    """A table with its rows in another order."""
    return taken(nw.from_native(one, eager_only=True), rows)


def are_near(answer: Any, again: Any) -> bool:
    """Whether two answers are one: the same keys, floats within a billionth, the rest equal."""
    if isinstance(answer, Keyed) and isinstance(again, Keyed):
        if answer.keys == again.keys:
            return are_near(tuple(answer.entries), tuple(again.entries))
        mine = dict(zip(answer.keys, answer.entries, strict=True))
        yours = dict(zip(again.keys, again.entries, strict=True))
        return mine.keys() == yours.keys() and all(are_near(n, yours[k]) for k, n in mine.items())
    if isinstance(answer, tuple) and isinstance(again, tuple):
        labels, others = (getattr(one, "labels", len(one)) for one in (answer, again))
        return bool(labels == others) and all(map(are_near, answer, again))
    if isinstance(answer, float) and isinstance(again, float):
        return math.isclose(answer, again, rel_tol=NEAR, abs_tol=NOTHING)
    return bool(answer == again)


@dataclass(frozen=True)
class InOrders:
    """Makes datasets of some records as functions receive them, and the same in other orders."""

    records: Source

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


def orders_alone(lengths: Iterable[Sequence[int]]) -> Iterator[list[Order | None]]:
    """For each person, of so many rows in each table, what `shuffled` draws:
    another order of each."""
    for i, many in enumerate(lengths):
        rng = seeded([i])
        yield [another_order(tuple(range(n)), rng) for n in many]


def require_any_order(
    people: Source, function: Any, said: Sequence[Any], others: Iterable[Any], asked: str
) -> None:
    """Refuse a function of a person that says something else of their rows in another order."""
    for i, (answer, other) in enumerate(zip(said, others, strict=True)):
        if other is not None and not are_near(answer, again := called_on(function, other, asked)):
            raise OrderMatters(
                f"{asked} must not depend on the order of a person's rows (sort them inside), got "
                f"{brief(answer)} and, in another order, {brief(again)} of "
                f"{brief(people.values[i])}"
            )


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
        name: one if order is None else in_order(one, order)
        for (name, one), order in zip(tables.items(), orders, strict=True)
    }
    return placed[None] if set(placed) == {None} else placed
