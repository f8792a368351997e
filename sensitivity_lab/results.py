"""A sensitivity with the two datasets that attain it, and how it is shown."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np

from sensitivity_lab.errors import TooLarge
from sensitivity_lab.exact import RootGap, simplest
from sensitivity_lab.gap import Labelled, gap_between, keys_that_differ
from sensitivity_lab.methods.image import Members, has_image
from sensitivity_lab.problem import Problem, Size
from sensitivity_lab.proved.worst_pair import AtPositions, WorstPair
from sensitivity_lab.queries import Query, answers_at, in_order
from sensitivity_lab.relations import STANDARD, Change, Relation
from sensitivity_lab.standard import python_of
from sensitivity_lab.tabular.clipped import number_of
from sensitivity_lab.tabular.records import Records
from sensitivity_lab.tabular.rows import is_table, own_copy, rows_of, table
from sensitivity_lab.tabular.shown import Marked, marked
from sensitivity_lab.tabular.source import source_of
from sensitivity_lab.text import cell_text, dataset_text, number_repr, value_text
from sensitivity_lab.universe import Dataset, Universe

LONGEST_HELD = 1000  # records; a solver's larger datasets are built only when asked for
LONGEST_BUILT = 20_000_000  # records; larger ones are not built
LONGEST_ASKED = 100_000  # records; a card does not ask for the answers on longer tables
MOST_KEYS = 10  # keys of an answer that a card shows
SIDES = ("dataset", "neighbour")


class CompactWitness(Sequence[Dataset]):
    """A dataset and its neighbour, held as what they share, what left and what joined.

    >>> from sensitivity_lab import SUM, Change, global_sensitivity
    >>> numbers = Universe.population(range(5000))
    >>> found = global_sensitivity(SUM, numbers, size=2000, relation=Change(1), method="solver")
    >>> found.witness
    <2,000 records; removed (4999,), added (0,)>
    >>> len(found.witness.common), found.witness.removed, found.witness.added
    (1999, (4999,), (0,))

    Of tables, the rows that leave and join are marked:

    >>> import pandas as pd
    >>> rows = pd.DataFrame({"subject": ["law", "art", "art"], "mark": [1, 2, 9]})
    >>> ask = {"size": 2, "relation": Change(1)}
    >>> global_sensitivity(SUM.of("mark"), Universe.population(rows), **ask).witness
    <2 records: 1 leaves, 1 joins>
       subject  mark
    -  law         1
    +  art         9
       art         2

    It unpacks to the two datasets like the tuple that small results have, and equals that tuple
    unless they are tables; they are built when they are first asked for. `common`, `removed` and `added` are sorted tuples
    of records, or tables as those of the universe. Raises ValueError where one of more than
    20,000,000 records would have to be built.
    """

    def __init__(self, found: WorstPair) -> None:
        self._found = found

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._found,)

    @cached_property
    def _pair(self) -> tuple[Dataset, Dataset]:
        self._require_short(self._found.size)
        return self._found.pair()

    @property
    def size(self) -> int:
        """How many records the larger of the two has; neither is built."""
        return self._found.size

    def _require_short(self, size: int) -> None:
        if size > LONGEST_BUILT:
            raise TooLarge(
                f"a witness is built up to {LONGEST_BUILT:,} records, got {size:,}; "
                "its `removed` and `added` show how the two datasets differ"
            )

    @cached_property
    def common(self) -> Dataset:
        """The records that are in both. Cost: O(n log n) for n records, once."""
        self._require_short(self._found.records.count(self._found.common))
        return self._found.records.dataset(self._found.common)

    @cached_property
    def removed(self) -> Dataset:
        """The records that leave the dataset."""
        return self._found.records.dataset(self._found.removed)

    @cached_property
    def added(self) -> Dataset:
        """The records that join it."""
        return self._found.records.dataset(self._found.added)

    @property
    def positions(self) -> list[list[int]]:
        """Where the records of the two stand among the values of a universe of tables."""
        records: Any = self._found.records
        return [records.positions(side) for side in self._found.sides()]

    def __len__(self) -> int:
        return 2

    def __getitem__(self, side: Any) -> Any:
        return self._pair[side]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, CompactWitness):
            return self._content == other._content
        if self._has_tables or not isinstance(other, Sequence):
            return False  # tables are no values that could be compared
        return self._content == tuple(other)

    def __hash__(self) -> int:
        return hash(self._content)

    @cached_property
    def _content(self) -> tuple[Any, Any]:
        """The two datasets; of tables, or too long to build, their values with numbers of copies."""
        found = self._found
        if found.size <= LONGEST_BUILT and not self._has_tables:
            return self._pair
        dataset, neighbour = map(found.records.multiset, found.sides())
        return dataset, neighbour

    @property
    def _universe(self) -> Universe | None:
        """The universe of the two datasets, where it is known."""
        records = self._found.records
        return records.universe if isinstance(records, (AtPositions, Members)) else None

    @property
    def _has_tables(self) -> bool:
        return self._universe is not None and self._universe.tabular

    def _parts(self) -> tuple[list[Any], list[int]]:
        """What both share, what leaves and what joins, and how many records each has.

        What is shared is None where it is too long to be built.
        """
        found = self._found
        sides = (found.common, found.removed, found.added)
        counts = list(map(found.records.count, sides))
        common = self.common if counts[0] <= LONGEST_BUILT else None
        return [common, self.removed, self.added], counts

    def _repr_html_(self) -> str | None:
        if self._universe is None or self._universe.numeric:
            return None  # shown by its repr
        return marked_witness(self._universe, self).html(SIDES)

    def __repr__(self) -> str:
        if self._universe is not None and self._universe.tabular:
            shown = marked_witness(self._universe, self)
            return f"<{shown.summary}>\n{shown.text()}"
        removed, added = number_repr(self.removed), number_repr(self.added)
        return f"<{self._found.size:,} records; removed {removed}, added {added}>"


@dataclass(frozen=True)
class Sensitivity:
    """The largest distance between a query's answers on neighbouring datasets, with a witness.

    >>> from sensitivity_lab import MEAN, Change, global_sensitivity
    >>> school = Universe.population([1, 2, 3, 10])
    >>> global_sensitivity(MEAN, school, size=3, relation=Change(1))
    Sensitivity(value=3, witness=((1, 2, 3), (2, 3, 10)), method='sweep', query='mean',
        relation=Change(1))

    `value` is exact (int or Fraction) where the query is rational, a correctly rounded float
    for standard deviations and norm 2, a callable's own arithmetic else. `witness` is a pair
    (dataset, neighbour) that attains it: the first in lexicographic order, if it was found by
    enumeration. `datasets` counts the datasets that were answered; `infeasible` names the
    directions that no dataset can take, `not_asked` those that lead to the empty dataset where a
    function fails on it: the value does not speak of them. Two results are equal where all of these
    are; a result can be pickled where its query can.

    Source: def-global-sensitivity and def-witness in the book's chapter "By hand".
    """

    value: Any
    witness: tuple[Dataset, Dataset] | CompactWitness
    method: str
    query: Query
    relation: Relation
    universe: Universe
    size: Size
    norm: float
    datasets: int
    infeasible: tuple[str, ...]
    not_asked: tuple[str, ...] = ()

    def __float__(self) -> float:
        return float(self.value)

    def check(self) -> bool:
        """Return whether the witness, asked again, is a neighbouring pair at this value.

        >>> from sensitivity_lab import MEAN, Change, global_sensitivity
        >>> school = Universe.population([1, 2, 3, 10])
        >>> global_sensitivity(MEAN, school, size=3, relation=Change(1)).check()
        True

        Cost: two evaluations of the query; on more than 1,000 records a standard query answers by
        its vectorised form.
        Raises ValueError for a witness of more than 20,000,000 records.
        Source: def-witness in the book's chapter "By hand".
        """
        places = self._places()
        answers = [
            self._asked_again(side, at) for side, at in zip(self.witness, places, strict=True)
        ]
        gap = gap_between(self.norm, self.query.root)(*answers)
        sides: Any = places
        if not self.universe.numeric:  # a relation may ask what a record says
            sides = [tuple(self.universe.values[i] for i in at) for at in places]
        are_neighbours = self.relation.are_neighbours(*sides)
        return are_neighbours and bool(presented(gap) == self.value)

    def _places(self) -> list[np.ndarray]:
        """Where the two datasets stand among the universe's values.

        Tables cannot tell: who brings no rows is in none.
        """
        if self.universe.tabular and isinstance(self.witness, CompactWitness):
            return [np.array(side, dtype=np.int64) for side in self.witness.positions]
        return [self.universe._places(side) for side in self.witness]

    def _asked_again(self, dataset: Dataset, places: np.ndarray) -> Any:
        """The answer that gaps are measured between, of a dataset that lies in the universe."""
        if self.query.inner is not None and has_image(self.query, self.universe):
            said = partial(number_of, self.query.of_what)
            return self.query.inner.raw(in_order(map(said, self.universe.each(places.tolist()))))
        if len(places) <= LONGEST_HELD:
            return self.query.raw(self._own(dataset))
        return answers_at(self.query, self.universe, places[np.newaxis])[0]

    @property
    def keys(self) -> dict[Any, tuple[Any, Any]]:
        """What differs between the witness's answers, by key: (on the dataset, on its neighbour).

        >>> from sensitivity_lab import COUNT, Change, global_sensitivity
        >>> words = Universe.population(["no", "yes", "on"])
        >>> global_sensitivity(COUNT.by(len), words, size=2, relation=Change(1)).keys
        {2: (2, 1), 3: (None, 1)}

        None stands for a key that only the other answer has. Such keys tell by being there who is
        in the data, whatever noise is added to their numbers: a threshold must hide them. Empty
        where the answers have no keys. Cost: two evaluations of the query.
        """
        answers = [self.query(self._own(side)) for side in self.witness]
        if not any(isinstance(answer, Labelled) for answer in answers):
            return {}
        return keys_that_differ(*answers)

    def snippet(self) -> Snippet:
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

        >>> import pandas as pd
        >>> rows = Universe.population(pd.DataFrame({"mark": [1, 9]}))
        >>> global_sensitivity(MEAN.of("mark"), rows, size=1, relation=Change(1)).snippet()
        import pandas as pd
        import sensitivity_lab as sl
        query = sl.MEAN.of('mark')
        dataset = pd.DataFrame({'mark': [1]})
        neighbour = pd.DataFrame({'mark': [9]})  # at most 1 record changed
        assert sl.Change(1).are_neighbours(dataset, neighbour)
        print(query(dataset), query(neighbour))  # 8 apart

        Standard queries are imported; your own function, relation or kind of number you define
        where a comment says so. Tables are made in the library that yours are of; of people, a
        comment says who leaves and who joins.
        Cost: the text of both datasets. Errors: as `check`.
        """
        dataset, neighbour = self.witness
        query, standard = python_of(self.query), type(self.relation) in STANDARD
        are_neighbours = f"{'sl.' * standard}{self.relation}.are_neighbours(dataset, neighbour)"
        people = (
            marked_witness(self.universe, self.witness).who if self.universe.holds_people else ()
        )
        lines = [
            *_own_numbers((*_cells_of(dataset), *_cells_of(neighbour))),
            "import sensitivity_lab as sl",
            f"query = {query}" if query else f"# define query here: {self.query.name}",
            *([] if standard else [f"# define {type(self.relation).__name__} here"]),
            f"dataset = {source_of(dataset)}",
            f"neighbour = {source_of(neighbour)}  # {self.relation.description}",
            *([f"# {who}" for who in people] or [f"assert {are_neighbours}"]),
            f"print(query(dataset), query(neighbour))  # {self.value} apart",
        ]
        return runnable(lines)

    def __repr__(self) -> str:
        value, not_asked = f"value={number_repr(self.value)}", ""
        asked = f"method={self.method!r}, query={self.query.name!r}, relation={self.relation}"
        if self.not_asked:
            not_asked = f", not_asked={self.not_asked}"
        if not self.universe.tabular:
            witness = number_repr(self.witness)
            return f"Sensitivity({value}, witness={witness}, {asked}{not_asked})"
        shown = marked_witness(self.universe, self.witness)
        return (
            f"Sensitivity({value}, {asked}{not_asked}, witness=<{shown.summary}>)\n{shown.text()}"
        )

    def _repr_html_(self) -> str:
        rows = {
            "sensitivity": value_text(self.value),
            "query": self.query.name,
            "relation": f"{self.relation}: {self.relation.description}",
            **self._witness_rows(),
            "found by": f"{self.method}, {self.datasets:,} datasets answered",
        }
        if self.infeasible:
            rows["not feasible"] = "; ".join(self.infeasible)
        if self.not_asked:
            rows["not asked"] = "; ".join(self.not_asked)
        if self.universe.numeric:
            return html_table(rows)
        return html_table(rows) + marked_witness(self.universe, self.witness).html(self._captions())

    def _captions(self) -> list[str]:
        """What a card writes above either dataset: the answer on it, unless it takes long, or fails."""
        witness = self.witness
        longest = witness.size if isinstance(witness, CompactWitness) else 0
        if longest > LONGEST_ASKED:
            return list(SIDES)
        texts = answer_texts(*self._answers())
        return [f"{side} → {text}" for side, text in zip(SIDES, texts, strict=True)]

    def _answers(self) -> tuple[Any, Any]:
        """The query's answers on the dataset and on its neighbour."""
        if self.query.inner is not None and has_image(self.query, self.universe):
            here, there = map(self.query.inner, map(in_order, self._numbers()))
        else:
            here, there = map(self.query, map(self._own, self.witness))
        return here, there

    def _own(self, dataset: Any) -> Any:
        """A dataset again, for a function may change what it gets; a statement's under its name."""
        dataset = own_copy(dataset)
        named = self.query.together is not None and self.universe.name is not None
        return {self.universe.name: dataset} if named and is_table(dataset) else dataset

    def _numbers(self) -> list[tuple[Any, ...]]:
        """What the records of either dataset say, where the query is asked of that."""
        said = partial(number_of, self.query.of_what)
        return [tuple(map(said, self.universe.each(at.tolist()))) for at in self._places()]

    def _witness_rows(self) -> dict[str, str]:
        if not self.universe.numeric:
            return {}  # shown below, as tables
        if isinstance(self.witness, CompactWitness):
            parts = (self.witness.removed, self.witness.added)
            names = side_names(self.relation)
            return {name: dataset_text(part) for name, part in zip(names, parts, strict=True)}
        texts = answer_texts(*map(self.query, self.witness))
        return {
            name: f"{dataset_text(side)} → {text}"
            for name, side, text in zip(SIDES, self.witness, texts, strict=True)
        }


def marked_witness(universe: Universe, witness: Sequence[Any]) -> Marked:
    """Two datasets of records that are no numbers as tables in which those that differ are marked.

    >>> votes = Universe.value_range(["no", "yes"])
    >>> print(marked_witness(votes, (("no", "yes"), ("yes", "yes"))).text())
       record
    -  no
    +  yes
       yes

    Cost: what they share is built once.
    """
    assert isinstance(universe.source, Records)
    if isinstance(witness, CompactWitness):
        return marked(universe.source, *witness._parts())
    here, there = (Counter(universe._places(side).tolist()) for side in witness)
    places = [sorted(part.elements()) for part in (here & there, here - there, there - here)]
    return marked(universe.source, [*map(universe.given, places)], [*map(len, places)])


def answer_texts(here: Any, there: Any) -> tuple[str, str]:
    """Two answers as texts; of answers with keys the keys that differ.

    >>> answer_texts(Labelled((1, 5), labels=("a", "b")), Labelled((1, 7), labels=("a", "b")))
    ('b: 5', 'b: 7')
    >>> answer_texts(3, 4)
    ('3', '4')
    """
    if not (isinstance(here, Labelled) or isinstance(there, Labelled)):
        return value_text(here), value_text(there)
    differ = keys_that_differ(here, there)
    if not differ:
        return "the same for each key", "the same for each key"
    more = [f"… {len(differ) - MOST_KEYS:,} more keys"] if len(differ) > MOST_KEYS else []
    sides: tuple[list[str], list[str]] = ([], [])
    for key, answers in [*differ.items()][:MOST_KEYS]:
        for side, answer in zip(sides, answers, strict=True):
            side.append(f"{cell_text(key)}: {'none' if answer is None else value_text(answer)}")
    return "; ".join(sides[0] + more), "; ".join(sides[1] + more)


def side_names(relation: Relation) -> tuple[str, str]:
    """What to call the records that only the dataset has, and those that only its neighbour has.

    >>> from sensitivity_lab import Change, SymmetricDifference
    >>> side_names(SymmetricDifference(1)), side_names(Change(1))
    (('removed', 'added'), ('changed from', 'changed to'))
    """
    return ("changed from", "changed to") if isinstance(relation, Change) else ("removed", "added")


def html_table(rows: dict[str, str]) -> str:
    """A result as a table of names and texts.

    >>> html_table({"value": "1 < 2"})[-26:]
    '1 &lt; 2</td></tr></table>'
    """
    cells = "".join(
        f"<tr><th style='text-align:left'>{label}</th><td style='text-align:left'>"
        f"{html.escape(text)}</td></tr>"
        for label, text in rows.items()
    )
    return f"<table>{cells}</table>"


def _own_numbers(records: Dataset) -> list[str]:
    """Where the kinds of number come from that neither Python nor numpy has, if a text names them."""
    kinds = {
        type(record)
        for record in records
        if isinstance(record, Enum) or f"{type(record).__name__}(" in repr(record)
    }
    known = ("builtins", "fractions", "decimal", "numpy", "datetime", "pandas")
    own = sorted(
        (kind.__module__, kind.__name__)
        for kind in kinds
        if kind.__module__.split(".")[0] not in known
    )
    return [
        f"# define {name} here" if module == "__main__" else f"from {module} import {name}"
        for module, name in own
    ]


def _cells_of(dataset: Any) -> Iterable[Any]:
    """The records of a dataset, or the cells of its tables."""
    tables = dataset.values() if isinstance(dataset, Mapping) else [dataset]
    if not all(map(is_table, tables)):
        return dataset  # type: ignore[no-any-return]
    return [cell for one in tables for row in rows_of(table(one, "dataset")) for cell in row]


class Snippet(str):
    """Python source that displays as it would print.

    >>> Snippet("print(1)")
    print(1)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def runnable(lines: Sequence[str]) -> Snippet:
    """Lines of Python with the imports that their numbers need.

    >>> runnable(["dataset = (Fraction(1, 2),)"])
    from fractions import Fraction
    dataset = (Fraction(1, 2),)

    Cost: linear in the text.
    """
    used = "\n".join(lines)
    imports = {
        "Decimal(": "from decimal import Decimal",
        "Fraction(": "from fractions import Fraction",
        "datetime.": "import datetime",
        "np.": "import numpy as np",
        "pd.": "import pandas as pd",
        "pl.DataFrame(": "import polars as pl",
        "pa.table(": "import pyarrow as pa",
        "zoneinfo.": "import zoneinfo",
    }
    needed = [line for text, line in imports.items() if text in used]
    return Snippet("\n".join([*needed, *lines]))


def result(problem: Problem, found: WorstPair, method: str, datasets: int) -> Sensitivity:
    """Return the worst pair as the answer to a problem.

    >>> from sensitivity_lab import SUM, Change
    >>> problem = Problem(SUM, Universe.population([1, 2, 9]), 1, Change(1), norm=1)
    >>> pair = WorstPair.between(8, (0,), (2,), problem.universe)
    >>> result(problem, pair, "walk", datasets=3).witness
    ((1,), (9,))

    Cost: a solver's two datasets are built if they have at most 1,000 records, else when asked for.
    """
    plain = not problem.universe.tabular
    is_short = plain and (method != "solver" or found.size <= LONGEST_HELD)
    return Sensitivity(
        value=presented(found.gap),
        witness=found.pair() if is_short else CompactWitness(found),
        method=method,
        query=problem.query,
        relation=problem.relation,
        universe=problem.universe,
        size=problem.size,
        norm=problem.norm,
        datasets=datasets,
        infeasible=problem.infeasible,
        not_asked=problem.not_asked,
    )


def presented(gap: Any) -> Any:
    """A gap as the number a caller sees: roots as floats, whole fractions as ints.

    >>> presented(RootGap(9, 4)), presented(Fraction(4, 2)), presented(0.5)
    (1.0, 2, 0.5)
    """
    if isinstance(gap, RootGap):
        return float(gap)
    return simplest(gap) if isinstance(gap, Fraction) else gap
