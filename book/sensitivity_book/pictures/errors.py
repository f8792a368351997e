"""An error as a notebook shows it: where it was asked, what failed, and the sentence."""

from __future__ import annotations

from types import TracebackType
from typing import Any


def short_errors(shell: Any) -> None:
    """Make a notebook show errors without the packages' own frames, of which there are dozens."""

    def shown(shell: Any, kind: type, error: BaseException, tb: Any, tb_offset: Any = None) -> None:
        for each in filter(None, (error, error.__cause__)):
            each.__traceback__ = theirs(each.__traceback__)
        shell.showtraceback((kind, error, error.__traceback__), tb_offset=tb_offset)

    shell.set_custom_exc((Exception,), shown)


def theirs(tb: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of the packages."""
    if tb is None:
        return None
    rest, ours = theirs(tb.tb_next), tb.tb_frame.f_globals.get("__name__", "")
    if ours.startswith(("sensitivity_lab", "sensitivity_beyond")):
        return rest
    return TracebackType(rest, tb.tb_frame, tb.tb_lasti, tb.tb_lineno)
