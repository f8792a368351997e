"""A sensitivity with the two datasets that attain it, and how it is shown."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from sensitivity_lab.enumeration import Best, gap_between
from sensitivity_lab.exact import RootGap, exact_number, simplest
from sensitivity_lab.queries import Query
from sensitivity_lab.questions import Question, Size
from sensitivity_lab.records import Solved
from sensitivity_lab.relations import Change, Relation
from sensitivity_lab.text import dataset_text, number_repr, value_text
from sensitivity_lab.universe import Dataset, Universe

LONGEST_HELD = 1000  # records; a solver's larger datasets are built only when asked for
CONSTANTS = ("COUNT", "SUM", "MEAN", "MEDIAN", "VARIANCE", "STD", "MIN", "MAX")


class CompactWitness(Sequence[Dataset]):
    """A dataset and its neighbour, held as what they share, what left and what joined.

    >>> from sensitivity_lab import SUM, Change, global_sensitivity
    >>> numbers = Universe.population(range(5000))
    >>> found = global_sensitivity(SUM, numbers, size=2000, relation=Change(1), method="solver")
    >>> found.witness
    <2,000 records; removed (4999,), added (0,)>
    >>> len(found.witness.common), found.witness.removed, found.witness.added
    (1999, (4999,), (0,))

    It unpacks to the two datasets like the tuple that small results have; they are built when
    they are first asked for. `common`, `removed` and `added` are sorted tuples of records.
    """

    def __init__(self, found: Solved) -> None:
        self._found = found

    @cached_property
    def _pair(self) -> tuple[Dataset, Dataset]:
        return self._found.pair()

    @property
    def size(self) -> int:
        """How many records the larger of the two has; neither is built."""
        return self._found.size

    @cached_property
    def common(self) -> Dataset:
        """The records that are in both. Cost: O(n log n) for n records, once."""
        return self._found.records.dataset(self._found.common)

    @cached_property
    def removed(self) -> Dataset:
        """The records that leave the dataset."""
        found = self._found
        return found.records.dataset(found.lower if found.swapped else found.higher)

    @cached_property
    def added(self) -> Dataset:
        """The records that join it."""
        found = self._found
        return found.records.dataset(found.higher if found.swapped else found.lower)

    def __len__(self) -> int:
        return 2

    def __getitem__(self, side: Any) -> Any:
        return self._pair[side]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._pair == tuple(other)

    __hash__ = None  # type: ignore[assignment]

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
    function fails on it: the value does not speak of them.

    Source: def-global-sensitivity and def-witness in the book's chapter `by_hand`.
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

        Cost: two evaluations of the query. Source: def-witness in the book's chapter `by_hand`.
        """
        dataset, neighbour = self.witness
        for records in self.witness:
            self.universe.indices(records)
        answers = [raw_answer(self.query, records) for records in self.witness]
        gap = gap_between(self.norm, self.query.root)(*answers)
        return self.relation.are_neighbours(dataset, neighbour) and presented(gap) == self.value

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

        Standard queries are imported; your own function you define where the comment says so.
        Cost: the text of both datasets.
        """
        dataset, neighbour = self.witness
        name = self.query.name.upper() if self.query.name.upper() in CONSTANTS else self.query.name
        lines = [
            "import sensitivity_lab as sl",
            f"query = sl.{name}" if self.query.exact else f"# define query here: {name}",
            f"dataset = {dataset!r}",
            f"neighbour = {neighbour!r}  # {self.relation.description}",
            f"assert sl.{self.relation}.are_neighbours(dataset, neighbour)",
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
        cells = "".join(
            f"<tr><th style='text-align:left'>{label}</th><td style='text-align:left'>"
            f"{html.escape(text)}</td></tr>"
            for label, text in rows.items()
        )
        return f"<table>{cells}</table>"

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


def result(question: Question, best: Best, method: str, datasets: int) -> Sensitivity:
    """Return the best pair found as the answer to a question.

    >>> from sensitivity_lab import SUM, Change
    >>> question = Question(SUM, Universe.population([1, 2, 9]), 1, Change(1), norm=1)
    >>> result(question, Best(8, (0,), (2,)), "walk", datasets=3).witness
    ((1,), (9,))

    Cost: linear in the two datasets.
    """
    values = question.universe.values
    return Sensitivity(
        value=presented(best.gap),
        witness=(
            tuple(values[i] for i in best.dataset),
            tuple(values[i] for i in best.neighbour),
        ),
        method=method,
        query=question.query,
        relation=question.relation,
        universe=question.universe,
        size=question.size,
        norm=question.norm,
        datasets=datasets,
        infeasible=question.infeasible,
        not_asked=question.not_asked,
    )


def solved_result(question: Question, found: Solved) -> Sensitivity:
    """Return what a solver found as the answer to a question.

    >>> from sensitivity_lab import SUM, Change
    >>> from sensitivity_lab.solvers import solve
    >>> question = Question(SUM, Universe.population([1, 2, 9]), 1, Change(1), norm=1)
    >>> solved_result(question, solve(question)).value
    8

    Cost: the two datasets are built if they have at most 1,000 records, else when asked for.
    """
    return Sensitivity(
        value=presented(found.gap),
        witness=found.pair() if found.size <= LONGEST_HELD else CompactWitness(found),
        method="solver",
        query=question.query,
        relation=question.relation,
        universe=question.universe,
        size=question.size,
        norm=question.norm,
        datasets=0,
        infeasible=question.infeasible,
        not_asked=question.not_asked,
    )


def presented(gap: Any) -> Any:
    """A gap as the number a caller sees: roots as floats, whole fractions as ints.

    >>> presented(RootGap(9, 4)), presented(Fraction(4, 2)), presented(0.5)
    (1.0, 2, 0.5)
    """
    if isinstance(gap, RootGap):
        return float(gap)
    return simplest(gap) if isinstance(gap, Fraction) else gap


def raw_answer(query: Query, dataset: Dataset) -> Any:
    """The answer that gaps are measured between: the square, for a root query.

    >>> from sensitivity_lab import STD
    >>> raw_answer(STD, (1, 4))
    Fraction(9, 4)

    Cost: one call of the query's function; a standard query's records are sorted first.
    """
    return query.answer(tuple(sorted(map(exact_number, dataset))) if query.exact else dataset)
