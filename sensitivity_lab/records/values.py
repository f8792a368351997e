"""Records that are no numbers: text, tuples, or anything else that has a hash."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from sensitivity_lab.records.source import Source, are_text, hashed, ordered


class Values(Source):
    """Some different records, and how many copies of each there are."""

    values: tuple[Hashable, ...]
    counts: np.ndarray

    def __init__(self, records: Iterable[Any], what: str, once: bool = False) -> None:
        """Count equal records, or hold each `once`."""
        listed = list(records)
        counted: Counter[Any] = Counter(
            listed if are_text(listed) else (hashed(record, what) for record in listed)
        )
        self.values = ordered(counted)
        copies = [1 if once else counted[value] for value in self.values]
        self.counts = np.array(copies, dtype=np.intp)
