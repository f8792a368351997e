"""What can go wrong with a problem that is put rightly, as classes that a caller can catch."""

from __future__ import annotations

from typing import Any


class Infeasible(ValueError):
    """No dataset of these sizes has a neighbour under the relation.

    >>> from sensitivity_lab import MEAN, Remove, Universe, global_sensitivity
    >>> try:
    ...     global_sensitivity(MEAN, Universe.value_range([0, 1]), size=1, relation=Remove(1))
    ... except Infeasible as error:
    ...     print(error)
    no direction of Remove(1) is feasible at size=1: remove 1: leaves 0 records,
        mean needs at least 1
    """


class TooLarge(ValueError):
    """The problem would take more time or memory than its limit; the message has the number.

    >>> from sensitivity_lab import Change, Universe, global_sensitivity
    >>> try:
    ...     global_sensitivity(max, Universe.population(range(50)), size=25, relation=Change(1))
    ... except TooLarge as error:
    ...     print(str(error)[:46])
    at least 536,878,650 datasets to answer exceed
    """


class NotProved(ValueError):
    """No solver or formula is proved for the problem, and nothing else was asked for.

    >>> from sensitivity_lab import Change, Universe, global_sensitivity
    >>> ask = {"size": 2, "relation": Change(1), "method": "solver"}
    >>> try:
    ...     global_sensitivity(max, Universe.value_range([0, 1]), **ask)
    ... except NotProved as error:
    ...     print(str(error)[:36])
    method='solver' has no proof for max
    """


class TimeIsUp(TimeoutError):
    """The seconds of a question are over.

    `at_least` is the widest gap that was met, with its `witness`: a lower bound, and no answer.
    """

    at_least: Any = None
    witness: Any = None
