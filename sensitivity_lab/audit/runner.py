"""What a test runner wants of the audits in a test: their time, and what became of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from sensitivity_lab.numbers.text import dataset_text, number_text


@dataclass
class Run:
    """One test: its seconds, if they are limited, when they end, what it allows, its audits so far."""

    budget: float | None
    ends: float
    allow_not_asked: bool = False
    audits: list[Any] = field(default_factory=list)


_RUN: ContextVar[Run | None] = ContextVar("run", default=None)


def in_this_test() -> Run | None:
    """Return the test that runs here, if its runner asked for it."""
    return _RUN.get()


@contextmanager
def this_test(budget: float | None = None, allow_not_asked: bool = False) -> Iterator[Run]:
    """Watch the audits of a block, which have so many seconds, and may leave directions out."""
    run = Run(budget, monotonic() + (budget or 0), allow_not_asked)
    token = _RUN.set(run)
    try:
        yield run
    finally:
        _RUN.reset(token)


def raise_as_told(told: tuple[str, str], message: str) -> None:
    """Fail with a message; a test runner is told it in short, and at length for a section of its own."""
