"""One dataset and the records that are spare, for the proofs about its neighbours (thm-local)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sensitivity_lab.universe import Indices, Universe


@dataclass(frozen=True)
class Pool:
    """A dataset and what is spare, as sorted positions among the universe's values."""

    universe: Universe
    dataset: Indices
    most_added: int

    @cached_property
    def own(self) -> np.ndarray:
        """The dataset's positions, (n,)."""
        return np.array(self.dataset, dtype=np.intp)

    @cached_property
    def spare(self) -> np.ndarray:
        """The spare ones, (m,): for a range, as many copies of each value as can be asked for."""
        free = self.universe.most_copies(len(self.dataset) + self.most_added)
        free = free - np.bincount(self.own, minlength=len(free))
        return np.repeat(np.arange(len(free), dtype=np.intp), np.minimum(free, self.most_added))


def joined(*parts: np.ndarray) -> Indices:
    """One sorted dataset of several parts."""
    return tuple(np.sort(np.concatenate(parts)).tolist())
