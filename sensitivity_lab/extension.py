"""The door: all that this package asks of what goes beyond it, and the one file that names it.

Here a record is a number, or a value told apart from others, and a proof is one on an interval.
Other records, questions of what a record says, proofs without enumeration and audits live in a
second distribution, `sensitivity-beyond`, which is asked for five things:

    of a problem     `lift`: one of numbers in its place, and what leads its pair back
    of a problem     `solve`: the widest pair by a proof, no dataset enumerated
    of records       `source`: what holds them, where they are no list of numbers or values
    of an answer     `opened`: its numbers and their keys; of a pair `marked`: how it is shown
    of a name        `NAMES` and `METHODS`: they load with their first use

and it answers with objects of the classes below.  `Source` (`records.py`) and `Family`
(`proved/family.py`) are shared too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sensitivity_beyond.doors import OfQuery as OfQuery
    from sensitivity_beyond.doors import OfResult as OfResult
    from sensitivity_beyond.doors import OfSensitivity as OfSensitivity
    from sensitivity_beyond.doors import OfUniverse as OfUniverse

    from sensitivity_lab.numbers.exact import Exact
    from sensitivity_lab.problem import Budget, Problem
    from sensitivity_lab.proved.worst_pair import WorstPair
    from sensitivity_lab.queries import Query
    from sensitivity_lab.records import Positions, Source
    from sensitivity_lab.universe import Dataset, Indices, Universe

BEYOND = "sensitivity_beyond"

# Public names that live there, by room.
NAMES = {
    "audit.audit": "audit audit_map",
    "audit.boundary_values": "breaking_values",
    "audit.report": "Audit AuditRow",
    "proofs.smooth": "SmoothSensitivity sensitivity_at_distance smooth_sensitivity",
    "tables.counting": "count_people count_people_where",
    "tables.sql.statement": "sql",
}
# Of the classes of this package, what lives there.
METHODS = {
    "OfQuery": "of by clipped",
    "OfUniverse": "product people truncated apply holds_people",
    "OfResult": "to_dict to_json",
    "OfSensitivity": "snippet",
}


def room(name: str, wanted: str) -> Any:
    """A module from beyond; where it is not installed, say what needs it."""
    if not is_installed():
        raise ImportError(f"{wanted} needs sensitivity-beyond: pip install sensitivity-beyond")
    return import_module(f"{BEYOND}.{name}")


@cache
def is_installed() -> bool:
    """Whether there is anything beyond this package."""
    return find_spec(BEYOND) is not None


class Door:
    """A method that lives beyond, and loads with its first use."""

    def __init__(self, kind: str, name: str) -> None:
        self.kind, self.name = kind, name

    def __get__(self, instance: Any, owner: type) -> Any:
        there = room("doors", f"{owner.__name__}.{self.name}")
        return vars(getattr(there, self.kind))[self.name].__get__(instance, owner)


if not TYPE_CHECKING:  # a checker reads the methods where they live
    OfQuery, OfUniverse, OfResult, OfSensitivity = (
        type(kind, (), {name: Door(kind, name) for name in names.split()})
        for kind, names in METHODS.items()
    )


class TooFew(Exception):
    """A dataset has fewer records than a query of what they say is defined on."""


# -- a question of what records say --


class Asked(ABC):
    """A query's function that is asked of what each record says, or of many datasets at once."""

    slow = False  # few datasets are enumerated before a proof is asked for
    hint = ""  # what else is solved, for the end of a refusal
    cuts = False  # numbers are cut before it is asked of them

    @abstractmethod
    def __call__(self, dataset: Any) -> Any:
        """The answer on one dataset."""

    def check(self, problem: Problem) -> None:  # noqa: B027 — most can be asked anything
        """Refuse a problem that it cannot be asked, before any work."""

    def check_metric(self) -> None:  # noqa: B027
        """Refuse to have its answers measured by a caller's metric."""

    def ends(self, low: Exact, high: Exact) -> tuple[Exact, Exact]:
        """The ends of an interval, as it makes them of its numbers."""
        return low, high

    def fewer(self, universe: Universe) -> Universe | None:
        """A universe of fewer datasets, quick to count: too many of these are refused."""
        return None

    def giver(self, source: Source, name: str | None) -> Callable[[Positions], Any]:
        """What makes datasets of positions among a source's values; `name` is the universe's."""
        return source.giver()


class Answering(ABC):
    """Makes datasets of positions, and answers a query on many of them in its own way."""

    together = False  # one question for all of them: blocks are large

    @abstractmethod
    def __call__(self, positions: Positions) -> Any:
        """The dataset at some positions, as a function is given it."""

    @abstractmethod
    def answers(self, query: Query, datasets: Sequence[Indices]) -> list[Any]:
        """The checked answers on some datasets."""

    def hold(self, query: Query, datasets: Iterable[Sequence[int]]) -> None:  # noqa: B027
        """Refuse answers that do not stand where datasets are put in another way."""

    def stands(self, problem: Problem, pair: WorstPair) -> WorstPair:
        """The pair, held to what its two datasets answer alone."""
        return pair


# -- a problem of numbers in place of another --


class Lifted(ABC):
    """The numbers that a query is asked of over a universe, and what leads back from them."""

    query: Query  # of the numbers
    named: bool  # the query itself says what of a record they are

    @property
    @abstractmethod
    def numbers(self) -> Universe:
        """The numbers that the universe's records say."""

    @abstractmethod
    def dataset(self, positions: Iterable[int]) -> Dataset:
        """The numbers that the records at some positions say, ascending."""

    @abstractmethod
    def back(self, pair: WorstPair) -> WorstPair:
        """A pair of numbers as a pair of records."""

    @abstractmethod
    def of_dataset(self, dataset: Indices) -> Indices:
        """One dataset of records as one of numbers, both as positions."""

    @abstractmethod
    def back_at(self, dataset: Indices, pair: WorstPair) -> WorstPair:
        """A dataset of records, and that which loses and gains the numbers of a pair."""


def lift(query: Query, universe: Universe) -> Lifted | None:
    """The numbers that a query is asked of; None where it is asked of the records as they are."""
    of_numbers = universe.numeric and not isinstance(query.function, Asked)
    if of_numbers or query.is_own or not is_installed():
        return None
    lifted: Lifted | None = room("tables.lifting", query.name).lift(query, universe)
    return lifted


def solve(problem: Problem, budget: Budget, dataset: Indices | None = None) -> WorstPair | None:
    """The widest pair, of all datasets or at one, by a proof; None where no proof covers it."""
    if not is_installed():
        return None
    solver = room("proofs.solver", "method='solver'")
    pair: WorstPair | None = (
        solver.solve(problem, budget) if dataset is None else solver.solve_local(problem, dataset)
    )
    return pair


# -- records, answers and pairs --


def source(records: Any, what: str) -> Source:
    """What holds records that are no list of numbers or values."""
    held: Source = room("tables.rows", f"{what} as a table").Rows(records, what)
    return held


def entries(dataset: Any, what: str) -> Sequence[Any]:
    """The records of a dataset that is no sequence."""
    listed: Sequence[Any] = room("tables.frames", f"a table as {what}").entries(dataset, what)
    return listed


def is_foreign(value: Any) -> bool:
    """Whether a value is a table, of whatever library: its type has columns."""
    return hasattr(type(value), "columns") or hasattr(type(value), "column_names")


def asked(function: Callable[[Any], Any], record: Any) -> Any:
    """What a function says of a record, which may have gaps."""
    is_plain = record is not None and (not isinstance(record, tuple) or type(record) is tuple)
    if is_plain or not is_installed():
        return function(record)
    return room("tables.frames", "a row").asked(function, record)


def opened(answer: Any, what: str, dataset: Any) -> Any:
    """The keys and numbers of a table answered on a dataset; anything else as it is."""
    is_table = is_foreign(answer)
    return room("tables.keyed", what).opened(answer, what, dataset) if is_table else answer


def marked(universe: Universe, witness: Any) -> Any:
    """A pair of records that are no numbers as two marked tables; None without any."""
    shown = is_installed() and not universe.numeric
    return room("tables.shown", "a pair").marked_witness(universe, witness) if shown else None


def way_out(dataset: Any, error: BaseException) -> str:
    """What the failure of a function on a dataset that is no tuple is due to, in words."""
    if isinstance(dataset, tuple) or not is_installed():
        return ""
    words: str = room("tables.frames", "a table").way_out(dataset, error)
    return words
