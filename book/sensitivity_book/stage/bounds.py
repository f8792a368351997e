"""A search for a clipping bound: the sums at many bounds, and where they level off."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def clipped_sums(records: Sequence[int], bounds: Sequence[int]) -> np.ndarray:
    """Return the sum of the records clipped to [0, U], for each bound U."""
    every = np.asarray(records)
    if every.dtype.kind == "i":
        every = every.astype(np.int64)  # whose sums stay whole numbers of 64 bits everywhere
    return np.array([every.clip(0, bound).sum() for bound in bounds], dtype=every.dtype)


def levels_off(bounds: Sequence[int], answers: Sequence[float], *, ahead: int) -> int:
    """Return the first bound whose answer is not beaten `ahead` bounds further on,
    else the last bound."""
    pairs = zip(bounds, answers, answers[ahead:], strict=False)  # the last have nothing ahead
    level = (bound for bound, answer, later in pairs if later <= answer)
    return int(next(level, bounds[-1]))
