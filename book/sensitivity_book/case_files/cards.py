"""A card for each case whose claim is too small: what can be checked, what it costs, who knows."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from importlib import resources
from typing import Any

from sensitivity_book.case_files.case import Case
from sensitivity_book.verdicts import price, price_text
from sensitivity_lab.text import number_text

STYLE = """
.case { border: 1px solid #8886; border-left: 5px solid #a03060; border-radius: 4px;
  margin: .8em 0; padding: .5em .9em .6em; }
.case p { margin: 0 0 .3em; }
.case dl { display: grid; grid-template-columns: 5.2em 1fr; gap: .15em .8em; margin: 0; }
.case :is(dt, dd) { margin: 0; padding: 0; }
.case dt { font-weight: normal; opacity: .75; }
.case dd { min-width: 0; overflow-wrap: anywhere; }
.case code { background: none; border: 0; padding: 0; color: inherit; font-size: .9em; }
@media (max-width: 600px) { .case { padding: .5em .6em; }
  .case dl { grid-template-columns: 4.2em 1fr; gap: .15em .5em; } }
"""


@dataclass(frozen=True)
class Issue:
    """What a library's own pages say of a case: a thread with its address and its state."""

    name: str
    url: str
    state: str


def looked() -> str:
    """Return the month in which the threads were last looked up.

    >>> looked()
    '2026-11'
    """
    month: str = _stored()["looked"]
    return month


def issues(case: Case) -> tuple[Issue, ...]:
    """Return the threads about a case; none if we found none.

    >>> from sensitivity_lab import AuditRow
    >>> row = AuditRow("L2 distance", 2, None, claimed=4, found=5)
    >>> [issue.name for issue in issues(Case("OpenDP", "1", "b-ary tree", "", (row,)))]
    ['issue 2924']

    Cost: reads one file.
    """
    return tuple(
        Issue(one["name"], one["url"], one["state"])
        for one in _stored()["issues"]
        if one["library"] == case.library and case.function in one["functions"]
    )


def _stored() -> dict[str, Any]:
    file = resources.files("sensitivity_book") / "data" / "issues.json"
    found: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return found


def cost(case: Case) -> str:
    """Say what is left of a promise of 1 whose noise was made for the claim.

    >>> from sensitivity_lab import AuditRow
    >>> row = AuditRow("Change", 1, 5, claimed=2, found=3)
    >>> cost(Case("a library", "1", "sum", "", (row,)))
    'promised ε = 1, kept ε = 1.5: 0.667 of the noise needed'

    Distances in L2 are paid in ρ, with Gaussian noise. Source: thm-audits-cost, notebooks/case-files.
    """
    row = case.row
    if math.isinf(price(row)):
        return "no noise at all: no ε describes it"
    budget, power = ("ρ", 2) if row.relation.startswith("L2") else ("ε", 1)
    kept = f"kept {budget} = {price_text(row, power)}"
    return f"promised {budget} = 1, {kept}: {float(row.ratio):.3g} of the noise needed"


class Cards:
    """Cases as cards: the relation, the claim, the exact number, the two datasets, cost and status.

    >>> from sensitivity_lab import AuditRow
    >>> row = AuditRow("Change", 1, 1, claimed=1, found=2, dataset=(0,), neighbour=(2,), answers=(0, 2))
    >>> print(Cards([Case("a library", "1.0", "sum", "bounds (0, 2)", (row,))]))
    a library 1.0: sum, bounds (0, 2)
      relation: 1 changed
      claimed: 1, exact 2
      witness: (0) → 0
               (2) → 2
      cost: promised ε = 1, kept ε = 2: 0.5 of the noise needed
      status: no issue found (2026-11)

    A dataset is written as it can be checked; `61 ×26` are 26 records of 61.
    """

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
    row = case.row
    witness = tuple(line.strip() for line in str(row).splitlines()[1:])
    return {
        "relation": (case.relation,),
        "claimed": (f"{number_text(row.claimed)}, exact {number_text(row.exact)}",),
        "witness": witness,
        "cost": (cost(case),),
    }


def _text(case: Case) -> str:
    known = [f"{issue.name}, {issue.state}" for issue in issues(case)]
    status = f"{'; '.join(known) or 'no issue found'} ({looked()})"
    lines = [": ".join(_head(case))]
    for name, (first, *rest) in {**_facts(case), "status": (status,)}.items():
        lines += [f"  {name}: {first}", *(f"{' ' * (len(name) + 4)}{line}" for line in rest)]
    return "\n".join(lines)


def _html(case: Case) -> str:
    library, asked = map(escape, _head(case))
    known = [
        f'<a href="{escape(issue.url)}">{escape(issue.name)}</a>, {escape(issue.state)}'
        for issue in issues(case)
    ]
    status = f"{'; '.join(known) or 'no issue found'} ({looked()})"
    said = {
        name: "<br>".join(
            f"<code>{escape(line)}</code>" if name == "witness" else escape(line) for line in lines
        )
        for name, lines in _facts(case).items()
    } | {"status": status}
    rows = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in said.items())
    return f'<div class="case"><p><b>{library}</b>: {asked}</p><dl>{rows}</dl></div>'
