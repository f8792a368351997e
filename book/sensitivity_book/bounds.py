"""A search for a clipping bound: the sums at many bounds, and where they level off."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def clipped_sums(records: Sequence[int], bounds: Sequence[int]) -> np.ndarray:
    """Return the sum of the records clipped to [0, U], for each bound U.

    >>> clipped_sums([3, 8], [1, 5, 10])
    array([ 2,  8, 11])

    Cost: linear in the records, for each bound.
    """
    every = np.asarray(records)
    if every.dtype.kind == "i":
        every = every.astype(np.int64)  # whose sums stay whole numbers of 64 bits everywhere
    return np.array([every.clip(0, bound).sum() for bound in bounds], dtype=every.dtype)


def levels_off(bounds: Sequence[int], answers: Sequence[float], *, ahead: int) -> int:
    """Return the first bound whose answer is not beaten `ahead` bounds further on, else the last bound.

    >>> levels_off([1, 2, 4, 8], [10, 20, 30, 29], ahead=1)
    4

    Cost: linear in the bounds.
    """
    pairs = zip(bounds, answers, answers[ahead:], strict=False)  # the last have nothing ahead
    level = (bound for bound, answer, later in pairs if later <= answer)
    return int(next(level, bounds[-1]))
