"""What every method is: it refuses what is too large, then answers a problem by its worst pair."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from sensitivity_lab.problem import Problem
from sensitivity_lab.proved.worst_pair import WorstPair


class Answered(NamedTuple):
    """A problem's worst pair, how many datasets were answered to find it, and by which method."""

    pair: WorstPair
    datasets: int
    by: str  # the method's name


class Method(Protocol):
    """A way to answer problems: the walk, the sweep or the solver."""

    @property
    def name(self) -> str:
        """What a result says of how it was found."""

    def check(self, problem: Problem) -> None:
        """Refuse a problem that is too large, before any work. Raises TooLarge."""

    def answer(self, problem: Problem) -> Answered | None:
        """Find the worst pair; None where the method does not serve the problem."""
