"""An alarm that ends a piece of work, where the system has one."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType


class TimeIsUp(BaseException):
    """The alarm: no `except Exception` of a function under test may keep it."""


@contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    """Raise `TimeIsUp` in the block after so many seconds; at once if none are left."""
    if seconds <= 0:
        raise TimeIsUp
    if not _can_be_set():
        yield
        return
    sooner, _ = signal.getitimer(signal.ITIMER_REAL)
    if 0 < sooner <= seconds:
        yield
        return
    began, before = monotonic(), signal.signal(signal.SIGALRM, _ring)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)
        if sooner:
            signal.setitimer(signal.ITIMER_REAL, max(sooner - (monotonic() - began), 1e-3))


def _can_be_set() -> bool:
    main = threading.current_thread() is threading.main_thread()
    return main and hasattr(signal, "setitimer")


def _ring(number: int, frame: FrameType | None) -> None:
    raise TimeIsUp
