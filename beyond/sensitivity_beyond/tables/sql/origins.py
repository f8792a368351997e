"""Where a result's columns come from: which are numbers, and which may be keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

CONSTANT, CELL, KEY, NUMBER = range(4)  # what is made of several is the highest of them
ONE_OF = {  # functions that answer with one of the cells that they are given
    "any_value", "arbitrary", "arg_max", "arg_min", "argmax", "argmin", "first", "first_value",
    "lag", "last", "last_value", "lead", "max_by", "min_by", "nth_value",
}  # fmt: skip

# A column's name and origin; "*" stands for those that the text does not name.
Origins = list[tuple[str, int]]
UNKNOWN: Origins = [("*", CELL)]


def of_columns(names: Sequence[str], told: Sequence[tuple[str, int]]) -> list[int]:
    """The origins of a result's columns; of those that are not told apart cells."""
    of, more = [origin for _, origin in told], len(names) - len(told)
    stars = [i for i, (name, _) in enumerate(told) if name == "*"]
    if len(stars) == 1 and more >= -1:
        of[stars[0] : stars[0] + 1] = [of[stars[0]]] * (more + 1)
    return of if len(of) == len(names) else [CELL] * len(names)


def origins(query: Any, known: Mapping[str, Origins]) -> Origins:
    """The columns of a query, which may name the tables `known`."""
    from sqlglot import exp

    made = dict(known)
    for one in getattr(_part(query, "with"), "expressions", ()):
        made[one.alias.lower()] = _renamed(origins(one.this, made), one)
    if isinstance(query, exp.SetOperation):
        sides = origins(query.left, made), origins(query.right, made)
        if any("*" in dict(side) for side in sides):
            return [("*", max(origin for side in sides for _, origin in side))]
        both = zip(*sides, strict=False)  # of two constants one is in a row, the other in another
        return [(name, max(of, other, CELL)) for (name, of), (_, other) in both]
    if isinstance(query, exp.Subquery):
        return origins(query.this, made)
    if not isinstance(query, exp.Select):
        return UNKNOWN
    parts = [_part(query, "from"), *query.args.get("joins", ()), *query.args.get("laterals", ())]
    tables = [one if isinstance(one, exp.Lateral) else one.this for one in parts if one is not None]
    sources = [(one.alias_or_name.lower(), _of_table(one, made)) for one in tables]
    group, distinct = query.args.get("group"), query.args.get("distinct")
    found: Origins = []

    def of(node: Any) -> int:
        """Where the cells of an expression come from."""
        if isinstance(node, exp.Exists):
            return CONSTANT
        if isinstance(node, exp.Query):
            return max(origin for _, origin in origins(node, made))
        if isinstance(node, exp.Column):
            seen = [told for alias, told in sources if node.table.lower() in ("", alias)]
            known = dict([*chain(*seen), *found])
            origin = known.get(node.name.lower(), known.get("*", CELL))
            return KEY if group else origin
        wraps = (exp.Window, exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)
        if isinstance(node, wraps) or (isinstance(node, exp.In) and node.args.get("query")):
            return of(node.this)
        if isinstance(node, exp.Func) and function_called(node) in ONE_OF:
            return of(next(node.iter_expressions()))
        # an unknown one adds up, unless GROUP BY names all of it
        unknown = isinstance(node, exp.Anonymous) and not (
            group and {*node.find_all(exp.Column)} <= {*group.find_all(exp.Column)}
        )
        if isinstance(node, exp.AggFunc) or unknown:
            return NUMBER
        return max(map(of, node.iter_expressions()), default=CONSTANT)

    for node in query.expressions:
        if node.is_star and not node.find(exp.Func):
            whose = node.table.lower() if isinstance(node, exp.Column) else ""
            told = chain(*(told for alias, told in sources if whose in ("", alias)))
            found += [(name, KEY if group else origin) for name, origin in told]
        else:
            name = node.alias_or_name.lower() if isinstance(node, exp.Alias | exp.Column) else ""
            found.append(("*" if node.find(exp.Columns) else name, of(node)))
    return [(name, KEY if distinct and origin == CELL else origin) for name, origin in found]


def function_called(node: Any) -> str:
    """The name of a function, in lower case."""
    name: str = node.name if type(node).__name__ == "Anonymous" else node.sql_name()
    return name.lower()


def _part(query: Any, name: str) -> Any:
    """A part of a query, which releases of sqlglot call by two names."""
    return query.args.get(f"{name}_") or query.args.get(name)


def _of_table(table: Any, made: Mapping[str, Origins]) -> Origins:
    """The columns of what a query reads."""
    from sqlglot import exp

    inner = table.this if isinstance(table, exp.Lateral) else table
    if isinstance(inner, exp.Table):
        told = UNKNOWN if inner.db else made.get(inner.name.lower(), UNKNOWN)
    else:
        told = origins(inner, made)
    return _renamed(UNKNOWN if inner.args.get("pivots") else told, table)


def _renamed(told: Origins, table: Any) -> Origins:
    """Columns under the names that an alias gives them, as in staff(name, pay)."""
    names = [name.lower() for name in table.alias_column_names]
    if "*" in dict(told):
        return [*((name, CELL) for name in names), *told]
    return [*zip(names, (origin for _, origin in told), strict=False), *told[len(names) :]]
