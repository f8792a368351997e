"""How numbers and datasets are written for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from itertools import groupby
from numbers import Rational
from typing import Any

from sensitivity_lab.numbers.exact import Exact, brief, exact_number, is_finite, is_real

LONGEST_FRACTION = 9  # characters; a longer fraction is written in six digits
LONGEST_NUMBER = 40  # digits; a longer number is written in six digits
LONGEST_REPR = 300  # digits; in a repr, a longer number is named by its size
LONGEST_LINE = 12  # records; of a longer dataset equal neighbours are counted: 1 ×126
DEEPEST = 4  # brackets within brackets; what is deeper is cut short
LONGEST_SHOWN = 100  # of these; more are shown by the first and the last ten
LONGEST_CELL = 40  # letters of a cell of a table

BEYOND_FLOATS: dict[str, Any] = {"Emax": MAX_EMAX, "Emin": MIN_EMIN, "traps": []}
WIDE = Context(50, ROUND_HALF_EVEN, **BEYOND_FLOATS)
SIX_DIGITS = Context(6, ROUND_HALF_EVEN, **BEYOND_FLOATS)


def number_text(value: Any) -> str:
    """Write a number shortly: whole, or a short fraction, as it is; else to six digits."""
    if isinstance(value, tuple):
        return _line(value, _short, LONGEST_LINE)
    text = _short(value)
    return f"{int(text):,}" if isinstance(_exact(value), int) and "e" not in text else text


def equals_text(value: Any) -> str:
    """Say what a number equals: ≈ where the text is rounded."""
    text = number_text(value)
    if isinstance(value, tuple):
        return f"{'=' if all(_says(_short(entry), entry) for entry in value) else '≈'} {text}"
    exact = _exact(value)
    if exact is not None and "/" in text:
        rounded, size = _six_digits(exact), abs(Fraction(exact))
        if _says(rounded, value):
            return f"= {text} = {rounded}"
        near = Fraction(1, 1000) <= size < 10_000  # four digits are enough beside the fraction
        return f"= {text} ≈ {f'{float(exact):.4g}' if near else rounded}"
    return f"{'=' if _says(text.replace(',', ''), value) else '≈'} {text}"


def value_text(value: Any) -> str:
    """Write a number in full: as `equals_text`, without the first equals sign."""
    return equals_text(value).removeprefix("= ")


def dataset_text(dataset: Any, *, longest: int = LONGEST_LINE) -> str:
    """Write a dataset as it can be checked, no record rounded."""
    if not isinstance(dataset, (tuple, list, range)):
        return _record(dataset)
    return _line(dataset, _record, longest)


def cell_text(value: Any) -> str:
    """Write a cell: numbers exactly, what is missing as NULL, long texts cut short."""
    if value is None:
        return "NULL"
    text = dataset_text(value).removesuffix(" 00:00:00")
    if isinstance(value, str) and (text in ("", "NULL") or text != text.strip()):
        text = repr(value)
    if not text.isprintable():
        text = repr(value) if isinstance(value, str) else " ".join(text.split())
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"


def counted(n: int, what: str) -> str:
    """Write how many there are of something."""
    return f"{n:,} {what}{'s' * (n != 1)}" if n else f"no {what}s"


def listed(names: Iterable[object]) -> str:
    """Names in a line of a message, or "none"."""
    return ", ".join(map(str, names)) or "none"


def one_line(text: str, most: int) -> str:
    """A text on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def true_minus(text: str) -> str:
    """Write a number's text as Matplotlib's ticks do, with a true minus."""
    return text.replace("-", "−")


def number_repr(value: Any, deepest: int = DEEPEST) -> str:
    """Return the repr of a number, or of a tuple or list of any length."""
    if _is_long(value, LONGEST_REPR):
        return f"<about {number_text(value)}>"
    if not isinstance(value, (tuple, list)) or deepest == 0:
        return repr(value) if is_real(value) else brief(value)
    many = len(value) > LONGEST_SHOWN
    texts = [number_repr(entry, deepest - 1) for entry in (value[:10] if many else value)]
    if many:
        between = f"… {len(value) - 20:,} more …"
        texts += [between, *(number_repr(entry, deepest - 1) for entry in value[-10:])]
    inside = ", ".join(texts)
    comma = "," if isinstance(value, tuple) and len(value) == 1 else ""
    return f"({inside}{comma})" if isinstance(value, tuple) else f"[{inside}]"


def fields_repr(value: Any) -> str:
    """Return a dataclass's repr, numbers as `number_repr` writes them."""
    shown = [field.name for field in fields(value) if field.repr]
    inside = ", ".join(f"{name}={number_repr(getattr(value, name))}" for name in shown)
    return f"{type(value).__name__}({inside})"


def _short(value: Any) -> str:
    """A number shortly, as `number_text`, without commas."""
    exact = _exact(value)
    if exact is None:
        return own_text(value)
    whole = isinstance(exact, int)
    if _is_long(exact, LONGEST_NUMBER) or not (whole or isinstance(value, Rational)):
        return _six_digits(exact)
    text = str(exact)
    return text if whole or len(text) <= LONGEST_FRACTION else _six_digits(exact)


def _exact(value: Any) -> Exact | None:
    """The exact number of what can be written out, else None."""
    is_far = isinstance(value, Decimal) and abs(value.adjusted()) >= 10_000
    return exact_number(value) if is_real(value) and is_finite(value) and not is_far else None


def _six_digits(exact: Exact) -> str:
    """A number to six digits, also beyond floats."""
    size = abs(Fraction(exact))
    if exact == 0 or Fraction(1, 10**300) < size < 10**300:
        return f"{float(exact):.6g}"
    parts = []
    for whole in (exact.numerator, exact.denominator):
        shift = max(0, whole.bit_length() - 200)  # of a long one only the first 200 bits are read
        parts.append(WIDE.multiply(Decimal(whole >> shift), WIDE.power(2, shift)))
    return f"{WIDE.divide(*parts).normalize(SIX_DIGITS):e}"


def _says(text: str, value: Any) -> bool:
    """Whether a text is the number itself."""
    exact = _exact(value)
    return exact is None or Fraction(text) == exact


def _record(value: Any) -> str:
    """A record exactly, unless it is too long."""
    if _is_long(value, LONGEST_NUMBER):
        return _short(value)
    return float.__repr__(value) if isinstance(value, float) else own_text(value)


def own_text(value: Any) -> str:
    """A value's own text."""
    try:
        text = str(value)
    except Exception:
        return brief(value)
    too_deep = len(text) > 999 and not text[:999].strip("([{")  # only 3.14 writes it
    return brief(value) if too_deep else text


def _is_long(value: Any, digits: int) -> bool:
    """Whether an int, or part of a fraction, has more digits."""
    if isinstance(value, Decimal):
        return len(value.as_tuple().digits) > digits
    if not (isinstance(value, Rational) and is_real(value)):
        return False
    parts = int(value.numerator), int(value.denominator)
    return max(part.bit_length() for part in parts) > 3.33 * digits


def _line(entries: Sequence[Any], text: Callable[[Any], str], longest: int) -> str:
    """Entries in brackets: of many the runs of equals, at most the first and last ten."""
    if len(entries) <= longest:
        return f"({', '.join(map(text, entries))})"
    try:
        runs = [(value, sum(1 for _ in copies)) for value, copies in groupby(entries)]
    except Exception:  # some cannot be compared: rows of tables have no truth
        runs = [(value, 1) for value in entries]
    texts = [text(value) + (f" ×{n}" if n > 1 else "") for value, n in runs]
    if len(texts) > LONGEST_SHOWN:
        texts[10:-10] = [f"… {sum(n for _, n in runs[10:-10]):,} more …"]
    return f"({', '.join(texts)})"
