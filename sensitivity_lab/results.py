"""A sensitivity with the two datasets that attain it, and how it is shown."""

from __future__ import annotations

import html
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from sensitivity_lab import extension
from sensitivity_lab.did_you_mean import SaysWhich
from sensitivity_lab.extension import OfResult, OfSensitivity
from sensitivity_lab.methods.witness import SIDES, CompactWitness
from sensitivity_lab.numbers.exact import AsNumber, RootGap, as_float, brief, is_real, simplest
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
from sensitivity_lab.problem import Problem, Size
from sensitivity_lab.proved.worst_pair import WorstPair
from sensitivity_lab.queries import Query, answers_at
from sensitivity_lab.relations import Relation
from sensitivity_lab.universe import Dataset, Universe

if TYPE_CHECKING:  # loaded with the first table
    import pandas as pd

LONGEST_HELD = 1000  # records; a solver's larger datasets are built only when asked for
LONGEST_ASKED = 100_000  # records; a card does not ask for the answers on longer tables
COLUMNS = ["sensitivity", "query", "relation", "k", *SIDES, "method"]
MOST_KEYS = 10  # keys of an answer that a card shows


@dataclass(frozen=True, eq=False)
class Sensitivity(AsNumber, OfResult, OfSensitivity, SaysWhich):
    """The largest distance between a query's answers on neighbouring datasets, with a witness.

    >>> from sensitivity_lab import MEAN, Change, global_sensitivity
    >>> school = Universe.population([1, 2, 3, 10])
    >>> global_sensitivity(MEAN, school, size=3, relation=Change(1))
    Sensitivity(value=3, witness=((1, 2, 3), (2, 3, 10)), method='sweep', query='mean',
        relation=Change(1))

    `value` is exact (int or Fraction) where the query answers in exact numbers, a correctly rounded
    float for standard deviations and norm 2, else a float. `witness` is a pair (dataset, neighbour)
    that attains it: the first in lexicographic order, if all datasets were enumerated together.
    `datasets` counts the datasets that were answered; `infeasible` names the directions that no
    dataset can take, `not_asked` those that lead to the empty dataset where a function fails on it.

    Where a relation changes the size, the value for one size is for a size that is public,
    and says so:

    >>> from sensitivity_lab import AddRemove
    >>> global_sensitivity(MEAN, school, size=3, relation=AddRemove(1))
    Sensitivity(value=Fraction(17, 6), witness=((1, 2, 10), (1, 2)), method='sweep', query='mean',
        relation=AddRemove(1), for a public size 3)

    It is used as its number: `f"{found:.3f}"`, `round(found, 2)`, `found < 3` and
    `found / epsilon` ask its value.

    Source: def-global-sensitivity and def-witness in the book's chapter "By hand".
    """

    value: Any
    witness: tuple[Dataset, Dataset] | CompactWitness
    method: str
    query: Query
    relation: Relation
    universe: Universe
    size: Size  # one, or all of a range
    norm: Norm
    datasets: int
    infeasible: tuple[str, ...]
    not_asked: tuple[str, ...] = ()
    is_local: bool = False  # of one dataset, whose size is its own

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
        gap = gap_between(self.norm, self.query.root)(*asked_again(self))
        are_neighbours = self.relation.are_neighbours(*positions_of(self))
        return are_neighbours and bool(presented(gap) == self.value)

    @property
    def keys(self) -> dict[Any, tuple[Any, Any]]:
        """What differs between the witness's answers, by key: (on the dataset, on its neighbour).

        >>> from sensitivity_lab import COUNT, Change, global_sensitivity
        >>> words = Universe.population(["no", "yes", "on"])
        >>> global_sensitivity(COUNT.by(len), words, size=2, relation=Change(1)).keys
        {2: (2, 1), 3: (None, 1)}

        None stands for a key that only the other answer has. Such keys tell by being there who is
        in the data: a threshold must hide them. Empty where the answers have no keys.
        """
        answers = answers_on(self)
        if not any(isinstance(answer, Labelled) for answer in answers):
            return {}
        return keys_that_differ(*answers)

    def to_frame(self, *, exact: bool = True) -> pd.DataFrame:
        """Return the result as a row of a table, as `sweep` has it.

        >>> from sensitivity_lab import MEAN, Change, global_sensitivity
        >>> school = Universe.population([1, 2, 3, 10])
        >>> global_sensitivity(MEAN, school, size=3, relation=Change(1)).to_frame()
          sensitivity query relation  k    dataset   neighbour method
        0           3  mean   Change  1  (1, 2, 3)  (2, 3, 10)  sweep
        """
        import pandas as pd

        return tidy(pd.DataFrame([cells_of(self)], dtype=object), exact)

    def __repr__(self) -> str:
        value = f"value={number_repr(self.value)}"
        not_asked = f", not_asked={self.not_asked}" if self.not_asked else ""
        asked = f"method={self.method!r}, query={self._asked!r}, relation={self.relation}"
        asked += f", for {self._sizes}" if self._sizes else ""
        marked = extension.marked(self.universe, self.witness)
        if marked is None or self.universe.source.as_tuples:
            witness = number_repr(self.witness)
            return f"Sensitivity({value}, witness={witness}, {asked}{not_asked})"
        shown = f"witness=<{marked.summary}>)\n{marked.text()}"
        return f"Sensitivity({value}, {asked}{not_asked}, {shown}"

    def _repr_html_(self) -> str:
        is_one = bool(self._sizes) and not isinstance(self.size, range)
        all_sizes = "; if it is not public, ask for all: size=range(…)" * is_one
        rows = {
            "sensitivity": value_text(self.value),
            "query": self._asked,
            "relation": f"{self.relation}: {self.relation.description}",
            "for": self._sizes and self._sizes + all_sizes,
        }
        marked = extension.marked(self.universe, self.witness)
        if marked is None and isinstance(self.witness, CompactWitness):
            parts = map(dataset_text, (self.witness.removed, self.witness.added))
            rows |= zip(self.relation.sides, parts, strict=True)
        elif marked is None:
            answers = answer_texts(*answers_on(self))
            texts = zip(map(dataset_text, self.witness), answers, strict=True)
            rows |= zip(SIDES, map(" → ".join, texts), strict=True)
        rows["found by"] = f"{self.method}, {self.datasets:,} datasets answered"
        rows["not feasible"] = "; ".join(self.infeasible)
        rows["not asked"] = "; ".join(self.not_asked)
        rows = {name: text for name, text in rows.items() if text}
        return html_table(rows) + (marked.html(captions(self)) if marked else "")

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
        keeps_size = all(leave == join for leave, join in self.relation.moves)
        return "" if keeps_size else f"a public size {self.size:,}"

    @property
    def _asked(self) -> str:
        """The query's name, and what of the records it asks where the name does not say it."""
        return self.query.name + self.universe.source.asked_of(self.query)


def positions_of(found: Sensitivity) -> list[np.ndarray]:
    """Where the two datasets stand among the universe's values."""
    if isinstance(found.witness, CompactWitness) and not found.universe.source.as_tuples:
        return [np.array(side, dtype=np.int64) for side in found.witness.positions]
    return [found.universe.positions(side) for side in found.witness]


def asked_again(found: Sensitivity) -> list[Any]:
    """The answers that gaps are measured between, on both datasets, asked anew."""
    query, universe = found.query, found.universe
    lifted = extension.lift(query, universe)
    answers = []
    for at in positions_of(found):
        if lifted:
            answers.append(lifted.query.raw(lifted.dataset(at.tolist())))
        elif len(at) > LONGEST_HELD:
            answers.append(answers_at(query, universe, at[np.newaxis])[0])
        else:
            answers += query.answers(query.giver(universe), [tuple(at.tolist())])
    return answers


def answers_on(found: Sensitivity) -> list[Any]:
    """The query's answers on the dataset and on its neighbour."""
    return list(map(found.query.shown, asked_again(found)))


def captions(found: Sensitivity) -> list[str]:
    """What a card writes above either dataset: the answer on it, unless it takes long, or fails."""
    witness = found.witness
    if isinstance(witness, CompactWitness) and witness.size > LONGEST_ASKED:
        return list(SIDES)
    texts = answer_texts(*answers_on(found))
    return [f"{side} → {text}" for side, text in zip(SIDES, texts, strict=True)]


def answer_texts(here: Answer, there: Answer) -> tuple[str, str]:
    """Two answers as texts; of answers with keys the keys that differ."""
    if not (isinstance(here, Labelled) or isinstance(there, Labelled)):
        texts = []
        for one in (here, there):
            known = all(map(is_real, one if isinstance(one, tuple) else [one]))
            texts.append(value_text(one) if known else brief(one))
        return texts[0], texts[1]
    # Of many keys only those are shown at which the two answers differ.
    differ = keys_that_differ(here, there)
    if not differ:
        return "the same for each key", "the same for each key"
    more = [f"… {len(differ) - MOST_KEYS:,} more keys"] if len(differ) > MOST_KEYS else []
    sides: tuple[list[str], list[str]] = ([], [])
    for key, answers in [*differ.items()][:MOST_KEYS]:
        for side, answer in zip(sides, answers, strict=True):
            side.append(f"{cell_text(key)}: {'none' if answer is None else value_text(answer)}")
    return "; ".join(sides[0] + more), "; ".join(sides[1] + more)


def cells_of(found: Sensitivity) -> dict[str, Any]:
    """A result as a row of a table."""
    sides: Any = found.witness
    if not found.universe.source.as_tuples:  # a cell has no room for tables
        sides = extension.marked(found.universe, found.witness).lines()
    asked = [found.query.name, found.relation.kind, found.relation.k]
    return dict(zip(COLUMNS, [found.value, *asked, *sides, found.method], strict=True))


def tidy(table: pd.DataFrame, exact: bool) -> pd.DataFrame:
    """A table of one type a column; where not `exact` of floats and texts alone."""
    if not exact:
        for name in table.columns.intersection(["sensitivity", "closed_form"]):
            texts = [None if cell is None else str(cell) for cell in table[name]]
            table.insert([*table].index(name) + 1, f"{name}_exact", texts)
            table[name] = table[name].map(as_float).astype(float)
        for name in table.columns.intersection(["status", *SIDES]):
            table[name] = [None if cell is None else dataset_text(cell) for cell in table[name]]
    named = table.columns.intersection(["column", "query", "relation", "method"])
    return table.astype(dict.fromkeys(named, str) | {"k": "int64"})


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
    plain = problem.universe.source.as_tuples
    is_short = plain and (method != "solver" or pair.size <= LONGEST_HELD)
    of = ["query", "relation", "universe", "size", "norm", "infeasible", "not_asked"]
    return Sensitivity(
        value=presented(pair.gap),
        witness=pair.pair() if is_short else CompactWitness(pair),
        method=method,
        datasets=datasets,
        is_local=is_local,
        **{name: getattr(problem, name) for name in of},
    )


def presented(gap: Gap) -> Number:
    """A gap as the number a caller sees: roots as floats, whole fractions as ints."""
    if isinstance(gap, RootGap):
        return float(gap)
    return simplest(gap) if isinstance(gap, Fraction) else gap
