"""A reader's number, read and judged in Python as `book/_static/answers.js` does it in a page."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import NamedTuple

from sensitivity_book.answers.kinds import NumberAnswer, Verdict
from sensitivity_book.answers.reading import MisreadError
from sensitivity_lab.numbers import is_real

PARTS = re.compile(r"(?:(\d+) )?(\d+)/(\d+)")
DECIMAL = re.compile(r"(\d*)(?:\.(\d+))?(…|\.\.\.)? ?(%)?")
THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.|$)")


class Typed(NamedTuple):
    """A number; of a decimal also its last place, its digits, and whether it was cut."""

    value: Fraction
    places: int | None = None
    digits: int = 0
    cut: bool = False

    def near(self, right: Fraction) -> bool:
        """Within half a unit of the last digit, or a whole one of a number that was cut."""
        if self.places is None:
            return False
        off = (right - self.value) * 10**self.places
        return abs(off) <= Fraction(1, 2) or (self.cut and 0 < off * self.value and abs(off) <= 1)

    def rounded(self, right: Fraction) -> bool:
        """Near, in three digits at least."""
        return self.near(right) and self.digits >= 3


def read(text: str, unit: str = "") -> Typed:
    """Read 3, −3, 19/6, 3 1/6, 3.1667, 3.16…, 27.2%, 5,040, and the unit behind any of them."""
    clean = re.sub(r"^[=≈]\s*", "", re.sub("[−–]", "-", text.strip()))
    clean = re.sub(" ?/ ?", "/", " ".join(clean.split()), count=1)
    behind = next(
        (one for one in (unit, unit.removesuffix("s")) if one and clean.endswith(one)), ""
    )
    typed = clean.removesuffix(behind).strip() if behind else clean
    typed = typed.replace(",", "") if THOUSANDS.match(typed) else typed
    found = _unsigned(typed[1:] if typed[:1] in ("+", "-") else typed)
    if found is None:
        raise MisreadError("Write a number, such as 19/6, 3 1/6 or 3.167.")
    return found._replace(value=-found.value) if typed.startswith("-") else found


def _unsigned(text: str) -> Typed | None:
    if parts := PARTS.fullmatch(text):
        ones, above, below = (int(part or 0) for part in parts.groups())
        return Typed(ones + Fraction(above, below)) if below else None
    found = DECIMAL.fullmatch(text)
    if not found or not (found[1] or found[2]):
        return None
    whole, after, cut, percent = found[1], found[2] or "", bool(found[3]), 2 * bool(found[4])
    if not after:
        return None if cut else Typed(Fraction(int(whole), 10**percent))
    places = len(after) + percent
    value = Fraction(int(whole + after), 10**places)
    return Typed(value, places, len((whole + after).lstrip("0")), cut)


def judge(answer: NumberAnswer, given: object) -> Verdict:
    """Judge a number, or the text of one; a float may be as near as floats are."""
    if given is ...:
        raise MisreadError("Put your number in the place of the three dots.")
    own, right = read(_plain(given), answer.unit), Fraction(answer.right)
    exact = not isinstance(answer.right, float)
    close = isinstance(given, float) and math.isclose(given, answer.right, rel_tol=1e-9)
    if close or own.rounded(right) or (exact and own.value == right):
        return Verdict(True, _agreed(answer, own.value == right))
    if own.near(right):
        return Verdict(False, f"Give three digits{', or a fraction' if exact else ''}.")
    return Verdict(False, _refuted(answer, own, str(given).strip()))


def _plain(given: object) -> str:
    """Write a number as a reader would type it: a float without an exponent."""
    if is_real(given) and not isinstance(given, Fraction):
        return f"{given:.17f}".rstrip("0").rstrip(".") if "e" in str(given) else str(given)
    return str(given)


def _agreed(answer: NumberAnswer, exactly: bool) -> str:
    rounded = (
        "" if exactly or isinstance(answer.right, float) else f"It is {answer.right}, rounded."
    )
    top = f"{answer.ladder[-1].words} No neighbours are further apart." if answer.ladder else ""
    return " ".join(filter(None, (rounded, top, answer.why)))


def _refuted(answer: NumberAnswer, own: Typed, typed: str) -> str:
    slips = ((Fraction(wrong), words) for wrong, words in answer.slips.items())
    slip = next((words for wrong, words in slips if own.value == wrong or own.rounded(wrong)), "")
    above = next((rung.words for rung in answer.ladder if own.value < rung.gap), "")
    witness = f"Two neighbours are further apart: {above}" if above else ""
    if answer.ladder and not above:
        witness = f"No two neighbours are {typed} apart: that is too much."
    return " ".join(filter(None, (slip, witness))) or "It is another number. The hint may help."
