"""A card for each case: what can be checked, what it costs, who knows."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from importlib import resources
from itertools import groupby
from typing import Any

import pandas as pd
from sensitivity_book.palette import MIDDLE
from sensitivity_book.verdicts import price

from sensitivity_board.case import Case
from sensitivity_lab import AuditRow
from sensitivity_lab.numbers import cell_text, dataset_text, number_text
from sensitivity_lab.plotting import TOO_SMALL

SLIGHT = Fraction(1, 1000)  # a smaller share is written as one part in many
LARGE = 10**12  # from here on commas help nobody
SEEN = Fraction("1.005")  # a factor below it is 1 in three digits
LONGEST = 12  # runs of equal rows; of more, the last are counted
STYLE = f"""
.case {{ border: 1px solid {MIDDLE}6; border-left: 5px solid {TOO_SMALL}; border-radius: 4px;
  margin: .8em 0; padding: .5em .9em .6em; }}
.case p {{ margin: 0 0 .3em; }}
.case dl {{ display: grid; grid-template-columns: 5.2em 1fr; gap: .15em .8em; margin: 0; }}
.case :is(dt, dd) {{ margin: 0; padding: 0; }}
.case dt {{ font-weight: normal; opacity: .75; }}
.case dd {{ min-width: 0; overflow-wrap: anywhere; }}
.case code {{ background: none; border: 0; padding: 0; color: inherit; font-size: .9em; }}
@media (max-width: 600px) {{ .case {{ padding: .5em .6em; }}
  .case dl {{ grid-template-columns: 4.2em 1fr; gap: .15em .5em; }} }}
"""


@dataclass(frozen=True)
class Issue:
    """What a library's own pages say of a case: a thread with its address and its state."""

    name: str
    url: str
    state: str


def looked() -> str:
    """Return the month in which the threads were last looked up."""
    month: str = _stored()["looked"]
    return month


def issues(case: Case) -> tuple[Issue, ...]:
    """Return the threads about a case; none if we found none."""
    return tuple(
        Issue(one["name"], one["url"], one["state"])
        for one in _stored()["issues"]
        if one["library"] == case.library
        and case.function in one["functions"]
        and case.setting.startswith(one.get("settings", ""))
    )


def _stored() -> dict[str, Any]:
    file = resources.files("sensitivity_board") / "data" / "issues.json"
    found: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return found


def cost(case: Case) -> str:
    """Say what is left of a promise of 1 whose noise was made for the claim."""
    row = case.row
    if math.isinf(row.found):
        return "no noise is enough: no number bounds how far the answers lie apart"
    if math.isinf(price(row)):
        return "no noise at all: no ε describes it"
    in_l2 = row.relation.startswith("L2") or case.quantity.startswith("L2") or case.norm == "L2"
    budget, power = ("ρ", 2) if in_l2 else ("ε", 1)
    least, most = ("at least ", "at most ") if row.searched else ("", "")
    needed = price(row, power)
    kept = (
        f"kept {budget} = {least}{_digits(needed) if needed >= SEEN else f'1 + {needed - 1:.2g}'}"
    )
    share = _digits(row.ratio) if row.ratio > SLIGHT else f"1/{_digits(1 / Fraction(row.ratio))}"
    if 1 / Fraction(row.ratio) < SEEN:  # 1 in three digits says nothing
        share = f"1 − {float(1 - Fraction(row.ratio)):.2g}"
    return f"promised {budget} = 1, {kept}: {most}{share} of the noise needed"


def noise(case: Case) -> str:
    """Say how much more noise a claim that is loose asks for than is needed."""
    ratio = case.row.ratio
    if math.isinf(ratio):
        return (
            "noise where none is needed"
            if math.isfinite(case.row.claimed)
            else "noise without bound"
        )
    if ratio < SEEN:
        parts = _digits(1 / (Fraction(ratio) - 1))
        return f"more noise than is needed, by 1 part in {parts}"
    factor = _digits(ratio)
    return f"{'twice' if factor == '2' else f'{factor} times'} the noise that is needed"


def spent(case: Case) -> str:
    """Say what a case costs those who rely on the claim; nothing where that is not known."""
    if case.loss or case.verdict == "exact" or "sensitivity" not in case.quantity:
        return case.loss
    return cost(case) if case.verdict == "too small" else noise(case)


def times(row: AuditRow) -> str:
    """Say by what factor a claim is off: of one that is exact, nothing."""
    if row.ratio in (0, 1) or math.isinf(row.ratio):
        return ""
    ratio = Fraction(row.ratio)
    factor = 1 / ratio if ratio < 1 else ratio
    return f"×{_digits(factor)}" if factor >= SEEN else f"×(1 + {float(factor - 1):.2g})"


def _digits(number: Any) -> str:
    """A number in three digits, a large one with commas."""
    text = f"{float(number):.3g}"
    return f"{round(float(text)):,}" if 1000 <= float(text) < LARGE else text


def numbers(row: AuditRow) -> tuple[str, str]:
    """Return the claim and the exact number as texts,
    to more digits where six do not tell them apart."""
    claimed, found = number_text(row.claimed), number_text(row.found)
    if claimed != found or row.ratio == 1:
        return claimed, found
    return str(row.claimed), str(row.found)


class Cards:
    """Cases as cards: the relation, the claim, the exact number, the two datasets,
    cost and status."""

    def __init__(self, cases: Iterable[Case]) -> None:
        self.cases = tuple(cases)

    def __repr__(self) -> str:
        return "\n".join(map(_text, self.cases))

    def _repr_html_(self) -> str:
        return f"<style>{STYLE}</style>" + "".join(map(_html, self.cases))


def _head(case: Case) -> tuple[str, str]:
    """The library with its version and date, and what was asked of it."""
    said = ", ".join(filter(None, [case.version, case.date]))
    setting = "" if case.setting == "none" else case.setting
    return f"{case.library} {said}", ", ".join(filter(None, [case.function, setting]))


def _facts(case: Case) -> dict[str, tuple[str, ...]]:
    """What a card says, by name, but for the status; the witness has a line for each dataset."""
    claimed, found = numbers(case.row)
    return {
        "relation": (case.relation,),
        "claimed": (f"{claimed}, {'at least' if case.row.is_a_bound else 'exact'} {found}",),
        "witness": witness_lines(case.row),
        "cost": (spent(case),),
    }


def thread(issue: Issue) -> str:
    """Return a link to a thread, with its state."""
    return f'<a href="{escape(issue.url)}">{escape(issue.name)}</a>, {escape(issue.state)}'


def _status(known: Iterable[str]) -> str:
    return f"{'; '.join(known) or 'no issue found'} ({looked()})"


def _text(case: Case) -> str:
    status = _status(f"{issue.name}, {issue.state}" for issue in issues(case))
    lines = [": ".join(_head(case))]
    for name, (first, *rest) in {**_facts(case), "status": (status,)}.items():
        lines += [f"  {name}: {first}", *(f"{' ' * (len(name) + 4)}{line}" for line in rest)]
    return "\n".join(lines)


def _html(case: Case) -> str:
    library, asked = map(escape, _head(case))
    status = _status(map(thread, issues(case)))
    said = {
        name: "<br>".join(
            f"<code>{escape(line)}</code>" if name == "witness" else escape(line) for line in lines
        )
        for name, lines in _facts(case).items()
    } | {"status": status}
    rows = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in said.items())
    return f'<div class="case"><p><b>{library}</b>: {asked}</p><dl>{rows}</dl></div>'


# --- a witness in two lines: each dataset as it can be checked, and the answer on it --------------


def witness_lines(row: AuditRow) -> tuple[str, ...]:
    """Return a line for each of the two datasets, with its answer; none where no pair is stored."""
    if row.answers is None:
        return ()
    write = str if _alike(*row.answers) else answer_text
    pair = zip((row.dataset, row.neighbour), row.answers, strict=True)
    return tuple(f"{data_line(data)} → {write(answer)}" for data, answer in pair)


def data_line(dataset: Any) -> str:
    """Write a dataset in a line: records as `dataset_text` does,
    tables by their columns and rows."""
    if isinstance(dataset, pd.DataFrame):
        return f"{', '.join(map(str, dataset.columns))}: {_rows(_values(dataset))}"
    if isinstance(dataset, dict):
        return "; ".join(_table(name, table) for name, table in dataset.items())
    return _nested(dataset) if _has_text(dataset) else dataset_text(dataset)


def answer_text(answer: Any) -> str:
    """Write an answer: a number, a vector, or a number for each group."""
    if isinstance(answer, dict):
        return ", ".join(f"{name}: {number_text(value)}" for name, value in answer.items()) or (
            "no groups"
        )
    return number_text(answer)


def _alike(one: Any, other: Any) -> bool:
    """Whether two answers are floats of which less than a thousandth differs."""
    if not isinstance(one, float) or not isinstance(other, float):
        return False
    return 0 < abs(one - other) < max(abs(one), abs(other)) / 1000


def _has_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, tuple) and any(map(_has_text, value)))


def _nested(value: Any) -> str:
    """Records that hold text, or rows of their own, in brackets within brackets."""
    return f"({', '.join(map(_nested, value))})" if isinstance(value, tuple) else cell_text(value)


def _table(name: str, table: Any) -> str:
    if not isinstance(table, pd.DataFrame):
        return f"{name}: {_rows(table)}"
    columns = f" ({', '.join(map(str, table.columns))})" if len(table) else ""
    return f"{name}{columns}: {_rows(_values(table))}"


def _values(table: pd.DataFrame) -> list[tuple[Any, ...]]:
    return list(table.itertuples(index=False, name=None))


def _rows(rows: Iterable[Iterable[Any]]) -> str:
    """Rows in brackets, equal neighbours counted."""
    texts = (f"({', '.join(map(cell_text, row))})" for row in rows)
    runs = [(text, len(list(run))) for text, run in groupby(texts)]
    shown = [text if copies == 1 else f"{text} ×{copies}" for text, copies in runs[:LONGEST]]
    left = sum(copies for _, copies in runs[LONGEST:])
    return ", ".join([*shown, *([f"… {left:,} more …"] if left else [])]) or "no rows"
