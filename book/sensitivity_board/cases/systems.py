"""Systems that answer SQL: what each claims of one list of statements, beside the exact values.

The statements and their parts stand in `statements.json` beside the tables; a part is what a
system adds noise to, as AVG is answered from a noisy sum and a noisy count. The tables of claims
are made by `libraries/*/statements.py`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import combinations_with_replacement, product
from typing import Any

import pandas as pd

from sensitivity_board.figures import figures
from sensitivity_lab import (
    AuditRow,
    Change,
    Relation,
    Sensitivity,
    SymmetricDifference,
    Universe,
    global_sensitivity,
    sql,
)

SYSTEMS = {
    "smartnoise": "SmartNoise SQL",
    "qrlew": "Qrlew",
    "tumult": "Tumult Analytics",
    "pipelinedp": "PipelineDP",
    "opendp_polars": "OpenDP Polars",
}
COLUMNS = {
    "staff": ["department", "salary", "age", "gain"],
    "customers": ["city"],
    "orders": ["price"],
}
VALUES: dict[str, list[Any]] = {
    "person": ["Ann", "Bob"],
    "department": ["art", "law"],
    "salary": [0, 50, 100],
    "age": [18, 90],
    "gain": [-50, 0, 50],
    "city": ["x", "y"],
    "price": [0, 100],
}
DISTRICTS = [("x", "north"), ("x", "south"), ("y", "east")]  # a public table
NORMS = {"L1": 1, "L2": 2}
Rows = tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Limits:
    """What a system protects, and what a person may bring, as its table of claims says it."""

    unit: str
    rows: int
    groups: int | None = None

    @classmethod
    def read(cls, text: str) -> Limits:
        """The limits that a text says: "person; rows 2", "row; rows 1" or "change; rows 1"."""
        unit, *limits = text.split("; ")
        most = {limit.rsplit(" ", 1)[0]: int(limit.rsplit(" ", 1)[1]) for limit in limits}
        rows = most["rows"] if "rows" in most else most["rows per group"]
        return cls(unit, rows, most.get("groups"))

    @property
    def words(self) -> str:
        """The relation in words."""
        rows = f"{self.rows} row" + "s" * (self.rows > 1)
        if self.unit == "change":
            return f"{rows} changed"
        if self.unit == "row":
            return f"at most {rows} added or removed"
        person = "one person added or removed, with at most "
        groups = f"{self.groups} groups, at most {rows} per group"
        return person + (groups if self.groups else rows)

    @property
    def relation(self) -> Relation:
        """The relation between datasets, whose records are people or rows."""
        if self.unit == "change":
            return Change(self.rows)
        return SymmetricDifference(1 if self.unit == "person" else self.rows)

    def sizes(self, universe: Universe) -> int | range:
        """Sizes at which a count, a sum and a count of distinct values move the most."""
        if self.unit == "change":
            return 2
        most = min(2, universe.distinct) if self.unit == "person" else self.rows + 1
        return range(most + 1)

    def allow(self, rows: Rows) -> bool:
        """Whether a person may have these rows, whose first entry is the group."""
        if self.groups is None:
            return len(rows) <= self.rows
        each = Counter(row[0] for row in rows)
        return len(each) <= self.groups and max(each.values()) <= self.rows


@cache
def _asked() -> dict[str, dict[str, str]]:
    file = resources.files("sensitivity_board") / "data" / "statements.json"
    return json.loads(file.read_text("utf-8"))  # type: ignore[no-any-return]


def statements() -> dict[str, str]:
    """Return the statements that every system was asked about, by name."""
    return dict(_asked()["statements"])


def parts() -> dict[str, str]:
    """Return what systems add noise to in answering them, by name."""
    return dict(_asked()["parts"])


def stated_claims(name: str) -> pd.DataFrame:
    """Return what a system claims, as it was written: "qrlew", for example."""
    return figures(f"{name}_statements")


def exact_part(part: str, limits: str, norm: str) -> Sensitivity:
    """Return the exact sensitivity of a part, on small databases within a system's limits."""
    return _exact(part, limits, norm if "GROUP BY" in parts()[part] else "L1")


@cache
def _exact(part: str, limits: str, norm: str) -> Sensitivity:
    """Of a single number, all norms are one."""
    statement, within = parts()[part], Limits.read(limits)
    universe = _universe(statement, within)
    return global_sensitivity(
        sql(statement, connection=_public() if "districts" in statement else None),
        universe,
        size=within.sizes(universe),
        relation=within.relation,
        norm=NORMS[norm],
    )


def _public() -> Any:
    import duckdb  # not every page that shows case files has it

    connection = duckdb.connect()
    connection.execute("CREATE TABLE districts (city TEXT, district TEXT)")
    connection.executemany("INSERT INTO districts VALUES (?, ?)", DISTRICTS)
    return connection


def _universe(statement: str, limits: Limits) -> Universe:
    """The rows or people that a statement may be asked of, with the columns that it reads."""
    read = set(re.findall(r"\w+", statement))
    columns = {
        table: [column for column in names if column in read]
        for table, names in COLUMNS.items()
        if table in read
    }
    if limits.unit == "person":
        return _people(columns, limits)
    ((table, names),) = columns.items()
    owned = ["person"] if "person" in read or not names else []
    return Universe.product(name=table, **{column: VALUES[column] for column in [*owned, *names]})


def _people(columns: dict[str, list[str]], limits: Limits) -> Universe:
    """Everybody whom the limits allow, by what they have in each table; a customer is one row."""
    id = "person" if "staff" in columns else "customer"
    kinds = {table: _rows(names) for table, names in columns.items()}
    brought = {
        table: [(row,) for row in rows] if table == "customers" else list(_few(rows, limits))
        for table, rows in kinds.items()
    }
    tables: dict[str, list[tuple[Any, ...]]] = {table: [] for table in columns}
    for number, bundle in enumerate(product(*brought.values())):
        for table, rows in zip(columns, bundle, strict=True):
            tables[table] += [(f"p{number}", *row) for row in rows]
    frames = {
        table: pd.DataFrame(rows, columns=[id, *columns[table]]) for table, rows in tables.items()
    }
    return Universe.people(frames, id=id)


def _rows(columns: list[str]) -> list[tuple[Any, ...]]:
    return list(product(*(VALUES[column] for column in columns)))


def _few(rows: list[tuple[Any, ...]], limits: Limits) -> Iterator[Rows]:
    most = limits.rows * (limits.groups or 1)
    for size in range(1, most + 1):
        yield from filter(limits.allow, combinations_with_replacement(rows, size))


def systems_table(
    *names: str, limits: str | None = None, statements: tuple[str, ...] = ()
) -> pd.DataFrame:
    """Return what systems claim of the statements, each part beside its exact sensitivity."""
    rows = [
        _compared(SYSTEMS[name], claim)
        for name in names or SYSTEMS
        for _, claim in stated_claims(name).iterrows()
        if limits in (None, claim["parameters"])
        and (claim["query"] in statements or not statements)
        and not claim["quantity"].startswith("value of")
    ]
    return pd.DataFrame(rows)


def _compared(system: str, claim: pd.Series) -> dict[str, Any]:
    """A row of the table; without numbers where there is no claim."""
    row: dict[str, Any] = {
        "system": system,
        "version": claim["version"],
        "statement": claim["query"],
        "relation": Limits.read(claim["parameters"]).words,
        "limits": claim["parameters"],
        "read_from": claim["read_from"],
    }
    if not claim["quantity"].startswith(tuple(NORMS)):
        return row | {"verdict": claim["quantity"], "witness": ""}
    norm, part = claim["quantity"].split(" of ", 1)
    found = exact_part(part, claim["parameters"], norm)
    exact = float(f"{float(found.value):.6g}")
    held = AuditRow(claim["parameters"], 1, None, float(claim["value"]), exact)
    return row | {
        "part": part,
        "norm": norm,
        "claim": held.claimed,
        "exact": exact,
        "ratio": float(held.ratio),
        "verdict": held.verdict,
        "witness": " ".join(str(found.witness).split()),
    }


def systems_by_statement(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of systems by statements: the part that tells most of each, in words."""
    cells = {
        system: {str(name): _told(rows) for name, rows in asked.groupby("statement")}
        for system, asked in table.groupby("system")
    }
    told = {name: cells[name] for name in SYSTEMS.values() if name in cells}
    return pd.DataFrame(told, index=list(statements())).fillna("")


def _told(rows: pd.DataFrame) -> str:
    claimed = rows.dropna(subset=["ratio"])
    if claimed.empty:
        return str(rows["verdict"].iloc[0])
    smallest, largest = claimed["ratio"].min(), claimed["ratio"].max()
    if smallest < 1:
        return f"too small: ×{smallest:.3g}"
    return "exact" if largest == 1 else f"×{largest:.3g}"
