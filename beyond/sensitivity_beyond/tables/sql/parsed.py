"""What a statement's text tells: the tables that it reads, what it calls,
whether order may matter."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from itertools import chain, compress, pairwise
from sys import platform
from time import monotonic
from typing import Any

from sensitivity_lab.numbers.exact import brief, told
from sensitivity_lab.numbers.text import one_line

DUCKDB = "duckdb"  # as sqlglot calls its SQL
LONGEST_NAME = 60  # letters of a statement that names its query
SECONDS = 60.0  # for a statement on one dataset, where no other time is given
OPENING = ("SELECT", "WITH", "VALUES", "TABLE", "FROM")  # how a query may begin
CATALOGUES = ("information_schema", "pg_catalog")  # schemas whose tables tell of the session
CATALOGUE_TABLES = ("sqlite_", "pg_", "duckdb_", "pragma_")  # how their tables' names begin
CLOCKS = {"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"}
MOMENTS = ("date", "datetime", "julianday", "time", "unixepoch")  # of now where nothing is given
NOW = {"now", "today", "tomorrow", "yesterday"}  # what such a function, and a cast, understand
ORDERED = {  # functions whose answer is that of one of several rows, or of rows in a row
    "any_value", "arbitrary", "arg_max", "arg_min", "argmax", "argmin", "array", "array_agg",
    "fill", "first", "first_value", "group_concat", "json_agg", "json_group_array", "lag", "last",
    "last_value", "lead", "list", "listagg", "max_by", "min_by", "mode", "nth_value", "ntile",
    "row_number", "string_agg",
}  # fmt: skip


CONSTANT, CELL, KEY, NUMBER = range(4)  # what is made of several is the highest of them
ONE_OF = {  # functions that answer with one of the cells that they are given
    "any_value", "arbitrary", "arg_max", "arg_min", "argmax", "argmin", "first", "first_value",
    "lag", "last", "last_value", "lead", "max_by", "min_by", "nth_value",
}  # fmt: skip

# A column's name and origin; "*" stands for those that the text does not name.
Origins = list[tuple[str, int]]
UNKNOWN: Origins = [("*", CELL)]


@dataclass(frozen=True)
class Parsed:
    """What a statement is, as far as its text tells."""

    tables: tuple[str, ...]
    qualified: tuple[str, ...] = ()
    calls: frozenset[str] = frozenset()
    sources: tuple[str, ...] = ()
    ordered: bool = False
    alone: bool = False
    origins: tuple[tuple[str, int], ...] = ()  # of its columns
    at_random: str | None = None  # the same with ties broken at random, where it may break some


@lru_cache(maxsize=1000)
def parsed(text: str, dialect: str | None, by_case: bool) -> Parsed | None:
    """Return what a query's text tells, or refuse what is not one query that writes nothing.

    None is for what sqlglot cannot read, and the database may; of DuckDB it is refused.
    """
    installed("sqlglot")
    from sqlglot import TokenType, exp, tokenize
    from sqlglot.errors import SqlglotError

    with told_of("statement must be readable SQL", SqlglotError):
        tokens = list(tokenize(text, read=dialect))
    kinds = [token.token_type for token in tokens]
    while kinds and kinds[-1] == TokenType.SEMICOLON:
        kinds.pop()
    if TokenType.SEMICOLON in kinds:
        raise ValueError(f"statement must be one, got several: {brief(text)}")
    opening = next((one.text for one in tokens if one.token_type != TokenType.L_PAREN), "")
    tree = _tree(text, dialect, opening.upper())
    if tree is None:
        return None
    tables = [one for one in _tables(tree, frozenset()) if one.name]
    sources = (one.this for one in tree.find_all(exp.Table, exp.Lateral))
    functions = list(tree.find_all(exp.Func))
    words = [token.text.lower() for token in tokens]
    calls = {word for word, then in pairwise(words) if then == "("}  # as they are written
    if dialect == DUCKDB:  # a clock's name, though it be a column's
        names = [one.token_type != TokenType.STRING for one in tokens]
        calls |= CLOCKS & set(compress(words, names))
    else:
        calls |= set(map(function_called, functions))
    calls |= {clock for one in functions if (clock := _clock_asked(one))}
    calls |= {"tablesample" for one in tree.find_all(exp.TableSample) if not one.args.get("seed")}
    sorting = (exp.Limit, exp.Offset, exp.Fetch, exp.TableSample)
    several = (exp.SetOperation, exp.Rollup, exp.Cube, exp.GroupingSets)
    in_full = (".".join(part.name for part in one.parts) for one in tables if one.db)
    return Parsed(
        tables=tuple(sorted({_name(one, by_case) for one in tables if not one.db})),
        qualified=tuple(sorted(set(in_full))),
        calls=frozenset(calls),
        sources=tuple(sorted({function_called(s) for s in sources if isinstance(s, exp.Func)})),
        ordered=tree.find(*sorting) is not None
        or bool(calls & ORDERED)
        or any(node.args.get("on") for node in tree.find_all(exp.Distinct))
        or any(join.method in ("ASOF", "POSITIONAL") for join in tree.find_all(exp.Join))
        or any(map(_frame_counts_rows, tree.find_all(exp.WindowSpec))),
        alone=tree.find(*several) is not None,
        origins=tuple(origins(tree, {})),
        at_random=None if dialect == DUCKDB else _with_ties_at_random(tree, dialect),
    )


def installed(name: str) -> Any:
    """A module that `sql` needs. Raises ImportError that says how to install it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(
            f"sql needs {name}, which is not installed: pip install 'sensitivity-beyond[sql]'"
        ) from error


def _tree(text: str, dialect: str | None, opening: str) -> Any:
    """sqlglot's tree of one query that writes nothing, or None for what it cannot read."""
    from sqlglot import ErrorLevel, exp, parse

    refusal = ValueError(f"statement must be a query that writes nothing, got {brief(text)}")
    if opening not in OPENING:
        raise refusal
    tree, told = None, brief(text)
    try:
        tree = next(filter(None, parse(text, read=dialect, error_level=ErrorLevel.RAISE)), None)
    except Exception as error:  # of a text that it cannot read it may raise anything
        told = str(error).partition("\n")[0]
    if tree is None or isinstance(tree, (exp.Command, exp.Alias)):
        if dialect == DUCKDB:
            raise ValueError(f"statement must be SQL that sqlglot reads, got {told}")
        return None
    is_query = isinstance(tree, (exp.Query, exp.Values))
    if not is_query or tree.find(exp.DML, exp.DDL, exp.Into) is not None:
        raise refusal
    return tree


def _tables(node: Any, hidden: frozenset[str]) -> Iterator[Any]:
    """The tables that a tree names, but for those that a WITH around them makes."""
    from sqlglot import exp

    own = node.args.get("with_") or node.args.get("with")
    if own is not None:
        for made in own.expressions:
            again = own.args.get("recursive") and isinstance(made.this, exp.Union)
            within = hidden | {made.alias.lower()} if again else hidden
            yield from _tables(made.this, within)
            hidden = hidden | {made.alias.lower()}
    if isinstance(node, exp.Table) and (node.db or node.name.lower() not in hidden):
        yield node
    for part in node.iter_expressions():
        if part is not own:
            yield from _tables(part, hidden)


def _name(table: Any, by_case: bool) -> str:
    """A table's name as its database takes it:
    `by_case` where one in quotes is as it is written."""
    name: str = table.name
    return name if by_case and table.this.quoted else name.lower()


def _clock_asked(node: Any) -> str | None:
    """How a function asks what time it is, without a name of its own for that."""
    called, given = function_called(node), list(node.iter_expressions())
    if called == "age" and len(given) == 1:
        return "age of today"
    if called in MOMENTS and not given:
        return "'now'"
    of_moments = called in {*MOMENTS, "timediff", "ts_or_ds_to_timestamp"} or (
        called in ("cast", "try_cast") and node.to.is_type(*node.to.TEMPORAL_TYPES)
    )
    words = {one.name.lower() for one in given if one.key == "literal"}
    return "'now'" if of_moments and words & NOW else None


def _with_ties_at_random(tree: Any, dialect: str | None) -> str | None:
    """A statement whose LIMITs and windows take any of several rows that come first alike."""
    from sqlglot import exp

    loose = [*filter(_takes_some, tree.find_all(exp.Select))]
    loose += filter(_tells_rows_apart, tree.find_all(exp.Window))
    for node in loose:
        order = node.args.get("order") or exp.Order(expressions=[])
        chance = exp.Rand() if dialect else exp.Anonymous(this="RANDOM")
        order.append("expressions", exp.Ordered(this=chance))
        node.set("order", order)
    return tree.sql(dialect) if loose else None


def _takes_some(select: Any) -> bool:
    """Whether a SELECT keeps some rows by their order alone; of a DISTINCT that may not be said."""
    if (distinct := select.args.get("distinct")) is not None:
        return bool(distinct.args.get("on"))
    return any(select.args.get(part) is not None for part in ("limit", "offset"))


def _tells_rows_apart(window: Any) -> bool:
    """Whether a window's function gives different answers to rows that come alike."""
    from sqlglot import exp

    if window.args.get("alias") is not None:  # it is named, and says its order elsewhere
        return False
    by_row = (exp.RowNumber, exp.Lag, exp.Lead, exp.Ntile, exp.FirstValue)
    return isinstance(window.this, by_row) or _frame_counts_rows(window.args.get("spec"))


def _frame_counts_rows(frame: Any) -> bool:
    """Whether a window's frame counts rows, and not values that are near."""
    return frame is not None and str(frame.args.get("kind")).upper() == "ROWS"


# -- where its columns come from ------------------------------------------------------------


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


# -- what asks it -----------------------------------------------------------------------------


def quoted(name: str) -> str:
    """A name as the standard writes it."""
    return '"' + name.replace('"', '""') + '"'


def shortened(text: str) -> str:
    """The first letters of a statement, on a line."""
    return one_line(text, LONGEST_NAME)


@contextmanager
def told_of(rule: str, kind: type[Exception] = Exception) -> Iterator[None]:
    """Tell what is refused within in its own words, after the rule that it breaks."""
    try:
        yield
    except kind as error:
        raise ValueError(f"{rule}, got {told(error)}") from error


@contextmanager
def within(seconds: float, interrupt: Callable[[], object] | None) -> Iterator[None]:
    """Interrupt what takes longer than some seconds; then it raises TimeoutError."""
    start = monotonic()
    timer = None
    if interrupt is not None and platform != "emscripten":  # a page has no threads
        timer = threading.Timer(seconds, interrupt)
        timer.daemon = True
        timer.start()
    try:
        yield
    except Exception as error:
        if monotonic() - start < seconds:
            raise
        raise out_of_time(seconds) from error
    finally:
        if timer is not None:
            timer.cancel()
            timer.join()  # it holds the connection


def out_of_time(seconds: float) -> TimeoutError:
    """What a statement that takes too long is answered with."""
    return TimeoutError(
        f"statement must answer within seconds={seconds:g} on a dataset, got no answer: give it "
        "more, or ask smaller datasets"
    )
