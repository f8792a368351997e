"""What was pasted or chosen, as a list of numbers or a table, and the Python that reads it again.

A column is text until all its cells are numbers: `=1+2` and `007` stay as they are.  pandas reads;
which signs part cells, thousands and decimals is found here.
"""

import base64
import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from html import escape
from typing import Any

import pandas as pd

from sensitivity_beyond.ask.form import Form, must
from sensitivity_lab.numbers.text import counted

MOST_BYTES = 20_000_000
NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d\d?)?|\d+/[1-9]\d*)")
LIKE_NUMBER = re.compile(r"[+-]?\d[\d.,'’ \xa0\u202f]*(?:[eE][+-]?\d+)?")
# Signs of decimals and of thousands; of those that read most columns the first are taken.
SIGNS = [(".", ""), (".", ","), (",", ""), (",", "."), (".", "'"), (",", "'"), (".", "’")]
SIGNS += [(decimal, space) for space in " \xa0\u202f" for decimal in ".,"]
GAPS = ["NA", "N/A", "NaN", "nan", "NULL", "null", "None"]  # missing in a column of numbers alone
MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}


@dataclass(frozen=True)
class Data:
    """Records of a shape, "numbers", "values" or "table"; the Python that makes them."""

    shape: str
    data: Any
    python: str
    name: str = "records"  # what that Python calls them
    notes: Sequence[str] = ()


def read(form: Form) -> Data:
    """What a form says of its records; "file" is a name, a newline and the content in base64."""
    if form["source"] == "range":
        return _range(form)
    if form["source"] == "pasted":
        return _pasted(form["pasted"])
    if not form["file"]:
        raise must("file", "be chosen", "none")
    return _file(*form["file"].split("\n", 1))


def number(form: Form, field: str, whole: bool = False) -> Fraction:
    """The number that a field holds."""
    text = form[field].strip().replace("−", "-")
    like = r"\d{1,18}" if whole else NUMBER
    if not re.fullmatch(like, text) or len(text) > 40:
        rule = "be a whole number" if whole else "be a number, such as 5 or 2.5"
        raise must(field, rule, repr(form[field][:40]))
    return Fraction(text)


def quoted(text: str) -> str:
    """A text as Python writes it, over several lines where nothing in it stands against that."""
    plain = "\\" not in text and '"""' not in text and text[-1:] != '"'
    return f'"""{text}"""' if plain and "\n" in text else repr(text)


def _range(form: Form) -> Data:
    """All numbers from the lowest to the highest in steps."""
    low, high, step = (number(form, name) for name in ("low", "high", "step"))
    if step <= 0 or high <= low or (high - low) % step:
        raise must("step", f"lead from {low} up to {high}", step)
    many = int((high - low) / step) + 1
    if many > 1_000_001:
        raise must("step", "leave at most 1,000,001 values", f"{many:,}")
    if low.denominator == step.denominator == 1:
        whole = range(int(low), int(high) + 1, int(step))
        return Data("numbers", whole, f"records = {whole}")
    python = f'[Fraction("{low}") + i * Fraction("{step}") for i in range({many})]'
    return Data("numbers", [low + i * step for i in range(many)], f"records = {python}")


@lru_cache(maxsize=4)
def _pasted(text: str) -> Data:
    """A list on a line or on many, or a table with its header."""
    plain = re.sub(r"−(?=\d)", "-", re.sub("\r\n?", "\n", text).strip("\ufeff\n "))
    sign = next((sign for sign in (";", ", ", ",") if sign in plain), None)
    entries = [each.strip() for each in plain.split(sign) if each.strip()]
    if "\n" not in plain and all(map(LIKE_NUMBER.fullmatch, entries)):  # a list on one line
        plain = "\n".join(entries)
    return _table(plain, "pasted", f"io.StringIO({quoted(plain)})")


@lru_cache(maxsize=4)
def _file(name: str, packed: str) -> Data:
    """A file of text, whatever its encoding."""
    content = base64.b64decode(packed)
    if len(content) > MOST_BYTES:
        raise must("file", f"have at most {MOST_BYTES:,} bytes", f"{len(content):,}")
    coding = next((MARKS[mark] for mark in MARKS if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(coding)
    except UnicodeDecodeError:
        coding, text = "cp1252", content.decode("cp1252", "replace")
    if "\0" in text or "\ufffd" in text or content[:4] in (b"PK\3\4", b"%PDF"):
        raise must("file", "be text, a line for each row", "a workbook, or what is no text")
    return _table(re.sub("\r\n?", "\n", text).strip("\ufeff"), "file", repr(name), coding)


def _table(text: str, field: str, source: str, coding: str = "utf-8") -> Data:
    """Lines of cells, as pandas reads them with the signs that were found."""
    separator, rows = _rows(text, field)
    # The first row names the columns if it is no number and no formula, and comes once.
    first = [cell.strip() for cell in rows[0]]
    plain = all(not cell or LIKE_NUMBER.fullmatch(cell) for cell in first)
    titled = not (plain or any(cell[:1] == "=" for cell in first) or rows[0] in rows[1:])
    columns = list(zip(*rows[titled:], strict=True))
    if not columns:
        raise must(field, "hold a row below its header", "the header alone")
    # The signs with which most columns are numbers, by the first rows.
    start = [cells[:1000] for cells in columns]
    decimal, thousands = max(SIGNS, key=lambda signs: sum(_numeric(start, *signs)))
    numeric = _numeric(columns, decimal, thousands)
    found = {"sep": (separator, ","), "decimal": (decimal, "."), "thousands": (thousands, "")}
    options: dict[str, Any] = {name: sign for name, (sign, usual) in found.items() if sign != usual}
    if not titled:
        options["names"] = [f"column {i}" for i in range(1, 1 + len(columns))]
    try:
        frame = pd.read_csv(io.StringIO(text), **options)
        texts = [name for name, is_one in zip(frame, numeric, strict=True) if not is_one]
        if misread := [name for name in texts if frame[name].dtype.kind in "iuf"]:
            options["dtype"] = dict.fromkeys(misread, "str")
            frame = pd.read_csv(io.StringIO(text), **options)
    except (ValueError, OverflowError) as error:
        raise must(field, "be a table", error) from error
    options |= {"encoding": coding} if coding != "utf-8" else {}
    given = "".join(f", {name}={value!r}" for name, value in options.items())
    python, one, notes = f"table = pd.read_csv({source}{given})", frame.iloc[:, 0], []
    if any(numeric) and (decimal, thousands) != SIGNS[0]:
        parted = f"“{thousands}” parts thousands, " * bool(thousands)
        notes.append(f"{parted}“{decimal}” parts decimals.")
    if formulas := sum(cell.lstrip()[:1] == "=" for row in rows for cell in row):
        cells = counted(formulas, "cell")
        notes.append(f"{cells} with = at the start: text, since a formula is not computed.")
    if len(columns) > 1 or one.isna().any():
        return Data("table", frame, python, "table", notes)
    if titled:
        notes.append(f"The first line, “{first[0][:40]}”, is read as its name.")
    if empty := text.strip("\n").count("\n") + 1 - len(rows):
        notes.append(f"{counted(empty, 'empty line')} left out.")
    shape, records = "numbers" if numeric[0] else "values", one.tolist()
    if field == "pasted":
        return Data(shape, records, f"records = {records}", notes=notes)
    return Data(shape, records, f"{python}\nrecords = table[{one.name!r}].tolist()", notes=notes)


def _rows(text: str, field: str) -> tuple[str, list[list[str]]]:
    """The sign that parts cells, and the cells of each row, as many in all."""
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        raise must(field, "hold a record", "nothing")
    of_decimals = all(re.fullmatch(r"[+-]?\d+,\d+ *", line) for line in lines)  # or of thousands
    signs = "\t;|" if of_decimals else "\t;|,"
    # The first that gives each row as many cells; else that of the first row, so that one with
    # more or fewer is told; or cells stand alone.
    last = max(signs, key=lines[0].count)
    if last not in lines[0] or LIKE_NUMBER.fullmatch(lines[0]):
        last = next((sign for sign in "\t|;" if sign not in text), "\x1f")
    for i, sign in enumerate([*signs, last]):
        try:
            rows = [row for row in csv.reader(io.StringIO(text), delimiter=sign) if any(row)]
        except csv.Error as error:
            raise must(field, "be a table", error) from error
        widths = [*map(len, rows)]
        if len({*widths}) == 1 and (widths[0] > 1 or i == len(signs)):
            return sign, rows
    i, cells = widths.index(next(n for n in widths if n != widths[0])), counted(widths[0], "cell")
    raise must(field, f"have {cells} in row {i + 1:,}, as in the first", widths[i])


def _numeric(columns: Sequence[Sequence[str]], decimal: str, thousands: str) -> list[bool]:
    """Which columns hold numbers, and cells that are missing, alone."""
    parted = rf"|[1-9]\d{{0,2}}(?:{re.escape(thousands)}\d{{3}})+" if thousands else ""
    part = rf"(?:{re.escape(decimal)}\d+)?(?:[eE][+-]?\d{{1,3}})?"
    pattern = re.compile(rf" *[+-]?(?:0|[1-9]\d*{parted}){part} *|\s*|{'|'.join(GAPS)}")
    return [any(map(str.strip, cells)) and all(map(pattern.fullmatch, cells)) for cells in columns]


def preview(data: Data) -> str:
    """What was read, as HTML: of each column what it holds, missing cells, and the first rows."""
    kinds, heads = {"i": "whole numbers", "u": "whole numbers", "f": "numbers"}, []
    frame = data.data if data.shape == "table" else pd.DataFrame({"record": data.data})
    for name, column in frame.items():
        held = "numbers" if data.shape == "numbers" else kinds.get(column.dtype.kind, "text")
        gaps = len(column) - int(column.count())
        heads.append(f"{name}: {held}" + f", {gaps:,} missing" * bool(gaps))
    many = counted(len(frame), "record") + ", the first five:" * (len(frame) > 5)
    notes = escape(" ".join([*data.notes, f"Read: {many}"]))
    table = frame.head(5).set_axis(heads, axis=1).to_html(index=False, na_rep="missing", border=0)
    return f"<p>{notes}</p>{table}"
