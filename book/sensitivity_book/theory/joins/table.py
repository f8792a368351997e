"""The table of counting joins: what is exact beside what the published bounds say,
with witnesses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from typing import Any

import numpy as np
import pandas as pd

import sensitivity_lab as sl
from sensitivity_book.theory.joins.bounds import (
    boundaries,
    elastic,
    frequencies,
    residual,
    smooth_elastic,
    smooth_residual,
    subsets,
)
from sensitivity_book.theory.joins.shapes import Record, Shape, World

ONE_ROW = sl.SymmetricDifference(1)


@dataclass(frozen=True, eq=False)
class Case:
    """A shape, the rows that there may be, and the ones that are there."""

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
    """A case whose tables and rows are written as text: "r ab" is a table, "r01" a row of it."""
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


# Of the datasets of 6 to 8 rows with two rows joined,
# those in which the frequent values do not meet.
CASES = (
    case("path of 2", ["r ab", "s bc"], [("r", "012", "01"), ("s", "01", "012")],
         ["r00", "r10", "r20", "s00", "s01", "s02"]),
    case("path of 3", ["r ab", "s bc", "t cd"], [("r", *TWO), ("s", *TWO), ("t", *TWO)],
         ["r10", "s01", "s10", "s11", "t10", "t11"]),
    case("path of 4", ["r b", "s bc", "t cd", "u d"],
         [("r", "01"), ("s", *TWO), ("t", *TWO), ("u", "01")],
         ["r0", "s00", "s01", "t10", "t11", "u0", "u1"]),
    case("star of 3", ["r ha", "s hb", "t hc"], [("r", *TWO), ("s", *TWO), ("t", *TWO)],
         ["r00", "s00", "s01", "t01", "t10", "t11"]),
    case("triangle", ["r ab", "s bc", "t ca"], [("r", *TWO), ("s", *TWO), ("t", *TWO)],
         ["r01", "r11", "s11", "t01", "t10", "t11"]),
    _edges("path of 2 in one table", ["ab", "bc"], "wz xz yz zw zx zy"),
    _edges("path of 3 in one table", ["ab", "bc", "cd"], "wz xz yz zw zx zy"),
    _edges("triangle in one table", ["ab", "bc", "ca"], "wz xz yx yz zw zx zy"),
    _rows("customer, orders, lineitem", "customer:c orders:oc lineitem:ol",
          "customer.A customer.B orders.1.A orders.2.A orders.3.A orders.4.B "
          "lineitem.1.a lineitem.1.b lineitem.2.a lineitem.4.a lineitem.4.b lineitem.4.c",
          "customer.A orders.1.A orders.2.A "
          "lineitem.1.a lineitem.2.a lineitem.4.a lineitem.4.b lineitem.4.c"),
    _rows("lineitem with orders, part, supplier", "lineitem:ops orders:o part:p supplier:s",
          "orders.1 orders.2 part.x part.y supplier.S supplier.T lineitem.1.x.S lineitem.1.y.T "
          "lineitem.1.x.T lineitem.2.x.S lineitem.2.y.S lineitem.2.y.T",
          "orders.2 part.y supplier.S supplier.T lineitem.2.x.S lineitem.2.y.S lineitem.2.y.T"),
    _rows("customer and supplier of one nation", "customer:cn orders:oc lineitem:os supplier:sn",
          "customer.A.F customer.B.G orders.1.A orders.2.A orders.3.B supplier.S.F supplier.T.G "
          "lineitem.1.S lineitem.1.T lineitem.2.S lineitem.2.T lineitem.3.T",
          "customer.A.F orders.1.A orders.2.A supplier.S.F lineitem.1.S lineitem.2.S lineitem.2.T"),
)  # fmt: skip


def loose_bounds(cases: Sequence[Case] = CASES, *, beta: float = 0.5) -> pd.DataFrame:
    """Return a row for each case: its exact sensitivities, both bounds,
    and the row that matters."""
    return pd.DataFrame([_line(case, beta) for case in cases]).set_index("join")


def _line(case: Case, beta: float) -> dict[str, Any]:
    shape, world = case.shape, case.world
    local, everywhere = case.local(), case.of_all()
    most, matches = frequencies(shape, case.dataset), boundaries(shape, case.dataset)
    smooth = float(world.smooth(beta)[world.number(case.dataset)])
    return {
        "join": shape.name,
        "rows": len(case.dataset),
        "answer": shape(case.dataset),
        "exact": local.value,
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
    """Which record leaves or joins in a witness of one row."""
    dataset, neighbour = found.witness
    sides = (("−", {*dataset} - {*neighbour}), ("+", {*neighbour} - {*dataset}))
    rows = [(sign, table, row) for sign, some in sides for table, *row in some]
    return "".join(f"{sign}{table}({', '.join(map(str, row))})" for sign, table, row in rows)


def looseness(cases: Sequence[Case] = CASES, *, distance: int = 0) -> pd.DataFrame:
    """Return how many times the exact sensitivity each bound is, over all datasets of each case."""
    lines = {case.shape.name: _ratios(case, distance) for case in cases}
    table = {
        name: {"datasets": len(ratios)}
        | {
            f"{bound} {of}": float(take(ratios[:, i]))
            for i, bound in enumerate(("elastic", "residual"))
            for of, take in (("median", np.median), ("largest", np.max))
        }
        for name, ratios in lines.items()
    }
    found = pd.DataFrame.from_dict(table, orient="index").rename_axis("join")
    return found.astype({"datasets": "int64"})


def _ratios(case: Case, distance: int) -> np.ndarray:
    """Of each dataset that has a sensitivity, elastic and residual over exact, (n, 2)."""
    *_, exact = islice(case.world.at_distances(), distance + 1)
    matches = {parts: case.world.matches(parts) for parts in subsets(range(len(case.shape.parts)))}
    moved = np.flatnonzero(exact)
    bounds = []
    for number in moved.tolist():
        most = frequencies(case.shape, case.world.dataset(number))
        meet = {parts: int(of_all[number]) for parts, of_all in matches.items()}
        bounds.append((elastic(case.shape, most, distance), residual(case.shape, meet, distance)))
    ratios: np.ndarray = np.array(bounds) / exact[moved, None]
    return ratios
