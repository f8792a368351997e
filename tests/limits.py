"""A limit of time for what may hang."""

import signal
from contextlib import contextmanager


class Late(BaseException):
    """No Exception, so that nobody takes it for a failure of the function that was asked."""


@contextmanager
def time_limit(seconds):
    """Raise `Late` in a block that takes longer, where the system has alarms."""

    def late(*_):
        raise Late

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
