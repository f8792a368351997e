"""Random SQL statements that carry their meaning in plain Python, and random small tables.

A statement is put together from parts. Each part has its text and a function that says what the
text means, on rows that are plain tuples: it shares no code with the package or with any database.
NULL is None, conditions are true, false or None, and every text is one that DuckDB, sqlite and
PostgreSQL read alike.
"""

import datetime
import operator
import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import count, groupby
from typing import Any, NamedTuple

DAYS = [datetime.date(2024, 1, day) for day in (1, 15, 31)]
# Of each table the columns: their kind, and the cells that they may hold.
TABLES = {
    "staff": {
        "dept": ("text", ["law", "art", "tax", None]),
        "pay": ("number", [0, 3, 7, -2, None]),
        "level": ("number", [1, 2, 3]),
        "share": ("number", [0.5, 1.5, -2.0, None]),
        "hired": ("date", [*DAYS, None]),
        "active": ("truth", [True, False, None]),
    },
    "visits": {
        "dept": ("text", ["law", "art", "zoo", None]),
        "hours": ("number", [1, 2, 5, None]),
    },
}
RATES = {"dept": ("text", []), "rate": ("number", [])}
PUBLIC = [("law", 2), ("law", 5), ("art", 1), (None, 9)]  # the rows of the public table `rates`
COMPARED = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
REACHED = {"+": operator.add, "-": operator.sub, "*": operator.mul}

Rows = list[tuple[Any, ...]]


class Scope(NamedTuple):
    """What a name means at some place of a statement."""

    tables: dict[str, Rows]
    cells: dict[str, Any]  # by alias.column


class Expr(NamedTuple):
    """A value of each row, or, of `rows`, of some rows together."""

    text: str
    kind: str
    value: Callable[[Any], Any]


class Source(NamedTuple):
    """What stands after FROM: a scope for each row."""

    text: str
    columns: dict[str, str]  # kinds by alias.column
    scopes: Callable[[Scope], list[Scope]]


class Select(NamedTuple):
    """A statement, or a part that is one."""

    text: str
    columns: dict[str, str]  # kinds by name
    rows: Callable[[Scope], Rows]


# -- what the words mean ---------------------------------------------------------------------


def strict(function, *values):
    """NULL where any part is NULL."""
    return None if None in values else function(*values)


def both(a, b):
    return False if a is False or b is False else None if None in (a, b) else True


def either(a, b):
    return True if a is True or b is True else None if None in (a, b) else False


def among(value, others):
    if not others:
        return False
    if value is None:
        return None
    return True if value in others else None if None in others else False


def ordered(rows, falling):
    """Rows sorted by all of their cells, NULL lowest; `falling` says which cells fall."""
    for i in reversed(range(len(falling))):
        rows = sorted(rows, key=lambda row: (row[i] is not None, row[i] or 0), reverse=falling[i])
    return rows


def lowest_first(row):
    return tuple((cell is not None, str(cell)) for cell in row)


def mean(values):
    return float(Fraction(sum(map(Fraction, values))) / len(values))


def literal(value):
    return f"'{value}'" if isinstance(value, (str, datetime.date)) else str(value).upper()


# -- sources ---------------------------------------------------------------------------------


def base(name, alias, columns):
    """A table by name, under an alias."""

    def scopes(outer):
        named = [f"{alias}.{column}" for column in columns]
        return [
            Scope(outer.tables, outer.cells | dict(zip(named, row, strict=True)))
            for row in outer.tables[name]
        ]

    return Source(f"{name} AS {alias}", {f"{alias}.{c}": k for c, k in columns.items()}, scopes)


def derived(select, alias):
    """A statement within another, under an alias."""

    def scopes(outer):
        named = [f"{alias}.{column}" for column in select.columns]
        return [
            Scope(outer.tables, outer.cells | dict(zip(named, row, strict=True)))
            for row in select.rows(outer)
        ]

    kinds = {f"{alias}.{c}": k for c, k in select.columns.items()}
    return Source(f"({select.text}) AS {alias}", kinds, scopes)


def joined(left, right, on, keep_left):
    """The pairs of rows for which a condition is true; `keep_left` keeps rows without a partner."""
    nothing = dict.fromkeys(right.columns)

    def scopes(outer):
        pairs = []
        for one in left.scopes(outer):
            partners = [pair for pair in right.scopes(one) if on.value(pair) is True]
            if not partners and keep_left:
                partners = [Scope(one.tables, one.cells | nothing)]
            pairs += partners
        return pairs

    word = "LEFT JOIN" if keep_left else "JOIN"
    return Source(
        f"{left.text} {word} {right.text} ON {on.text}", left.columns | right.columns, scopes
    )


def filtered(source, condition):
    """A source with WHERE."""
    if condition is None:
        return source
    return Source(
        f"{source.text} WHERE {condition.text}",
        source.columns,
        lambda outer: [s for s in source.scopes(outer) if condition.value(s) is True],
    )


# -- statements ------------------------------------------------------------------------------


def named(parts, letter):
    """The columns of some expressions, by letter and number."""
    return {f"{letter}{i}": part.kind for i, part in enumerate(parts)}


def listed(parts, letter):
    return ", ".join(f"{part.text} AS {letter}{i}" for i, part in enumerate(parts))


def projected(source, parts, distinct=False):
    """SELECT some expressions of each row."""

    def rows(outer):
        made = [tuple(part.value(scope) for part in parts) for scope in source.scopes(outer)]
        return list(dict.fromkeys(made)) if distinct else made

    word = "SELECT DISTINCT" if distinct else "SELECT"
    return Select(f"{word} {listed(parts, 'c')} FROM {source.text}", named(parts, "c"), rows)


def grouped(source, keys, totals, having=None):
    """SELECT keys and totals by group; without keys all rows are one group, also if there is none."""

    def rows(outer):
        groups = {} if keys else {(): []}
        for scope in source.scopes(outer):
            groups.setdefault(tuple(key.value(scope) for key in keys), []).append(scope)
        return [
            (*key, *(total.value(held) for total in totals))
            for key, held in groups.items()
            if having is None or having.value(held) is True
        ]

    parts = ", ".join(filter(None, [listed(keys, "k"), listed(totals, "t")]))
    by = f" GROUP BY {', '.join(key.text for key in keys)}" if keys else ""
    text = f"SELECT {parts} FROM {source.text}{by}{f' HAVING {having.text}' if having else ''}"
    return Select(text, named(keys, "k") | named(totals, "t"), rows)


def limited(select, falling, most, alias):
    """The first rows of a statement in an order of all of its columns."""
    words = ", ".join(
        f"{name} {'DESC NULLS LAST' if falls else 'ASC NULLS FIRST'}"
        for name, falls in zip(select.columns, falling, strict=True)
    )
    text = f"SELECT * FROM ({select.text}) AS {alias} ORDER BY {words} LIMIT {most}"
    return Select(text, select.columns, lambda outer: ordered(select.rows(outer), falling)[:most])


def combined(word, one, other):
    """UNION ALL, UNION, EXCEPT or INTERSECT of two statements of equal kinds."""

    def rows(outer):
        a, b = one.rows(outer), other.rows(outer)
        return {
            "UNION ALL": lambda: a + b,
            "UNION": lambda: list(dict.fromkeys(a + b)),
            "EXCEPT": lambda: [row for row in dict.fromkeys(a) if row not in b],
            "INTERSECT": lambda: [row for row in dict.fromkeys(a) if row in b],
        }[word]()

    return Select(f"{one.text} {word} {other.text}", one.columns, rows)


def beforehand(name, select, body):
    """WITH a name for a statement, and one that uses it."""

    def rows(outer):
        return body.rows(Scope(outer.tables | {name: select.rows(outer)}, outer.cells))

    return Select(f"WITH {name} AS ({select.text}) {body.text}", body.columns, rows)


WINDOWS = ["ROW_NUMBER()", "RANK()", "COUNT(*)", "SUM", "LAG"]


def windowed(source, parts, window, partition, summed):
    """SELECT expressions, and what a window says of each row; its order is that of all of them.

    `partition` and `summed` are numbers of parts.
    """
    order = ", ".join(f"{part.text} ASC NULLS FIRST" for part in parts)
    by = f"PARTITION BY {parts[partition].text}"
    over = {
        "ROW_NUMBER()": f"ROW_NUMBER() OVER ({by} ORDER BY {order})",
        "RANK()": f"RANK() OVER ({by} ORDER BY {parts[summed].text} ASC NULLS FIRST)",
        "COUNT(*)": f"COUNT(*) OVER ({by})",
        "SUM": f"SUM({parts[summed].text}) OVER ({by} ORDER BY {order} ROWS UNBOUNDED PRECEDING)",
        "LAG": f"LAG({parts[summed].text}) OVER ({by} ORDER BY {order})",
    }[window]

    def rows(outer):
        made = [tuple(part.value(scope) for part in parts) for scope in source.scopes(outer)]
        made = ordered(made, [False] * len(parts))
        made.sort(key=lambda row: lowest_first((row[partition],)))
        found = []
        for _, held in groupby(made, lambda row: row[partition]):
            group = list(held)
            found += [(*row, says(group, i)) for i, row in enumerate(group)]
        return found

    def says(group, i):
        column = [row[summed] for row in group]
        if window == "ROW_NUMBER()":
            return i + 1
        if window == "RANK()":
            here = (column[i] is not None, column[i] or 0)
            return 1 + sum((v is not None, v or 0) < here for v in column)
        if window == "COUNT(*)":
            return len(group)
        if window == "LAG":
            return column[i - 1] if i else None
        held = [v for v in column[: i + 1] if v is not None]
        return sum(held) if held else None

    text = f"SELECT {listed(parts, 'c')}, {over} AS w FROM {source.text}"
    return Select(text, named(parts, "c") | {"w": "number"}, rows)


# -- at random -------------------------------------------------------------------------------


class Maker:
    """Makes statements at random; `safe` ones answer with numbers, never with NULL."""

    def __init__(self, seed, safe=False):
        self.rng, self.safe, self.numbers = random.Random(seed), safe, count()

    def alias(self):
        return f"s{next(self.numbers)}"

    def often(self, share):
        return self.rng.random() < share

    # sources

    def table(self):
        name = self.rng.choice(["staff", "staff", "staff", "visits", "rates"])
        if name == "rates":
            return base(name, self.alias(), {c: k for c, (k, _) in RATES.items()})
        return base(name, self.alias(), {c: k for c, (k, _) in TABLES[name].items()})

    def source(self, depth):
        one = self.table()
        if depth and self.often(0.2):
            one = derived(self.rows_of(depth - 1), self.alias())
        if depth and self.often(0.45):
            other = self.table()
            on = self.equal(one, other) if self.often(0.8) else self.condition(one, other, 0)
            one = joined(one, other, on, self.often(0.4))
        return filtered(one, self.where(one, depth) if self.often(0.5) else None)

    def equal(self, one, other):
        """A condition that two columns of a kind are equal."""
        pairs = [(a, b) for a, k in one.columns.items() for b, m in other.columns.items() if k == m]
        a, b = self.rng.choice(pairs or [(next(iter(one.columns)), next(iter(one.columns)))])
        return Expr(f"{a} = {b}", "truth", lambda s: strict(operator.eq, s.cells[a], s.cells[b]))

    # expressions

    def columns(self, source, *kinds):
        return [name for name, kind in source.columns.items() if kind in kinds]

    def column(self, source, *kinds):
        name = self.rng.choice(self.columns(source, *kinds))
        return Expr(name, source.columns[name], lambda s: s.cells[name])

    def number(self, source):
        """A number of each row: a column, clipped, with NULL told, or two of them reckoned."""
        if not self.columns(source, "number"):
            value = self.rng.choice([0, 1, 4])
            return Expr(literal(value), "number", lambda s: value)
        one, shape = self.column(source, "number"), self.rng.randrange(6)
        if shape == 1:
            low, high = self.rng.choice([(0, 3), (1, 2), (-1, 5)])
            text = (
                f"(CASE WHEN {one.text} < {low} THEN {low} WHEN {one.text} > {high} THEN {high} "
                f"ELSE {one.text} END)"
            )
            clipped = lambda v: strict(lambda x: min(max(x, low), high), v)  # noqa: E731
            return Expr(text, "number", lambda s: clipped(one.value(s)))
        if shape == 2:
            rest = self.rng.choice([0, 2])
            told = lambda v: rest if v is None else v  # noqa: E731
            return Expr(f"COALESCE({one.text}, {rest})", "number", lambda s: told(one.value(s)))
        if shape == 3:
            word, other = self.rng.choice(list(REACHED)), self.column(source, "number")
            text = f"({one.text} {word} {other.text})"
            reckon = REACHED[word]
            return Expr(text, "number", lambda s: strict(reckon, one.value(s), other.value(s)))
        return one

    def condition(self, source, other, depth):
        columns = Source("", source.columns | (other.columns if other else {}), source.scopes)
        return self.where(columns, depth)

    def where(self, source, depth):
        """A condition, true, false or None of each row."""
        shape = self.rng.randrange(12 if depth else 8)
        if shape == 0:
            one, other = self.where(source, 0), self.where(source, 0)
            word, meaning = self.rng.choice([("AND", both), ("OR", either)])
            text = f"({one.text} {word} {other.text})"
            return Expr(text, "truth", lambda s: meaning(one.value(s), other.value(s)))
        if shape == 1:
            one = self.where(source, depth)
            return Expr(f"(NOT {one.text})", "truth", lambda s: strict(operator.not_, one.value(s)))
        if shape == 2:
            one, no = self.column(source, *set(source.columns.values())), self.often(0.5)
            text = f"({one.text} IS {'NOT ' * no}NULL)"
            return Expr(text, "truth", lambda s: (one.value(s) is None) is not no)
        if shape == 3 and self.columns(source, "text"):
            one, no = self.column(source, "text"), self.often(0.4)
            values = self.rng.sample(["law", "art", "tax"], 2)
            text = f"({one.text} {'NOT ' * no}IN ({', '.join(map(literal, values))}))"
            return Expr(text, "truth", lambda s: self.maybe_not(no, among(one.value(s), values)))
        if shape == 4 and self.columns(source, "date"):
            one, day = self.column(source, "date"), self.rng.choice(DAYS)
            word = self.rng.choice(list(COMPARED))
            text = f"({one.text} {word} {literal(day)})"
            return Expr(text, "truth", lambda s: strict(COMPARED[word], one.value(s), day))
        if shape == 5 and self.columns(source, "truth"):
            return self.column(source, "truth")
        if shape in (8, 9):
            return self.inside(source)
        if shape in (10, 11):
            return self.beside(source)
        one, word = self.number(source), self.rng.choice(list(COMPARED))
        edge = self.rng.choice([-1, 0, 1, 2, 3])
        text = f"({one.text} {word} {edge})"
        return Expr(text, "truth", lambda s: strict(COMPARED[word], one.value(s), edge))

    @staticmethod
    def maybe_not(no, truth):
        return strict(operator.not_, truth) if no else truth

    def inside(self, source):
        """IN or EXISTS of a statement, which may speak of the row outside."""
        inner, no = self.table(), self.often(0.5)
        if self.often(0.5):
            inner = filtered(inner, self.equal(source, inner))
        elif self.often(0.5):
            inner = filtered(inner, self.where(inner, 0))
        kinds = [
            k for k in ("text", "number") if self.columns(source, k) and self.columns(inner, k)
        ]
        if not kinds or self.often(0.4):
            text = f"({'NOT ' * no}EXISTS (SELECT 1 FROM {inner.text}))"
            return Expr(text, "truth", lambda s: bool(inner.scopes(s)) is not no)
        kind = self.rng.choice(kinds)
        one, other = self.column(source, kind), self.column(inner, kind)
        text = f"({one.text} {'NOT ' * no}IN (SELECT {other.text} FROM {inner.text}))"
        return Expr(
            text,
            "truth",
            lambda s: self.maybe_not(
                no, among(one.value(s), [other.value(i) for i in inner.scopes(s)])
            ),
        )

    def beside(self, source):
        """A number beside the one number of another statement, which may speak of the row outside."""
        inner = self.table()
        if self.often(0.5):
            inner = filtered(inner, self.equal(source, inner))
        total, one = self.total(inner), self.number(source)
        word = self.rng.choice(list(COMPARED))
        text = f"({one.text} {word} (SELECT {total.text} FROM {inner.text}))"
        return Expr(
            text,
            "truth",
            lambda s: strict(COMPARED[word], one.value(s), total.value(inner.scopes(s))),
        )

    # totals

    def total(self, source):
        """A number of some rows together."""
        shape = self.rng.randrange(10)
        one = self.number(source)
        if shape <= 1:
            return Expr("COUNT(*)", "number", len)
        if shape == 2:
            name = self.rng.choice(list(source.columns))
            seen = lambda held: {s.cells[name] for s in held} - {None}  # noqa: E731
            return Expr(f"COUNT(DISTINCT {name})", "number", lambda held: len(seen(held)))
        if shape == 3:
            test = self.where(source, 0)
            text = f"COUNT(*) FILTER (WHERE {test.text})"
            return Expr(text, "number", lambda held: sum(test.value(s) is True for s in held))
        if shape == 4:
            test = self.where(source, 0)
            text = f"COALESCE(SUM(CASE WHEN {test.text} THEN 1 ELSE 0 END), 0)"
            return Expr(text, "number", lambda held: sum(test.value(s) is True for s in held))
        word, meaning = self.rng.choice(
            [("SUM", sum), ("SUM", sum), ("AVG", mean), ("MIN", min), ("MAX", max)]
        )

        def value(held):
            known = [v for v in (one.value(s) for s in held) if v is not None]
            return meaning(known) if known else None

        if not (self.safe or shape > 7):
            return Expr(f"{word}({one.text})", "number", value)
        told = lambda v: 0 if v is None else v  # noqa: E731
        return Expr(f"COALESCE({word}({one.text}), 0)", "number", lambda held: told(value(held)))

    def having(self, source):
        total, word = self.total(source), self.rng.choice(list(COMPARED))
        edge = self.rng.choice([0, 1, 2])
        text = f"{total.text} {word} {edge}"
        return Expr(text, "truth", lambda held: strict(COMPARED[word], total.value(held), edge))

    # statements

    def grouped(self, source, most_keys, kinds=("text", "truth", "date", "number")):
        known = self.columns(source, *kinds)
        names = self.rng.sample(known, min(len(known), self.rng.randint(0, most_keys)))
        keys = [Expr(n, source.columns[n], lambda s, n=n: s.cells[n]) for n in names]
        totals = [self.total(source) for _ in range(self.rng.randint(1, 2))]
        having = self.having(source) if keys and self.often(0.3) else None
        return grouped(source, keys, totals, having)

    def parts(self, source):
        """One to three expressions, a number among them."""
        names = self.rng.sample(list(source.columns), min(len(source.columns), 2))
        parts = [Expr(n, source.columns[n], lambda s, n=n: s.cells[n]) for n in names]
        return [*parts[: self.rng.randint(0, 2)], self.number(source)]

    def rows_of(self, depth):
        """A statement that returns rows, to be asked further."""
        source, shape = self.source(depth), self.rng.randrange(6)
        if shape == 0:
            return self.grouped(source, 2)
        if shape == 1:
            return projected(source, self.parts(source), distinct=True)
        if shape == 2:
            parts = self.parts(source)
            window, place = self.rng.choice(WINDOWS), self.rng.randrange(len(parts))
            return windowed(source, parts, window, place, len(parts) - 1)
        if shape == 3:
            select = projected(source, self.parts(source))
            falling = [self.often(0.5) for _ in select.columns]
            return limited(select, falling, self.rng.randint(1, 3), self.alias())
        if shape == 4:
            return self.combined(depth)
        return projected(source, self.parts(source))

    def combined(self, depth):
        one, other = (self.source(max(depth - 1, 0)) for _ in range(2))
        word = self.rng.choice(["UNION ALL", "UNION ALL", "UNION", "EXCEPT", "INTERSECT"])
        if self.columns(one, "text") and self.columns(other, "text") and self.often(0.6):
            return combined(
                word,
                projected(one, [self.column(one, "text"), self.number(one)]),
                projected(other, [self.column(other, "text"), self.number(other)]),
            )
        if self.often(0.5):
            return combined(
                word, grouped(one, [], [self.total(one)]), grouped(other, [], [self.total(other)])
            )
        return combined(
            word, projected(one, [self.number(one)]), projected(other, [self.number(other)])
        )

    def statement(self):
        """A whole statement."""
        shape = self.rng.randrange(8)
        if shape == 0 and not self.safe:
            return self.rows_of(2)
        if shape <= 2:
            name = f"c{next(self.numbers)}"
            made = self.rows_of(1)
            one = base(name, self.alias(), made.columns)
            if self.often(0.4):
                other = base(name, self.alias(), made.columns)
                one = joined(one, other, self.equal(one, other), self.often(0.4))
            return beforehand(name, made, self.answer(one))
        if shape == 3:
            return self.answer(derived(self.rows_of(2), self.alias()))
        return self.answer(self.source(2))

    def answer(self, source):
        return self.grouped(source, 2, ("text",) if self.safe else ("text", "truth", "date"))


def statement(seed, safe=False):
    """A random statement: its text, its columns, and what it means of tables of rows."""
    return Maker(seed, safe).statement()


def meaning(select, tables):
    """The rows that a statement returns of a dataset, by table."""
    return select.rows(Scope({**tables, "rates": PUBLIC}, {}))


def dataset(rng, most=5):
    """Random rows of each table."""
    return {
        name: [
            tuple(rng.choice(cells) for _, cells in columns.values())
            for _ in range(rng.randint(0, most))
        ]
        for name, columns in TABLES.items()
    }


def alike(rows):
    """Rows in one order, and cells in one form: sqlite has neither booleans nor dates."""

    def plain(cell):
        if isinstance(cell, datetime.date):
            return cell.isoformat()
        is_number = isinstance(cell, (int, float, Decimal, Fraction))
        return round(float(cell), 9) + 0.0 if is_number else cell

    return sorted((tuple(map(plain, row)) for row in rows), key=lowest_first)
