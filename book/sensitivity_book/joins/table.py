"""The table of counting joins: what is exact beside what the published bounds say, with witnesses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from typing import Any

import numpy as np
import pandas as pd

import sensitivity_lab as sl
from sensitivity_book.joins.bounds import (
    boundaries,
    elastic,
    frequencies,
    residual,
    smooth_elastic,
    smooth_residual,
)
from sensitivity_book.joins.shapes import Record, Shape, World

ONE_ROW = sl.SymmetricDifference(1)


@dataclass(frozen=True, eq=False)
class Case:
    """A shape, the rows that there may be, and the ones that are there.

    >>> CASES[0].shape.name, len(CASES[0].records), len(CASES[0].dataset)
    ('path of 2', 12, 7)
    """

    shape: Shape
    records: tuple[Record, ...]
    dataset: tuple[Record, ...]

    @cached_property
    def world(self) -> World:
        """All datasets of these records."""
        return World(self.shape, self.records)

    @cached_property
    def universe(self) -> sl.Universe:
        """The records as a universe: each is in a dataset at most once."""
        return sl.Universe.population(self.records)

    def local(self) -> sl.Sensitivity:
        """The exact local sensitivity of the dataset, every neighbour asked."""
        return sl.local_sensitivity(self.shape.query, self.dataset, self.universe, relation=ONE_ROW)

    def solved(self) -> sl.Sensitivity | None:
        """The same from the solver for joins of different tables that hang together as a tree."""
        if self.shape.joins_itself:
            return None
        people = [self.records.index(record) for record in self.dataset]
        try:
            return sl.local_sensitivity(
                self.shape.join_count,
                people,
                self.shape.people(self.records),
                relation=ONE_ROW,
                method="solver",
            )
        except sl.NotProved:
            return None

    def of_all(self) -> sl.Sensitivity:
        """The exact global sensitivity over all datasets with as many rows."""
        return sl.global_sensitivity(
            self.shape.query, self.universe, size=len(self.dataset), relation=ONE_ROW
        )

    def at_distances(self, most: int) -> list[int]:
        """The exact sensitivity within 0, 1, …, `most` rows of the dataset."""
        here = self.world.number(self.dataset)
        return [int(of_all[here]) for of_all in islice(self.world.at_distances(), most + 1)]


def case(name: str, parts: Sequence[str], rows: Sequence[Any], there: Sequence[str]) -> Case:
    """A case whose tables and rows are written as text: "r ab" is a table, "r01" a row of it.

    >>> case("path of 2", ["r ab", "s bc"], [("r", "01", "0"), ("s", "0", "01")], ["r00", "s01"]).dataset
    (('r', '0', '0'), ('s', '0', '1'))
    """
    shape = Shape(name, tuple((part.split()[0], part.split()[1]) for part in parts))
    records = tuple((table, *row) for table, *columns in rows for row in product(*columns))
    return Case(shape, records, tuple(_record(shape, text) for text in there))


def _record(shape: Shape, text: str) -> Record:
    (table,) = (table for table in shape.tables if text.startswith(table))
    return (table, *text.removeprefix(table))


TWO = ("01", "01")
EDGES = tuple(("e", a, b) for a, b in product("wxyz", "wxyz") if a != b)


def _edges(name: str, parts: Sequence[str], there: str) -> Case:
    """A case of one table of edges among four vertices, joined with itself."""
    shape = Shape(name, tuple(("e", part) for part in parts))
    return Case(shape, EDGES, tuple(("e", *edge) for edge in there.split()))


def _rows(shape: str, parts: str, rows: str, there: str) -> Case:
    """A case whose rows are written out one by one."""
    made = Shape(shape, tuple((p.split(":")[0], p.split(":")[1]) for p in parts.split()))
    every = tuple(tuple(row.split(".")) for row in rows.split())
    return Case(made, every, tuple(tuple(row.split(".")) for row in there.split()))


# One hub of the first tables' values is met by few of the next: frequencies alone do not see it.
CASES = (
    case("path of 2", ["r ab", "s bc"], [("r", "012", "01"), ("s", "01", "012")],
         ["r00", "r10", "r20", "s10", "s11", "s12", "r01"]),
    case("path of 3", ["r ab", "s bc", "t cd"], [("r", *TWO), ("s", *TWO), ("t", *TWO)],
         ["r00", "r10", "s00", "s10", "t10", "t11"]),
    case("path of 4", ["r b", "s bc", "t cd", "u d"],
         [("r", "01"), ("s", *TWO), ("t", *TWO), ("u", "01")],
         ["r0", "r1", "s00", "s10", "t10", "t11", "u0"]),
    case("star of 3", ["r ha", "s hb", "t hc"], [("r", *TWO), ("s", *TWO), ("t", *TWO)],
         ["r00", "r01", "s10", "s11", "t00", "t10"]),
    case("triangle", ["r ab", "s bc", "t ca"], [("r", *TWO), ("s", *TWO), ("t", *TWO)],
         ["r00", "r01", "s00", "s10", "t10", "t01"]),
    _edges("path of 2 in one table", ["ab", "bc"], "wx wy wz xy yz"),
    _edges("path of 3 in one table", ["ab", "bc", "cd"], "wx wy wz xy yz"),
    _edges("triangle in one table", ["ab", "bc", "ca"], "wx wy wz xy yz zw"),
    _rows("customer, orders, lineitem", "customer:c orders:oc lineitem:ol",
          "customer.A customer.B orders.1.A orders.2.A orders.3.A orders.4.B "
          "lineitem.1.a lineitem.1.b lineitem.2.a lineitem.4.a lineitem.4.b lineitem.4.c",
          "customer.A orders.1.A orders.2.A orders.4.B lineitem.1.a lineitem.4.a lineitem.4.b"),
    _rows("lineitem with orders, part, supplier", "lineitem:ops orders:o part:p supplier:s",
          "orders.1 orders.2 part.x part.y supplier.S supplier.T lineitem.1.x.S lineitem.1.y.T "
          "lineitem.1.x.T lineitem.2.x.S lineitem.2.y.S lineitem.2.y.T",
          "orders.1 orders.2 part.x supplier.S supplier.T lineitem.1.x.S lineitem.1.y.T lineitem.2.y.S"),
    _rows("customer and supplier of one nation", "customer:cn orders:oc lineitem:os supplier:sn",
          "customer.A.F customer.B.G orders.1.A orders.2.A orders.3.B supplier.S.F supplier.T.G "
          "lineitem.1.S lineitem.1.T lineitem.2.S lineitem.2.T lineitem.3.T",
          "customer.A.F customer.B.G orders.1.A orders.2.A supplier.T.G lineitem.1.T lineitem.2.T"),
)  # fmt: skip


def loose_bounds(cases: Sequence[Case] = CASES, *, beta: float = 0.5) -> pd.DataFrame:
    """Return a row for each case: its exact sensitivities, both bounds, and the row that matters.

    >>> table = loose_bounds(CASES[:1])
    >>> table[["exact", "solver", "elastic", "residual", "global"]].values.tolist()
    [[3, 3, 3, 3, 4]]

    A row is added or removed, of any table. `exact`, `elastic` and `residual` are of the dataset;
    `… at 1` of all datasets within one row of it; `smooth …` discounts by e^(−βk); `global` is of
    all datasets with as many rows. `row` leaves (−) or joins (+) for the exact local sensitivity.
    Cost: `World` of each case, and its walk.
    """
    return pd.DataFrame([_line(case, beta) for case in cases]).set_index("join")


def _line(case: Case, beta: float) -> dict[str, Any]:
    shape, world = case.shape, case.world
    local, solved, everywhere = case.local(), case.solved(), case.of_all()
    most, matches = frequencies(shape, case.dataset), boundaries(shape, case.dataset)
    smooth = float(world.smooth(beta)[world.number(case.dataset)])
    return {
        "join": shape.name,
        "rows": len(case.dataset),
        "answer": shape(case.dataset),
        "exact": local.value,
        "solver": None if solved is None else solved.value,
        "elastic": elastic(shape, most),
        "residual": residual(shape, matches),
        "exact at 1": case.at_distances(1)[1],
        "elastic at 1": elastic(shape, most, 1),
        "residual at 1": residual(shape, matches, 1),
        "smooth": smooth,
        "smooth elastic": smooth_elastic(shape, most, beta)[0],
        "smooth residual": smooth_residual(shape, matches, beta)[0],
        "global": everywhere.value,
        "row": row_of(local),
        "global witness": row_of(everywhere),
    }


def row_of(found: sl.Sensitivity) -> str:
    """Which record leaves or joins in a witness of one row.

    >>> row_of(CASES[0].local())
    '+s(0, 0)'
    """
    dataset, neighbour = found.witness
    sides = (("−", {*dataset} - {*neighbour}), ("+", {*neighbour} - {*dataset}))
    rows = [(sign, table, row) for sign, some in sides for table, *row in some]
    return "".join(f"{sign}{table}({', '.join(map(str, row))})" for sign, table, row in rows)


def looseness(case: Case, distance: int = 0) -> pd.DataFrame:
    """Return how many times the exact sensitivity each bound is, over all datasets of a case.

    >>> looseness(CASES[0]).loc["elastic"].tolist()
    [4004, 1.0, 3.0]

    Datasets whose sensitivity at this distance is 0 are left out. Cost: both bounds of each of the
    2ᴺ datasets.
    """
    *_, exact = islice(case.world.at_distances(), distance + 1)
    ratios: dict[str, list[float]] = {"elastic": [], "residual": []}
    for number in np.flatnonzero(exact).tolist():
        dataset = case.world.dataset(number)
        most, matches = frequencies(case.shape, dataset), boundaries(case.shape, dataset)
        ratios["elastic"].append(elastic(case.shape, most, distance) / exact[number])
        ratios["residual"].append(residual(case.shape, matches, distance) / exact[number])
    return pd.DataFrame(
        {
            "datasets": {bound: len(found) for bound, found in ratios.items()},
            "median": {bound: float(np.median(found)) for bound, found in ratios.items()},
            "largest": {bound: max(found) for bound, found in ratios.items()},
        }
    ).astype({"datasets": object})
