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


def show_as(failure: Exception, short: str, long: str) -> None:
    """Tell a test runner how a failure reads: in short, and at length in a section of its own."""
    vars(failure)["sensitivity"] = (short, long)


def as_plain(audit: Any) -> dict[str, Any]:
    """Return an audit as texts and lists, for JSON; its numbers are written exactly."""
    return {
        "function": audit.function,
        "headline": audit.headline,
        "scope": audit.scope,
        "not_asked": list(audit.not_asked),
        "rows": [_plain_row(row) for row in audit.rows],
    }


def _plain_row(row: Any) -> dict[str, Any]:
    asked = row.answers is not None
    found = "found" if row.is_a_bound else "exact"
    return {
        "relation": row.relation,
        "k": row.k,
        "size": row.size,
        "verdict": row.verdict,
        "claimed": _text(row.claimed),
        found: _text(row.found),
        "datasets": [dataset_text(side) for side in row.sides] if asked else None,
        "answers": [number_text(answer) for answer in row.answers] if asked else None,
        "note": row.note,
        "not_asked": list(row.not_asked),
    }


def _text(number: Any) -> str | None:
    return None if number is None else str(number)
