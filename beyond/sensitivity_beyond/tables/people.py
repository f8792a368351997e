"""Records that are people: each brings rows of their own to one table, or to several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations_with_replacement, pairwise
from math import comb
from typing import Any

import narwhals as nw
import numpy as np

from sensitivity_beyond.tables.asking import (
    TakenForPerson,
    asks_rows,
    grouping,
    predicate_of,
)
from sensitivity_beyond.tables.columns import uncut
from sensitivity_beyond.tables.counting import of_whom
from sensitivity_beyond.tables.frames import (
    Row,
    cells_of,
    is_table,
    pieces,
    rows_of,
    table,
    taken,
    with_own_cells,
)
from sensitivity_beyond.tables.order import (
    InOrders,
    Order,
    OrderMatters,
    another_order,
    called_on,
    seeded,
)
from sensitivity_beyond.tables.rows import Rows
from sensitivity_beyond.tables.source import (
    Stacked,
    Tables,
    TableSource,
    end_to_end,
    said_by_each,
)
from sensitivity_beyond.tables.truncation import Truncated, Truncation
from sensitivity_lab.numbers.errors import TooLarge
from sensitivity_lab.numbers.exact import brief, sequence, simplest
from sensitivity_lab.numbers.gap import are_near
from sensitivity_lab.problem import Problem
from sensitivity_lab.queries import Query
from sensitivity_lab.records import Positions, Source, hashed, in_whole_numbers, ordered
from sensitivity_lab.universe import Universe

MOST_PEOPLE = 1_000_000  # different people that are listed
MOST_BROUGHT = 10_000_000  # rows that they bring
FEW_OF = 24  # of 48 things or more there are over 10,000,000 choices of 24
PERSON = "person"  # the column that numbers anybody, where no id is given


class Persons(TableSource):
    """Records that are people, of whom functions receive all rows."""

    id: str  # the column that tells them apart
    bounds: tuple[Truncation, ...] = ()  # what they bring is bounded by
    natives: Tables  # of each table: its rows, or the kinds of them
    # and these person by person; and where in this order those of each begin
    order: dict[str | None, np.ndarray]
    starts: dict[str | None, np.ndarray]

    def rows_of(self, name: str | None, positions: Positions) -> tuple[np.ndarray, np.ndarray]:
        """How many rows of a table some people have, and which, person by person."""
        people, starts = np.asarray(positions, dtype=np.int64), self.starts[name]
        many = (starts[people + 1] - starts[people]).astype(np.intp)  # as a page must repeat
        begins = np.cumsum(many, dtype=np.int64) - many
        each = np.arange(many.sum(dtype=np.int64), dtype=np.int64)
        return many, self.order[name][np.repeat(starts[people] - begins, many) + each]

    def listed_once(self) -> tuple[Sequence[Any], Sequence[Sequence[int]] | None]:
        order, starts = self.order[None].tolist(), self.starts[None].tolist()
        places = [order[start:stop] for start, stop in pairwise(starts)]
        return rows_of(table(self.whole[None], "rows"), self.row_kind), places

    @property
    def row_kind(self) -> type[PersonsRow]:
        """How functions of a row are given one of a person's."""
        return NumberedRow if self.brings else PersonsRow

    def added(self, whole: np.ndarray, scale: int) -> Any:
        """What the rows of each person come to, of numbers of all rows over one denominator."""
        if len(whole) * max(map(abs, map(int, (whole.min(), whole.max())))) >= 2**62:
            whole = whole.astype(object)
        until = np.concatenate(
            [whole[:0], [0], np.cumsum(whole[self.order[None]], dtype=whole.dtype)]
        )
        sums = np.diff(until[self.starts[None]])
        if sums.dtype != object:
            if scale == 1:
                return sums
            again, over = in_whole_numbers(floats := sums / scale)
            if np.array_equal(again * (scale // over), sums):
                return floats  # each is what it is written as
        return [simplest(Fraction(int(n), scale)) for n in sums]

    def each(self, positions: Iterable[int]) -> Iterable[Any]:
        return (self.given([i]) for i in positions)

    def each_shuffled(self) -> Iterable[Any]:
        """Everybody alone, their rows in another order; None where there is none."""
        return (InOrders(self).shuffled([i]) for i in range(len(self)))

    def said(self, what: Any, asked: str = "of") -> Any:
        says = said_by_each(self, what, asked)
        for i, (answer, other) in enumerate(zip(says, self.each_shuffled(), strict=True)):
            if other is not None and not are_near(answer, again := called_on(what, other, asked)):
                raise OrderMatters(
                    f"{asked} must not depend on the order of a person's rows (sort them inside), "
                    f"got {brief(answer)} and, in another order, {brief(again)} of "
                    f"{brief(self.values[i])}"
                )
        return says

    def check(self, problem: Problem) -> None:
        """Refuse to ask rows of several tables, or to take a row for a person."""
        query = problem.query
        tables = [name for name in self.whole if name is not None]
        if tables and asks_rows(query):
            raise ValueError(
                f"query {query.name} is asked of the rows of one table, got several tables, "
                f"{', '.join(tables)}: ask of a function of a person, which gets them all, as in "
                f"SUM.of(lambda person: len(person[{tables[0]!r}]))"
            )
        by_group = grouping(query)
        predicate = predicate_of(by_group.query if by_group else query)
        for function, asked in ((by_group and by_group.by_what, "by"), (predicate, "predicate")):
            if callable(function):
                self._check_of_a_row(function, asked)
        if by_group is not None:
            what, by = uncut(by_group.of_what), by_group.by_what
            if self.brings and self.id in (what, by, *getattr(by, "names", ())):
                raise ValueError(f"by and of must name columns of a row: {_numbers(self.id)}")
            if what is not None and not isinstance(what, str):
                raise TypeError(
                    f"of must name a column where people are asked by group, got {brief(what)}: a "
                    "person's rows may be in several groups"
                )
        super().check(problem)

    def _check_of_a_row(self, function: Any, what: str) -> None:
        """Refuse a function that takes the first row for a person; it may fail in other ways."""
        first = next(iter(self.whole.values()))
        try:
            for row in rows_of(table(first, what)[:1], self.row_kind):
                function(row)
        except TakenForPerson as error:
            raise TypeError(f"{what} is a function of a row here: {error}") from None
        except Exception:  # said where a dataset has such a row
            return

    def asked_of(self, query: Query) -> str:
        return of_whom(query)

    def written(self, kind: str, inside: str, name: str) -> str:
        id = f", id={self.id!r}" if not self.brings or self.id != PERSON else ""
        return super().written("people", inside + id, name) + "".join(map(str, self.bounds))


class People(Persons):
    """The people named in some tables; functions receive all rows of a dataset's people."""

    def __init__(self, source: Any, id: str, bounds: tuple[Truncation, ...] = ()) -> None:
        """Hold everybody whose id stands in a table."""
        self.bounds = bounds
        given = dict(source) if isinstance(source, Mapping) else {None: source}
        if not given:
            raise ValueError("tables must be at least one, got none")
        frames = {name: table(one, _called(name), of_rows=True) for name, one in given.items()}
        ids = {name: _ids(one, id, _called(name)) for name, one in frames.items()}
        people = ordered(dict.fromkeys(person for column in ids.values() for person in column))
        if not people:
            raise ValueError("tables must not be empty, got no row")
        self.values, self.counts, self.id = people, np.ones(len(people), dtype=np.intp), id
        own = {name: with_own_cells(one.clone()) for name, one in frames.items()}
        self.natives = {name: one.to_native() for name, one in own.items()}
        self.order, self.starts = {}, {}
        for name, column in ids.items():
            whose = np.array([*map(self.position_of.__getitem__, column)], dtype=np.int64)
            self.order[name] = np.argsort(whose, kind="stable")
            many = np.bincount(whose, minlength=len(people))
            self.starts[name] = np.cumsum([0, *many], dtype=np.int64)

    def truncated(self, bound: Truncation) -> People:
        """The same people, with a bound on what they bring."""
        if None not in self.natives:
            several = ", ".join(map(str, self.natives))
            raise ValueError(f"bounds are of one table, got {several}: bound and `apply` each")
        bounded = bounded_table(self.natives[None], self.id, (bound,))
        return type(self)(bounded.table, self.id, (*self.bounds, bound))

    @property
    def content(self) -> Any:
        return self.id, super().content

    def given(self, positions: Positions) -> Any:
        tables = self.tables(positions)
        return tables[None] if set(tables) == {None} else tables

    def tables(self, positions: Positions) -> Tables:
        """All rows of some people, person by person, table by table."""
        return {
            name: taken(native, self.rows_of(name, positions)[1])
            for name, native in self.natives.items()
        }

    def each(self, positions: Iterable[int]) -> Iterable[Any]:
        people = list(positions)
        return self._one_by_one(self.tables(people), people)

    def each_shuffled(self) -> Iterable[Any]:
        everybody = range(len(self))
        many = [np.diff(starts).tolist() for starts in self.starts.values()]
        drawn: list[list[Order | None]] = []  # as `InOrders` draws for each alone
        for i, lengths in enumerate(zip(*many, strict=True)):
            rng = seeded([i])
            drawn.append([another_order(tuple(range(n)), rng) for n in lengths])
        placed = {}
        for i, (name, one) in enumerate(self.tables(everybody).items()):
            order = [drawn[who][i] or range(n) for who, n in enumerate(many[i])]
            rows = np.array([*chain.from_iterable(order)], dtype=np.int64)
            placed[name] = taken(one, rows + np.repeat(self.starts[name][:-1], many[i]))
        alone = self._one_by_one(placed, everybody)
        return (one if any(ways) else None for one, ways in zip(alone, drawn, strict=True))

    def _one_by_one(self, tables: Tables, people: Sequence[int]) -> Iterable[Any]:
        """Tables of all rows of some people, person by person, as one after the other has them."""
        cut = [pieces(one, self.rows_of(name, people)[0]) for name, one in tables.items()]
        each = (dict(zip(tables, held, strict=True)) for held in zip(*cut, strict=True))
        return (one[None] if set(one) == {None} else one for one in each)

    @property
    def whole(self) -> Tables:
        return self.natives

    def stacked(self, datasets: Sequence[Positions]) -> dict[str | None, Stacked]:
        positions, numbers = end_to_end(datasets)
        return {
            name: (np.repeat(numbers, self.rows_of(name, positions)[0]), one)
            for name, one in self.tables(positions).items()
        }

    def listed(self, dataset: Any, what: str) -> Iterable[Any]:
        """Who stands in a caller's tables, each with all their rows; or a list of ids."""
        if not (is_table(dataset) or isinstance(dataset, Mapping)):
            return super().listed(dataset, what)
        given = dict(dataset) if isinstance(dataset, Mapping) else {None: dataset}
        if set(given) != set(self.natives):
            raise ValueError(
                f"{what} must have the tables {', '.join(map(str, self.natives))}, "
                f"got {', '.join(map(str, given))}"
            )
        frames = {name: table(one, what, of_rows=True) for name, one in given.items()}
        ids = {name: _ids(one, self.id, what) for name, one in frames.items()}
        people = list(dict.fromkeys(chain(*ids.values())))
        known = [person for person in people if person in self.position_of]
        at = {person: i for i, person in enumerate(known)}
        for name, ours in self.tables([*map(self.position_of.__getitem__, known)]).items():
            places = np.array([at.get(person, -1) for person in ids[name]], dtype=np.int64)
            order = np.argsort(places, kind="stable")[np.count_nonzero(places < 0) :]
            if not _are_alike(table(ours, what), frames[name][order.tolist()]):
                raise ValueError(
                    f"{what} must hold all rows of each of its people, and no others, in "
                    f"{_called(name)}{': apply the bounds to it' if self.bounds else ''}"
                )
        return people


class AnyPeople(Persons):
    """Any people who bring from so many to so many rows each;
    functions receive one table of all rows."""

    order_shows = True  # people are numbered as they come

    def __init__(
        self,
        rows: Rows,
        most_rows: int,
        least_rows: int,
        id: str = PERSON,
        only: Sequence[tuple[int, ...]] | None = None,
    ) -> None:
        """Hold everybody who may be: each brings any of the rows, so many; or `only` some, told
        by the positions of their rows."""
        if id in rows.columns:
            raise ValueError(
                f"rows must not have a column {id!r}, which numbers people: "
                f"people(rows, id={id!r}).truncated(rows=2) bounds those of a table"
            )
        self.kinds, self.sizes, self.id = rows, (least_rows, most_rows), id
        people = brought = 0
        for n in range(least_rows, most_rows + 1):
            few = min(FEW_OF, n, len(rows.values) - 1)
            people += (more := comb(len(rows.values) + n - 1, few))
            brought += n * more
            given = f"{len(rows.values):,} rows and most_rows={most_rows}"
            if people > MOST_PEOPLE:
                raise TooLarge(f"people must be at most {MOST_PEOPLE:,}, got more from {given}")
            if brought > MOST_BROUGHT:
                raise TooLarge(
                    f"people must bring at most {MOST_BROUGHT:,} rows, got more from {given}: a "
                    "smaller most_rows, or the ends of what a row can be, may be enough"
                )
        self.counts = np.ones(people if only is None else len(only), dtype=np.intp)
        self.only = only

    @cached_property
    def natives(self) -> Tables:  # type: ignore[override]
        return {None: self.kinds.given(range(len(self.kinds.values)))}

    @cached_property
    def _brought(self) -> tuple[np.ndarray, np.ndarray]:
        """The rows of everybody, person by person, and where those of each begin."""
        kinds, (least, most) = range(len(self.kinds.values)), self.sizes
        mixes = (combinations_with_replacement(kinds, n) for n in range(least, most + 1))
        people = list(chain.from_iterable(mixes)) if self.only is None else self.only
        order = np.fromiter(chain.from_iterable(people), dtype=np.int64)
        return order, np.cumsum([0, *map(len, people)], dtype=np.int64)

    @property
    def order(self) -> dict[str | None, np.ndarray]:  # type: ignore[override]
        return {None: self._brought[0]}

    @property
    def starts(self) -> dict[str | None, np.ndarray]:  # type: ignore[override]
        return {None: self._brought[1]}

    @cached_property
    def values(self) -> tuple[Hashable, ...]:
        order, starts = (each.tolist() for each in self._brought)
        rows = [*map(self.kinds.values.__getitem__, order)]
        return tuple(tuple(rows[start:stop]) for start, stop in pairwise(starts))

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.sizes, len(self.counts)))

    def truncated(self, bound: Truncation) -> AnyPeople:
        """Whoever is left: any mix of so many rows again, or some of these."""
        said, here = dict(bound.steps), bound
        any_mix = self.brings_any and "groups" not in said
        if (any_mix or not self.sizes[0]) and bound.keep not in self.kinds.columns:
            here = replace(bound, keep=None)  # the same are left, whichever rows come first
        here.check(self.kinds.columns, None)
        kinds = Rows(bound.cut(self.kinds.frame).to_native(), "rows")
        least, most = (min(n, said.get("rows", n)) for n in self.sizes)
        left = type(self)(kinds, most, least, self.id) if any_mix else self._left(here, kinds)
        left.bounds = (*self.bounds, bound)
        return left

    def _left(self, bound: Truncation, kinds: Rows) -> AnyPeople:
        """Whoever is left of everybody, each bounded; of these kinds of rows."""
        bounded = bounded_table(self.given(range(len(self.counts))), self.id, (bound,)).table
        brought: list[list[int]] = [[] for _ in self.counts]
        for number, *row in rows_of(table(bounded, "table")):
            brought[number].append(kinds.position_of[Row(row, kinds.columns)])
        different = {tuple(sorted(rows)) for rows in brought}
        people = sorted(different, key=lambda rows: (len(rows), rows))
        sizes = len(people[-1]), len(people[0])
        left = type(self)(kinds, *sizes, self.id)
        if len(people) < len(left.counts):
            left = type(self)(kinds, *sizes, self.id, people)
            left.brings_any = False
        return left

    @property
    def brings(self) -> tuple[Source, tuple[int, int]]:
        return self.kinds, self.sizes

    @property
    def content(self) -> Any:
        return self.id, self.sizes, self.kinds.content, None if self.brings_any else self.values

    def given(self, positions: Positions) -> Any:
        many, rows = self.rows_of(None, positions)
        return self._numbered(rows, np.repeat(np.arange(len(many), dtype=np.int64), many))

    def listed(self, dataset: Any, what: str) -> Iterable[Any]:
        """The people of a caller's table, or a list of tuples of rows."""
        if not is_table(dataset):
            everybody = super().listed(dataset, what)
            return [self._in_order(sequence(person, "person", "rows")) for person in everybody]
        frame = table(dataset, what, of_rows=True)
        people: dict[Any, list[Row]] = {}
        ids, rows = _ids(frame, self.id, what), rows_of(frame.drop(self.id))
        for person, row in zip(ids, rows, strict=True):
            people.setdefault(person, []).append(row)
        return list(map(self._in_order, people.values()))

    def _in_order(self, rows: Iterable[Any]) -> tuple[Any, ...]:
        """A person's rows in the order of the universe's; strangers first."""
        at = self.kinds.position_of
        return tuple(sorted(rows, key=lambda row: at.get(hashed(row, "row"), -1)))

    @cached_property
    def whole(self) -> Tables:
        kinds = range(len(self.kinds.values))
        return {None: self._numbered(kinds, [0] * len(kinds))}

    def stacked(self, datasets: Sequence[Positions]) -> dict[str | None, Stacked]:
        positions, numbers = end_to_end(datasets)
        many, rows = self.rows_of(None, positions)
        whose = np.arange(len(numbers), dtype=np.int64) - np.searchsorted(numbers, numbers)
        return {None: (np.repeat(numbers, many), self._numbered(rows, np.repeat(whose, many)))}

    def _numbered(self, rows: Sequence[int] | np.ndarray, numbers: Any) -> Any:
        """Some kinds of rows, with the number of each one's person in front."""
        brought = nw.from_native(self.kinds.given(rows), eager_only=True)
        column = nw.new_series(self.id, numbers, nw.Int64, backend=brought.implementation)
        return brought.with_columns(column).select(self.id, *brought.columns).to_native()


class PersonsRow(Row):
    """A row of a person, as a function of a row is given it, without a length."""

    def __len__(self) -> int:
        raise TakenForPerson(
            "len of a row does not count a person's rows: ask of a person, "
            "as in SUM.of(lambda person: int(len(person) > 3))"
        )


class NumberedRow(PersonsRow):
    """A row of anybody, whose number says nothing of the row."""

    def __getitem__(self, key: Any) -> Any:
        if key in (0, self.columns[0]):
            raise KeyError(_numbers(self.columns[0]))
        return super().__getitem__(key)


@dataclass(frozen=True)
class OfOneRow:
    """A function of a row, asked of a row of a universe's people."""

    function: Any
    kind: type[PersonsRow]
    id: str = ""  # of anybody, whose rows may come without a number

    def __call__(self, row: Row) -> Any:
        """What it says of a row."""
        if type(row) is not self.kind:
            number = () if self.id in ("", *row.columns) else (self.id,)
            row = self.kind((*number, *row), (*number, *row.columns))
        return self.function(row)


def people_or_none(universe: Universe) -> Persons | None:
    """The people of a universe; None where its records are others."""
    return universe.source if isinstance(universe.source, Persons) else None


def people_in(universe: Universe) -> Any:
    """The people of a universe, or a refusal of one that holds none."""
    if (people := people_or_none(universe)) is None:
        raise TypeError(f"universe must hold people, Universe.people(...), got {universe}")
    return people


def bounded_table(source: Any, id: str, bounds: Iterable[Truncation]) -> Truncated:
    """A table with what each person brings bounded."""
    frame, costs = table(source, "table", of_rows=True), []
    ids = _ids(frame, id, "table")
    code_of = {person: i for i, person in enumerate(dict.fromkeys(ids))}
    people = np.array([code_of[person] for person in ids], dtype=np.int64)
    for bound in bounds:
        bound.check(frame.columns, id)
        frame, people, lost = bound.bounded(frame, people)
        costs += lost
    gaps = {column.name: int(column.null_count()) for column in frame.iter_columns()}
    return Truncated(frame.to_native(), len(ids), len(code_of), costs, gaps)


def _are_alike(one: nw.DataFrame[Any], other: nw.DataFrame[Any]) -> bool:
    """Whether two tables have the same columns, and the same rows in any order."""
    if [*map(str, one.columns)] != [*map(str, other.columns)] or len(one) != len(other):
        return False
    # mostly in the same order: a tenth of the time
    in_order = all(map(_are_equal, one.iter_columns(), other.iter_columns()))
    return in_order or Counter(rows_of(one)) == Counter(rows_of(other))


def _are_equal(one: nw.Series[Any], other: nw.Series[Any]) -> bool:
    """Whether two columns have the same cells in the same order."""
    plain = one.dtype == other.dtype and (one.dtype.is_integer() or one.dtype.is_float())
    if plain and not one.null_count():
        return np.array_equal(one.to_numpy(), other.to_numpy(), equal_nan=True)
    return cells_of(one) == cells_of(other)


def _numbers(id: str) -> str:
    return f"{id!r} numbers the people of a dataset: no row has a number"


def _called(name: str | None) -> str:
    return "table" if name is None else f"table {name}"


def _ids(frame: nw.DataFrame[Any], id: str, what: str) -> list[Any]:
    """The ids of a table's rows."""
    if id not in frame.columns:
        columns = ", ".join(map(str, frame.columns))
        raise ValueError(f"{what} must have the id's column {id!r}, got the columns {columns}")
    column = cells_of(frame[id])
    if None in column:
        row = column.index(None)
        raise ValueError(f"{what} must have an id in every row, got none in row {row}")
    return column
