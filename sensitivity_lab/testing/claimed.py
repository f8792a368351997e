"""What one sampler is handed, and how it is written down while a library runs."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol


class Claimed(NamedTuple):
    """What one sampler was handed: the sensitivity that is claimed, and the value without noise.

    >>> Claimed("diffprivlib Laplace", 3.0, 5.0).sensitivity
    3.0
    """

    mechanism: str
    sensitivity: Any
    value: Any


class Seen(Protocol):
    """A sampler that was asked while a library ran."""

    def claimed(self) -> Claimed:
        """What it was handed."""
