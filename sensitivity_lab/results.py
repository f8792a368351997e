"""A sensitivity with the two datasets that attain it, and how it is shown."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np

from sensitivity_lab.errors import TooLarge
from sensitivity_lab.exact import RootGap, simplest
from sensitivity_lab.gap import Labelled, gap_between, keys_that_differ
from sensitivity_lab.methods.image import has_image
from sensitivity_lab.problem import Problem, Size
from sensitivity_lab.proved.worst_pair import WorstPair
from sensitivity_lab.queries import Query, answers_at, in_order
from sensitivity_lab.relations import STANDARD, Change, Relation
from sensitivity_lab.standard import python_of
from sensitivity_lab.tabular.clipped import number_of
from sensitivity_lab.tabular.rows import own_copy
from sensitivity_lab.text import dataset_text, number_repr, value_text
from sensitivity_lab.universe import Dataset, Universe

LONGEST_HELD = 1000  # records; a solver's larger datasets are built only when asked for
LONGEST_BUILT = 20_000_000  # records; larger ones are not built


class CompactWitness(Sequence[Dataset]):
    """A dataset and its neighbour, held as what they share, what left and what joined.

    >>> from sensitivity_lab import SUM, Change, global_sensitivity
    >>> numbers = Universe.population(range(5000))
    >>> found = global_sensitivity(SUM, numbers, size=2000, relation=Change(1), method="solver")
    >>> found.witness
    <2,000 records; removed (4999,), added (0,)>
    >>> len(found.witness.common), found.witness.removed, found.witness.added
    (1999, (4999,), (0,))

    It unpacks to the two datasets like the tuple that small results have, and equals that tuple;
    they are built when they are first asked for. `common`, `removed` and `added` are sorted tuples
    of records. Raises ValueError where one of more than 20,000,000 records would have to be built.
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
        if self._is_of_tables or not isinstance(other, Sequence):
            return False
        return self._content == tuple(other)

    def __hash__(self) -> int:
        return hash(self._content)

    @property
    def _is_of_tables(self) -> bool:
        """Whether the two datasets are tables, which cannot be compared as values are."""
        universe = getattr(self._found.records, "universe", None)
        return universe is not None and bool(universe.tabular)

    @cached_property
    def _content(self) -> tuple[Any, Any]:
        """The two datasets; of tables and of what is too long, the values with their copies."""
        found = self._found
        if found.size <= LONGEST_BUILT and not self._is_of_tables:
            return self._pair
        dataset, neighbour = map(found.records.multiset, found.sides())
        return dataset, neighbour

    def __repr__(self) -> str:
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
            return self.query.raw(own_copy(dataset))
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
        answers = [self.query(side) for side in self.witness]
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

        Standard queries are imported; your own function, relation or kind of number you define
        where a comment says so.
        Cost: the text of both datasets. Errors: as `check`.
        """
        dataset, neighbour = self.witness
        query, standard = python_of(self.query), type(self.relation) in STANDARD
        lines = [
            *_own_numbers(dataset + neighbour),
            "import sensitivity_lab as sl",
            f"query = {query}" if query else f"# define query here: {self.query.name}",
            *([] if standard else [f"# define {type(self.relation).__name__} here"]),
            f"dataset = {dataset!r}",
            f"neighbour = {neighbour!r}  # {self.relation.description}",
            f"assert {'sl.' * standard}{self.relation}.are_neighbours(dataset, neighbour)",
            f"print(query(dataset), query(neighbour))  # {self.value} apart",
        ]
        return runnable(lines)

    def __repr__(self) -> str:
        return (
            f"Sensitivity(value={number_repr(self.value)}, witness={number_repr(self.witness)}, "
            f"method={self.method!r}, query={self.query.name!r}, relation={self.relation}"
            f"{f', not_asked={self.not_asked}' if self.not_asked else ''})"
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
        return html_table(rows)

    def _witness_rows(self) -> dict[str, str]:
        if isinstance(self.witness, CompactWitness):
            parts = (self.witness.removed, self.witness.added)
            names = side_names(self.relation)
            return {name: dataset_text(part) for name, part in zip(names, parts, strict=True)}
        dataset, neighbour = self.witness
        return {
            "dataset": f"{dataset_text(dataset)} → {value_text(self.query(dataset))}",
            "neighbour": f"{dataset_text(neighbour)} → {value_text(self.query(neighbour))}",
        }


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
    kinds = {type(record) for record in records if f"{type(record).__name__}(" in repr(record)}
    known = ("builtins", "fractions", "decimal", "numpy")
    own = sorted((kind.__module__, kind.__name__) for kind in kinds if kind.__module__ not in known)
    return [
        f"# define {name} here" if module == "__main__" else f"from {module} import {name}"
        for module, name in own
    ]


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
        "np.": "import numpy as np",
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
