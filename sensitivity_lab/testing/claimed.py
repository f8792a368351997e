"""What one sampler is handed, and how it is written down while a library runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Replace a function of a module, or a method of a class, while a block runs.

    >>> import math
    >>> with replaced(math, "sqrt", lambda x: x):
    ...     math.sqrt(4)
    4
    >>> math.sqrt(4)
    2.0
    """
    before = vars(owner)[name]
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)
