"""Judges that several exercises share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from sensitivity_book.answers.kinds import Verdict
from sensitivity_book.answers.reading import MisreadError, given
from sensitivity_lab.numbers import counted, is_finite, is_real, number_text


def agrees(
    reference: Callable[..., Any], cases: Callable[[], Iterable[tuple[Any, ...]]]
) -> Callable[[Callable[..., Any]], Verdict]:
    """Return a judge that calls a function with each case, the smallest first, till it errs."""

    def judge(function: Callable[..., Any]) -> Verdict:
        tried = 0
        for case in cases():
            own, right = number(function, case), reference(*case)
            if not same(own, right):
                words = (
                    f"With {given(case)} it gives {number_text(own)}. "
                    f"Right is {number_text(right)}."
                )
                return Verdict(False, words)
            tried += 1
        return Verdict(
            True, f"Your function is right on all {counted(tried, 'input')} that were tried."
        )

    return judge


def number(function: Callable[..., Any], case: tuple[Any, ...]) -> Any:
    """Call a reader's function with copies of what a case holds; return its number."""
    copies = (list(each) if isinstance(each, list) else each for each in case)
    own = function(*copies)
    if own is None:
        raise MisreadError(f"With {given(case)} it gives nothing. Is a return missing?")
    if not (is_real(own) and is_finite(own)):
        raise MisreadError(f"With {given(case)} it gives {own!r}, which is no number.")
    return own


def same(own: Any, right: Any) -> bool:
    """Whether two numbers are equal; a float need only be near."""
    near = isinstance(own, float) or isinstance(right, float)
    return math.isclose(own, right, rel_tol=1e-9, abs_tol=1e-12) if near else bool(own == right)


def belief(odds: float) -> float:
    """What somebody believes at some odds: how often she is right."""
    return odds / (1 + odds)
