"""What a test runner wants of the audits in a test: their time, and what became of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import monotonic
from typing import Any


@dataclass
class OneTest:
    """One test: its seconds, if they are limited, when they end, what it allows,
    its audits so far."""

    budget: float | None
    ends: float
    allow_not_asked: bool = False
    audits: list[Any] = field(default_factory=list)


_RUN: ContextVar[OneTest | None] = ContextVar("run", default=None)


def in_this_test() -> OneTest | None:
    """Return the test that runs here, if its runner asked for it."""
    return _RUN.get()


@contextmanager
def this_test(budget: float | None = None, allow_not_asked: bool = False) -> Iterator[OneTest]:
    """Watch the audits of a block, which have so many seconds, and may leave directions out."""
    run = OneTest(budget, monotonic() + (budget or 0), allow_not_asked)
    token = _RUN.set(run)
    try:
        yield run
    finally:
        _RUN.reset(token)


def shown_as(failure: Exception, short: str, long: str) -> Exception:
    """A failure that tells a test runner how it reads: in short, and in a section of its own."""
    vars(failure)["sensitivity"] = (short, long)
    return failure
