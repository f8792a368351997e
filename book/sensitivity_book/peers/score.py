"""What this package makes of somebody else's benchmark, as one row of a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Score:
    """One benchmark of a peer: how much of it was asked, and how much was found.

    >>> Score("a tool's planted faults", "Near2021", 6, 5, "witness found", "() and (1)").share
    '5 of 6'

    `source` is a key of the bibliography or an address. `asked` counts the entries of the benchmark,
    `found` those of which `what` is true; `what` is in words. `worst` is the smallest witness, in words.
    """

    benchmark: str
    source: str
    asked: int
    found: int
    what: str
    worst: str

    def __post_init__(self) -> None:
        if not 0 <= self.found <= self.asked:
            raise ValueError(f"found must lie between 0 and asked = {self.asked}, got {self.found}")

    @property
    def share(self) -> str:
        """How many were found of those asked, in words."""
        return f"{self.found} of {self.asked}"


def score_table(scores: Iterable[Score]) -> pd.DataFrame:
    """Return the scores as a table, a row each, in the order given.

    >>> row = Score("a tool's planted faults", "Near2021", 6, 5, "witness found", "() and (1)")
    >>> score_table([row]).columns.tolist()
    ['benchmark', 'found', 'what is found', 'smallest witness']

    The source stays out of it: the page cites it. Cost: linear in the scores.
    """
    columns = ["benchmark", "found", "what is found", "smallest witness"]
    rows = [(one.benchmark, one.share, one.what, one.worst) for one in scores]
    return pd.DataFrame(rows, columns=columns)
