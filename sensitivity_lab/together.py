"""What answers many datasets of tables together: the interface of a statement, which a query asks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from sensitivity_lab.records.source import Source
from sensitivity_lab.universe import Giver, Indices


class Together(ABC):
    """A function of tables that answers many datasets at once, as a database does."""

    @abstractmethod
    def __call__(self, dataset: Any) -> Any:
        """The answer on one dataset."""

    @abstractmethod
    def giver(self, source: Source, name: str | None) -> Giver:
        """What makes datasets of a universe's records, in the form that it is asked about."""

    @abstractmethod
    def over(self, source: Source, name: str | None) -> Any:
        """The same for datasets that come as tables, which are parts of a universe's records."""

    @abstractmethod
    def tells_types(self, source: Source, name: str | None) -> bool:
        """Whether records have columns whose types a part of them may not tell."""

    @abstractmethod
    def check(self, source: Source, name: str | None) -> None:
        """Refuse what cannot be asked over a universe's records."""

    @abstractmethod
    def answers(self, given: Any, datasets: Sequence[Indices]) -> list[Any] | None:
        """The unchecked answers; None for a dataset, or for all, to be asked one by one."""

    @abstractmethod
    def sample(self, given: Any, datasets: Sequence[Indices]) -> list[int]:
        """Which of some datasets are asked again alone, to hold the answers to."""

    @abstractmethod
    def python(self, query: Any) -> str | None:
        """The Python that makes a query of it, None where there is none."""
