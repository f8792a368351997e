"""How long something may take, as a caller says it."""

from __future__ import annotations

from typing import Any

from sensitivity_lab.numbers.exact import brief, is_finite, is_real


def checked_seconds(seconds: Any) -> float:
    """Return how long something may take, or refuse what is no number above 0."""
    if not is_real(seconds):
        raise TypeError(f"seconds must be a number, got {brief(seconds)}")
    if not (is_finite(seconds) and seconds > 0):
        raise ValueError(f"seconds must be above 0 and finite, got seconds={brief(seconds)}")
    return float(seconds)
