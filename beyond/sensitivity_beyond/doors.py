"""What the package's classes gain where this distribution is installed:
the methods that load from here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sensitivity_beyond.tables import asking
from sensitivity_beyond.tables import people as persons
from sensitivity_beyond.tables.columns import Clipped, Columns, Filled, There
from sensitivity_beyond.tables.frames import is_table
from sensitivity_beyond.tables.python import (
    Snippet,
    cells_of,
    comment,
    own_numbers,
    python_of,
    runnable,
    source_of,
)
from sensitivity_beyond.tables.rows import Rows, all_rows
from sensitivity_beyond.tables.shown import marked_witness
from sensitivity_beyond.tables.to_json import Travels
from sensitivity_beyond.tables.truncation import Truncated, Truncation
from sensitivity_lab.catalogue import SUM, count_where
from sensitivity_lab.numbers import exact
from sensitivity_lab.numbers.text import number_repr
from sensitivity_lab.queries import Query
from sensitivity_lab.records import hashed
from sensitivity_lab.universe import Universe


class OfQuery:
    """Of a `Query`: what of each record it is asked of, and by group."""

    @exact.by_name
    def of(self: Any, what: str | Callable[[Any], Any], *, missing: Any = None) -> Query:
        """Return this query asked of a number that each record has: a column, or a function of it.

        >>> from sensitivity_lab import MEAN, SUM
        >>> SUM.of(len)(("no", "yes")), MEAN.of("salary").name
        (5, 'mean of salary')

        In a row a missing cell is None, whatever its table writes. `missing` is the number that it
        counts as, or None that the function returns; a COUNT of a column counts what is there, as
        SQL does:

        >>> MEAN.of(lambda word: len(word) or None, missing=9)(("no", ""))
        Fraction(11, 2)

        Over a universe it is the query itself over the numbers, so solvers and closed forms serve
        it. Over people a function gets all rows of a person, and a column is that of all people's
        rows together; a query that takes missing records gets None where a cell is null.
        Raises TypeError for what is neither text nor a function, and a `missing` that is no number,
        ValueError for a query that is asked of something already.
        Source: thm-image, and over people thm-people-rows, on the book's page of proofs.
        """
        words = f"of {asking.name_asked(what, 'of')}"
        if asking.inner(self) is not None:
            raise ValueError(f"query {self.name} is asked of something already")
        asking.require_whole(self, "of")
        if self.proved is not None and self.proved.adds == "one":
            if missing is not None:
                raise ValueError(
                    f"missing must be left out of a count, got missing={exact.brief(missing)}: "
                    "COUNT.of('pay') counts what is there, COUNT all"
                )
            there = There(what, 0)
            counts = replace(asking.asked_of(SUM, there, words), name=f"{self.name} {words}")
            return replace(counts, proved=count_where(there).proved)
        if missing is None:
            return asking.asked_of(self, what, words)
        filled = Filled(what, exact.exact_number(missing, "missing"))
        return asking.asked_of(self, filled, f"{words} (missing: {number_repr(missing)})")

    @exact.by_name
    def clipped(self: Any, low: Any, high: Any) -> Query:
        """Return this query asked of numbers that are cut to [low, high].

        >>> from sensitivity_lab import SUM
        >>> SUM.clipped(0, 100)((5, 300)), SUM.of("salary").clipped(0, 100).name
        (105, 'sum of salary clipped to [0, 100]')

        Raises ValueError for bounds that fall.
        """
        ends = exact.checked_bounds((low, high))
        asking.require_whole(self, "clipped")
        query = asking.inner(self) or self
        if isinstance(asking.of_what(self), There):
            raise ValueError(f"query {self.name} counts what is there: no number of it is cut")
        words = f"clipped to [{number_repr(low)}, {number_repr(high)}]"
        before = self.name.removeprefix(query.name).strip()
        clipped = Clipped(asking.of_what(self), *ends)
        return asking.asked_of(query, clipped, f"{before} {words}".strip())

    @exact.by_name
    def by(
        self: Any,
        column: str | Sequence[str] | Callable[[Any], Any],
        *,
        keys: Iterable[Any] | None = None,
    ) -> Query:
        """Return this query by group: a column, a list of them or a function of a record names it.

        >>> from sensitivity_lab import COUNT, SUM
        >>> counts = COUNT.by(len)(("no", "yes", "on"))
        >>> counts, counts.labels, SUM.of("salary").by("department").name
        ((2, 1), (2, 3), 'sum of salary by department')

        The answer has a number for each group that has records enough for the query. With `keys`
        it has just these, sorted: a group without records has 0, and records of other groups
        are left out. Counts and sums are solved at any size, of rows and of people; of one
        dataset of rows every exact standard query is; the others are enumerated.
        Raises TypeError for what is neither text nor a function, ValueError for a query that is by
        group already, and for keys that come twice.
        Source: thm-grouped-sum, thm-people-vectors and thm-grouped-local, on the page of proofs.
        """
        several: tuple[str, ...] = ()
        if isinstance(column, (list, tuple)) and set(map(type, column)) == {str}:
            several = tuple(column)
        names = ", ".join(several) or asking.name_asked(column, "by")
        if len(several) == 1:
            (column,), several = several, ()
        asking.require_whole(self, "by")
        if isinstance(keys, Mapping) or is_table(keys):
            got = exact.brief(keys)
            raise TypeError(f"keys must be a list of them, got {got}: its keys or columns?")
        known = None if keys is None else exact.sequence(keys, "keys", "keys")
        for key in known or ():
            hashed(key, "keys")
            if several and not (type(key) is tuple and len(key) == len(several)):
                raise ValueError(f"keys must be tuples of {names}, got {exact.brief(key)}")
        if known is not None and len(set(known)) < len(known):
            raise ValueError(f"keys must be different, got {number_repr(list(known))}")
        by = Columns(several) if several else column
        grouping = asking.Grouping(asking.inner(self) or self, asking.of_what(self), by, known)
        return Query(f"{self.name} by {names}", grouping, 0)


class OfUniverse:
    """Of a `Universe`: rows, and the people who bring them."""

    @classmethod
    @exact.by_name
    def product(cls: Any, *, name: str | None = None, **columns: Iterable[Any]) -> Universe:
        """Return the universe of all rows that combine some values: copies never run out.

        >>> anyone = Universe.product(department=["law", "art"], salary=[0, 50])
        >>> anyone.distinct
        4
        >>> next(anyone.datasets(size=2))
          department  salary
        0        art       0
        1        art       0

        Functions receive a pandas DataFrame. A column that is called `name` cannot be given so:
        make the table and pass it to `value_range`.
        Raises ValueError for a column without values, TypeError for what is no list.
        """
        made: Universe = cls.value_range(all_rows(columns), name=name)
        return made

    @classmethod
    @exact.by_name
    def people(
        cls: Any,
        tables: Any,
        *,
        id: str | None = None,
        most_rows: int | None = None,
        least_rows: int = 0,
        name: str | None = None,
    ) -> Universe:
        """Return the universe of people: a record is a person with all their rows.

        >>> import pandas as pd
        >>> orders = pd.DataFrame({"customer": ["b", "a", "b"], "price": [3, 5, 4]})
        >>> buyers = Universe.people(orders, id="customer")
        >>> buyers, buyers.count(size=1)
        (Universe.people(['a', 'b'], id='customer'), 2)
        >>> anybody = Universe.people(Universe.product(price=[0, 9]), most_rows=2)
        >>> anybody.distinct
        6

        With an `id` alone, the people named in a table, or in any of a dict; functions receive all
        rows of the dataset's people, as the tables are. With `most_rows`, any people who bring at
        most so many rows of a universe of rows each, at least `least_rows`; the column `id`, or
        `person`, numbers them. A query that needs a row, as a mean does, needs a `least_rows`.
        `SymmetricDifference(1)` is one person who joins or leaves with everything they have.

        Raises TypeError for what is no table, ValueError for one without an id in every row.
        """
        if not isinstance(id, str | None):
            raise TypeError(f"id must be the name of a column, got {exact.brief(id)}")
        least = exact.whole_number(least_rows, "least_rows", 0)
        if most_rows is None:
            if id is None:
                raise ValueError("give id, of people in a table, or most_rows, of anybody")
            if least:
                raise ValueError(f"least_rows must be 0 where people have ids, got {least}")
            return Universe(persons.People(tables, id), False, name)
        given = tables.source if isinstance(tables, Universe) else tables
        rows = given if isinstance(given, Rows) else Rows(given, "rows")
        most = exact.whole_number(most_rows, "most_rows", 0)
        if least > most:
            raise ValueError(f"least_rows must be at most most_rows, got {least} and {most}")
        anybody = persons.AnyPeople(rows, most, least, id or persons.PERSON)
        return Universe(anybody, True, name)

    @exact.by_name
    def truncated(self: Any, *, keep: str | None = None, **bounds: Any) -> Universe:
        """Return the same people with bounds on what each brings, applied in the order written.

        >>> import pandas as pd
        >>> orders = pd.DataFrame({"customer": ["b", "a", "b"], "price": [3, 5, 400]})
        >>> buyers = Universe.people(orders, id="customer")
        >>> buyers.truncated(clip={"price": (0, 100)}, rows=1).given([1])
          customer  price
        0        b      3
        >>> Universe.people(Universe.product(price=[0, 9]), most_rows=5).truncated(rows=2).distinct
        6

        :param rows: how many rows a person keeps: `rows=2`.
        :param groups: of how many groups of a column all rows stay: `groups=("shop", 1)`.
        :param clip: to which bounds a column's numbers are cut: `clip={"price": (0, 100)}`.
        :param keep: the column by which a person's rows come first, and so the groups that these
            are of. Where it does not tell two rows apart the others do, from left to right; what is
            missing comes last. Of people who may bring none it may be a real table's alone.

        Whoever had a row keeps one. Any people (`most_rows`) become whoever the bounds can leave:
        after `rows` and `clip` any mix of so many rows again, which solvers serve as before.
        Cost: O(N log N) for N rows. Raises TypeError for other bounds, a universe without people,
        cells without the order that is needed, ValueError for other columns and several tables.
        Source: thm-people-keep in the book's lookup *People, in detail*.
        """
        bounded = persons.people_in(self).truncated(Truncation.of(bounds, keep))
        return Universe(bounded, self.unlimited, self.name)

    @exact.by_name
    def apply(self: Any, table: Any, *, id: str | None = None) -> Truncated:
        """Return a table of people's rows with this universe's bounds, and what they cost.

        >>> import pandas as pd
        >>> orders = pd.DataFrame({"customer": ["b", "a", "b"], "price": [3, 5, 400]})
        >>> anybody = Universe.people(Universe.product(price=[0, 9]), most_rows=2)
        >>> anybody.truncated(rows=1).apply(orders, id="customer").table["price"].tolist()
        [3, 5]

        `id` tells people apart, if not this universe's. Each is bounded alone: neighbours stay so.
        Cost and errors: as `truncated`.
        """
        people = persons.people_in(self)
        return persons.bounded_table(table, id or people.id, people.bounds)

    @property
    def holds_people(self: Any) -> bool:
        """Whether a record is a person, who may bring several rows."""
        return persons.people_or_none(self) is not None


OfResult = Travels  # of results: how they are written as JSON


class OfSensitivity:
    """Of a `Sensitivity`: its witness as Python."""

    def snippet(self: Any) -> Snippet:
        """Return Python that shows the witness, to paste in a bug report.

        >>> from sensitivity_lab import MEAN, Change, global_sensitivity
        >>> school = Universe.population([1, 2, 3, 10])
        >>> global_sensitivity(MEAN, school, size=3, relation=Change(1)).snippet()
        import sensitivity_lab as sl
        query = sl.MEAN
        dataset = (1, 2, 3)
        neighbour = (2, 3, 10)  # at most 1 record changed
        assert sl.Change(1).are_neighbours(dataset, neighbour)
        print(query(dataset), query(neighbour))  # 3 apart

        Standard queries are imported; your own function, relation or kind of number you define
        where a comment says so. Tables are made in the library that yours are of (polars and
        pyarrow find the types themselves); of people, a comment says who leaves and who joins.
        Cost: the text of both datasets. Errors: as `check`.
        """
        dataset, neighbour = self.witness
        query, relation = python_of(self.query), self.relation
        of_people = self.universe.holds_people
        people = marked_witness(self.universe, self.witness).who if of_people else ()
        ours = type(relation).__module__ == "sensitivity_lab.relations"  # else a caller's own
        asked = f"{'sl.' * ours}{relation}.are_neighbours(dataset, neighbour)"
        lines = [
            *own_numbers((*cells_of(dataset), *cells_of(neighbour))),
            "import sensitivity_lab as sl",
            f"query = {query}" if query else comment(f"define query here: {self.query.name}"),
            *([] if ours else [f"# define {type(relation).__name__} here"]),
            f"dataset = {source_of(dataset)}",
            f"neighbour = {source_of(neighbour)}  # {relation.description}",
            *(list(map(comment, people)) or [f"assert {asked}"]),
            f"print(query(dataset), query(neighbour))  {comment(self.value)} apart",
        ]
        return runnable(lines)
