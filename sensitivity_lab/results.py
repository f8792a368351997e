"""A sensitivity with the two datasets that attain it, and how it is shown."""

from __future__ import annotations

import html
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sensitivity_lab.methods.witness import SIDES, CompactWitness, marked_witness
from sensitivity_lab.numbers.exact import RootGap, brief, is_real, simplest
from sensitivity_lab.numbers.gap import (
    Answer,
    Gap,
    Labelled,
    Norm,
    Number,
    gap_between,
    keys_that_differ,
)
from sensitivity_lab.numbers.text import cell_text, dataset_text, number_repr, value_text
from sensitivity_lab.over_numbers import OverNumbers, of_whom, over_numbers
from sensitivity_lab.problem import Problem, Size
from sensitivity_lab.proved.worst_pair import WorstPair
from sensitivity_lab.queries import Query, answers_at
from sensitivity_lab.records.rows import own_copy
from sensitivity_lab.records.source import is_table
from sensitivity_lab.relations import Relation, check_relation
from sensitivity_lab.shown.python import (
    Snippet,
    cells_of,
    comment,
    own_numbers,
    python_of,
    runnable,
    source_of,
)
from sensitivity_lab.to_json import Travels
from sensitivity_lab.universe import Dataset, Universe, check_universe

LONGEST_HELD = 1000  # records; a solver's larger datasets are built only when asked for
LONGEST_ASKED = 100_000  # records; a card does not ask for the answers on longer tables
MOST_KEYS = 10  # keys of an answer that a card shows


@dataclass(frozen=True)
class Sensitivity(Travels):
    """The largest distance between a query's answers on neighbouring datasets, with a witness.

    >>> from sensitivity_lab import MEAN, Change, global_sensitivity
    >>> school = Universe.population([1, 2, 3, 10])
    >>> global_sensitivity(MEAN, school, size=3, relation=Change(1))
    Sensitivity(value=3, witness=((1, 2, 3), (2, 3, 10)), method='sweep', query='mean',
        relation=Change(1))

    `value` is exact (int or Fraction) where the query is rational, a correctly rounded float
    for standard deviations and norm 2, else in a callable's own arithmetic: a float, or exact
    where it answers in ints, Fractions or Decimals. `witness` is a pair (dataset, neighbour) that
    attains it: the first in lexicographic order, if all datasets were enumerated together.
    `datasets` counts the datasets that were answered; `infeasible` names the
    directions that no dataset can take, `not_asked` those that lead to the empty dataset where a
    function fails on it: the value does not speak of them. Two results are equal where all of these
    are; a result can be pickled where its query can.

    Where a relation changes the size, the value for one size is for a size that is public, and
    says so:

    >>> from sensitivity_lab import AddRemove
    >>> global_sensitivity(MEAN, school, size=3, relation=AddRemove(1))
    Sensitivity(value=Fraction(17, 6), witness=((1, 2, 10), (1, 2)), method='sweep', query='mean',
        relation=AddRemove(1), for a public size 3)
    >>> global_sensitivity(MEAN, school, size=range(1, 5), relation=AddRemove(1))
    Sensitivity(value=Fraction(9, 2), witness=((1,), (1, 10)), method='sweep', query='mean',
        relation=AddRemove(1), for datasets of 1 to 4 records)

    Source: def-global-sensitivity and def-witness in the book's chapter "By hand".
    """

    value: Any
    witness: tuple[Dataset, Dataset] | CompactWitness
    method: str
    query: Query
    relation: Relation
    universe: Universe
    size: Size
    norm: Norm
    datasets: int
    infeasible: tuple[str, ...]
    not_asked: tuple[str, ...] = ()
    is_local: bool = False  # of one dataset, whose size is its own

    def __post_init__(self) -> None:
        check_universe(self.universe)
        check_relation(self.relation)
        if not isinstance(self.query, Query):
            raise TypeError(f"query must be a Query, got {brief(self.query)}")

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
        positions = positions_of(self)
        answers = [
            self._asked_again(side, at) for side, at in zip(self.witness, positions, strict=True)
        ]
        gap = gap_between(self.norm, self.query.root)(*answers)
        are_neighbours = self.relation.are_neighbours(*positions)
        return are_neighbours and bool(presented(gap) == self.value)

    def _asked_again(self, dataset: Dataset, positions: np.ndarray) -> Any:
        """The answer that gaps are measured between, of a dataset that lies in the universe."""
        over = over_numbers(self.query, self.universe)
        if over is not None:
            return over.query.raw(over.dataset(self.universe, positions.tolist()))
        if len(positions) <= LONGEST_HELD:
            return self.query.over(self.universe).raw(self._own(dataset))
        return answers_at(self.query, self.universe, positions[np.newaxis])[0]

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
        answers = answers_on(self)
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
        where a comment says so. Tables are made in the library that yours are of (polars and
        pyarrow find the types themselves); of people, a comment says who leaves and who joins.
        Cost: the text of both datasets. Errors: as `check`.
        """
        dataset, neighbour = self.witness
        query, relation = python_of(self.query), self.relation
        people = (
            marked_witness(self.universe, self.witness).who if self.universe.holds_people else ()
        )
        asked = f"{relation.python()}.are_neighbours(dataset, neighbour)"
        lines = [
            *own_numbers((*cells_of(dataset), *cells_of(neighbour))),
            "import sensitivity_lab as sl",
            f"query = {query}" if query else comment(f"define query here: {self.query.name}"),
            *([] if relation.is_public else [f"# define {type(relation).__name__} here"]),
            f"dataset = {source_of(dataset)}",
            f"neighbour = {source_of(neighbour)}  # {relation.description}",
            *(list(map(comment, people)) or [f"assert {asked}"]),
            f"print(query(dataset), query(neighbour))  {comment(self.value)} apart{self._of_types}",
        ]
        return runnable(lines)

    @property
    def _of_types(self) -> str:
        """What a statement must know that a table of Python objects may not tell."""
        asked = self.query.together
        if asked is None or not asked.tells_types(self.universe.source, self.universe.name):
            return ""
        return " with the universe's types, which an empty column of objects has lost"

    def __repr__(self) -> str:
        value, not_asked = f"value={number_repr(self.value)}", ""
        asked = f"method={self.method!r}, query={self._asked!r}, relation={self.relation}"
        asked += f", for {self._sizes}" if self._sizes else ""
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
        is_one = bool(self._sizes) and not isinstance(self.size, range)
        all_sizes = "; if it is not public, ask for all: size=range(…)" * is_one
        rows = {
            "sensitivity": value_text(self.value),
            "query": self._asked,
            "relation": f"{self.relation}: {self.relation.description}",
            **({"for": self._sizes + all_sizes} if self._sizes else {}),
            **self._witness_rows(),
            "found by": f"{self.method}, {self.datasets:,} datasets answered",
        }
        if self.infeasible:
            rows["not feasible"] = "; ".join(self.infeasible)
        if self.not_asked:
            rows["not asked"] = "; ".join(self.not_asked)
        if self.universe.numeric:
            return html_table(rows)
        return html_table(rows) + marked_witness(self.universe, self.witness).html(captions(self))

    @property
    def _sizes(self) -> str:
        """The datasets that a global value is for, where query and relation alone do not say it."""
        if self.is_local:
            return ""
        if isinstance(self.size, range):
            least, most, several = min(self.size), max(self.size), len(self.size) > 1
            step = abs(self.size.step)
            every = f", in steps of {step}" * (several and step > 1)
            return f"datasets of {least:,}{f' to {most:,}' * several} records{every}"
        return "" if self.relation.keeps_size else f"a public size {self.size:,}"

    @property
    def _asked(self) -> str:
        """The query's name; over people it says whether rows are asked about, or people counted."""
        return self.query.name + of_whom(self.query) * self.universe.holds_people

    def _own(self, dataset: Any) -> Any:
        """A dataset again, for a function may change what it gets; a statement's under its name."""
        dataset = own_copy(dataset)
        named = self.query.together is not None and self.universe.name is not None
        return {self.universe.name: dataset} if named and is_table(dataset) else dataset

    def _witness_rows(self) -> dict[str, str]:
        if not self.universe.numeric:
            return {}  # shown below, as tables
        if isinstance(self.witness, CompactWitness):
            parts = (self.witness.removed, self.witness.added)
            names = self.relation.sides
            return {name: dataset_text(part) for name, part in zip(names, parts, strict=True)}
        texts = answer_texts(*map(self.query, self.witness))
        return {
            name: f"{dataset_text(side)} → {text}"
            for name, side, text in zip(SIDES, self.witness, texts, strict=True)
        }


def positions_of(found: Sensitivity) -> list[np.ndarray]:
    """Where the two datasets stand among the universe's values."""
    if found.universe.tabular and isinstance(found.witness, CompactWitness):
        return [np.array(side, dtype=np.int64) for side in found.witness.positions]
    return [found.universe.positions(side) for side in found.witness]


def numbers_said(found: Sensitivity, over: OverNumbers) -> list[Dataset]:
    """What the records of either dataset say, where the query is asked of that."""
    return [over.dataset(found.universe, at.tolist()) for at in positions_of(found)]


def answers_on(found: Sensitivity) -> tuple[Any, Any]:
    """The query's answers on the dataset and on its neighbour."""
    over = over_numbers(found.query, found.universe)
    if over is not None:
        here, there = map(over.query, numbers_said(found, over))
    else:
        here, there = map(found.query, map(found._own, found.witness))
    return here, there


def captions(found: Sensitivity) -> list[str]:
    """What a card writes above either dataset: the answer on it, unless it takes long, or fails."""
    witness = found.witness
    longest = witness.size if isinstance(witness, CompactWitness) else 0
    if longest > LONGEST_ASKED:
        return list(SIDES)
    texts = answer_texts(*answers_on(found))
    return [f"{side} → {text}" for side, text in zip(SIDES, texts, strict=True)]


def answer_texts(here: Answer, there: Answer) -> tuple[str, str]:
    """Two answers as texts; of answers with keys the keys that differ."""
    if not (isinstance(here, Labelled) or isinstance(there, Labelled)):
        return _in_words(here), _in_words(there)
    differ = keys_that_differ(here, there)
    if not differ:
        return "the same for each key", "the same for each key"
    more = [f"… {len(differ) - MOST_KEYS:,} more keys"] if len(differ) > MOST_KEYS else []
    sides: tuple[list[str], list[str]] = ([], [])
    for key, answers in [*differ.items()][:MOST_KEYS]:
        for side, answer in zip(sides, answers, strict=True):
            side.append(f"{cell_text(key)}: {'none' if answer is None else value_text(answer)}")
    return "; ".join(sides[0] + more), "; ".join(sides[1] + more)


def _in_words(answer: Any) -> str:
    """An answer as a text: a number in full, anything else in short."""
    known = is_real(answer) or (isinstance(answer, tuple) and all(map(is_real, answer)))
    return value_text(answer) if known else brief(answer)


def html_table(rows: dict[str, str]) -> str:
    """A result as a table of names and texts."""
    cells = "".join(
        f"<tr><th style='text-align:left'>{label}</th><td style='text-align:left'>"
        f"{html.escape(text)}</td></tr>"
        for label, text in rows.items()
    )
    return f"<table>{cells}</table>"


def result(
    problem: Problem, pair: WorstPair, method: str, datasets: int, is_local: bool = False
) -> Sensitivity:
    """Return the worst pair as the answer to a problem, or to that of one dataset."""
    plain = not problem.universe.tabular
    is_short = plain and (method != "solver" or pair.size <= LONGEST_HELD)
    return Sensitivity(
        value=presented(pair.gap),
        witness=pair.pair() if is_short else CompactWitness(pair),
        method=method,
        query=problem.query,
        relation=problem.relation,
        universe=problem.universe,
        size=problem.size,
        norm=problem.norm,
        datasets=datasets,
        infeasible=problem.infeasible,
        not_asked=problem.not_asked,
        is_local=is_local,
    )


def presented(gap: Gap) -> Number:
    """A gap as the number a caller sees: roots as floats, whole fractions as ints."""
    if isinstance(gap, RootGap):
        return float(gap)
    return simplest(gap) if isinstance(gap, Fraction) else gap
