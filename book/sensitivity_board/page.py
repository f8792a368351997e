"""The board as a page: filters, a card for each claim, and where its certificate lies."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import date
from html import escape
from itertools import groupby

from sensitivity_board.cards import issues, looked, numbers, spent, thread, times, witness_lines
from sensitivity_board.case import Case
from sensitivity_board.certificates import universe_of
from sensitivity_board.claimed import (
    CAUSES,
    OTHER,
    asked_with,
    cause,
    newer,
    place,
    projects,
    standing,
)
from sensitivity_board.claims import board
from sensitivity_board.programs import Program
from sensitivity_lab.numbers import counted, dataset_text

FILES = "../_static/board"  # from the page
# In the page's order. The second is no verdict of a certificate,
# which knows of one relation at a time.
SECTIONS = {
    "too small": "Too small", OTHER: "Exact under the other relation", "loose": "Loose",
    "exact": "Exact",
}  # fmt: skip
WORDS = {
    "too small": "too small", "loose": "larger than needed", "exact": "exact",
    OTHER: "exact under the other of two relations, of which the library names neither",
}  # fmt: skip
SIGNS = {"too small": "✗", OTHER: "⇄", "loose": "△", "exact": "✓"}


def opening(cases: Iterable[Case]) -> str:
    """Return what stands above the cards: a sentence that counts, a bar, the libraries,
    the filters."""
    cases = tuple(cases)
    counts = Counter(map(standing, cases))
    shares = "".join(
        f'<i data-verdict="{one}" style="flex: {counts[one]}"></i>' for one in SECTIONS
    )
    return (
        f'<p class="board-count">{summary(cases)}</p>\n'
        f'<p class="board-shares" aria-hidden="true">{shares}</p>\n'
        f"{_libraries(cases)}\n{_filters(cases)}\n"
    )


def summary(cases: Iterable[Case]) -> str:
    """Say how many claims there are of each verdict, from when, and why they are too small."""
    cases = tuple(cases)
    asked = _span(min(case.date for case in cases), max(case.date for case in cases))
    return (
        f"{tally(cases, _link)} They were asked {asked}.{_why(cases)} Threads were looked up in "
        f"{_month(looked())}."
    )


def tally(cases: Iterable[Case], shown: Callable[[str, int], str] = lambda _, n: f"{n}") -> str:
    """Say of how many claims how many have each verdict: on the board, and on the first page."""
    cases = tuple(cases)
    found = Counter(map(standing, cases))
    told = [f"{shown(one, found[one])} {_are(found[one])} {WORDS[one]}" for one in SECTIONS]
    asked = f"{counted(len(projects(cases)), 'project')} for {counted(len(cases), 'claim')}"
    return f"We asked {asked}: {', '.join(told[:-1])}, and {told[-1]}."


def _why(cases: Iterable[Case]) -> str:
    """How many claims are too small by each cause, the most frequent first."""
    found = Counter(cause(case) for case in cases if standing(case) == "too small")
    told = ", ".join(f"{name} {count}" for name, count in found.most_common())
    return f" The causes of those too small: {told}." if told else ""


def cards(cases: Iterable[Case], verdict: str, programs: dict[str, Program]) -> str:
    """Return the cards of one verdict: the worst first, exact ones as rows that open,
    by library."""
    chosen = ordered(case for case in cases if standing(case) == verdict)
    if verdict != "exact":
        return "\n".join(card(case, programs.get(case.address)) for case in chosen)
    groups = groupby(chosen, key=lambda case: case.library)
    return "\n".join(
        f'<div class="claims"><h3>{escape(library)}</h3>\n'
        + "\n".join(row(case, programs.get(case.address)) for case in own)
        + "</div>"
        for library, own in groups
    )


def ordered(cases: Iterable[Case]) -> list[Case]:
    """Return cases as the page has them: too small and worst first, then loosest first,
    then exact."""
    verdicts = list(SECTIONS)

    def place(case: Case) -> tuple[int, float, str]:
        ratio = float(case.row.ratio)
        off = ratio if case.verdict == "too small" else -ratio
        return verdicts.index(standing(case)), off, case.library.casefold()

    return sorted(cases, key=place)


def card(case: Case, program: Program | None = None) -> str:
    """Return a case as a card with its own address."""
    off, told = times(case.row), SECTIONS[standing(case)]
    by = f"; under this one {case.verdict}" if standing(case) == OTHER else ""
    verdict = f"{SIGNS[standing(case)]} {told}{by}{f' by {off}' if off else ''}"
    return (
        f'<article class="claim" {_marks(case)}><p class="verdict">{verdict}</p>'
        f"<h3>{escape(case.library)}: {escape(case.function)}</h3>{_body(case, program)}</article>"
    )


def row(case: Case, program: Program | None = None) -> str:
    """Return a case as a line that opens to its card."""
    asked = ", ".join(filter(None, [case.function, _setting(case)]))
    return (
        f'<details class="claim" {_marks(case)}><summary><span><span>{escape(asked)}</span>'
        f" <i>{escape(case.relation)}</i></span> <b>{numbers(case.row)[1]}</b></summary>"
        f"{_body(case, program)}</details>"
    )


def facts(case: Case) -> dict[str, str]:
    """Return what a card says below its numbers, as HTML by name; what is not known is left out."""
    quantity = case.quantity if case.quantity != "sensitivity" else ""
    told = {
        "setting": _prose("; ".join(filter(None, [_setting(case), asked_with(case)]))),
        "relation": escape(case.relation),
        "quantity": escape(quantity),
        "witness": "".join(f"<samp>{escape(line)}</samp>" for line in witness_lines(case.row)),
        "cost": _prose(spent(case)),
        "cause": escape(cause(case)),
        "why": _prose(case.note),
        "claimed at": _claimed_at(case),
        "compared": _prose(_compared(case)),
        "status" if standing(case) == "too small" else "related": _threads(case),
        "asked": f"version {escape(case.version)}, on {_day(case.date)}",
        "newer": _prose(newer(case)),
    }
    return {name: text for name, text in told.items() if text}


def _body(case: Case, program: Program | None) -> str:
    claimed, found = numbers(case.row)
    least = "at least" if case.row.searched else "exact"
    rows = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in facts(case).items())
    return (
        f'<p class="numbers"><span>claimed <b>{claimed}</b></span> <span>{least} <b>{found}</b>'
        "</span></p>"
        f"<dl>{rows}</dl>{_links(case)}{_shown(case, program)}"
    )


def _claimed_at(case: Case) -> str:
    """The library's own words that give the claim, or that it was read from a run; and where."""
    at = place(case)
    if at is None:
        return ""
    words = f"<q>{escape(at.words)}</q>" if at.words else "read from a run of"
    return f'{words} <a href="{escape(at.url)}">{escape(at.file)}, {at.lines}</a>, {escape(at.at)}'


def _marks(case: Case) -> str:
    """The card's address, and what the filters go by."""
    return (
        f'id="{case.address}" data-library="{escape(case.library)}"'
        f' data-verdict="{standing(case)}" data-relation="{escape(case.kind)}"'
        f' data-cause="{escape(cause(case)) or "none"}"'
    )


def _setting(case: Case) -> str:
    return "" if case.setting == "none" else case.setting


def _prose(text: str) -> str:
    """Words as HTML; what stands between backticks is code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def _threads(case: Case) -> str:
    return "; ".join(map(thread, issues(case))) or (
        "no thread found" if standing(case) == "too small" else ""
    )


def _compared(case: Case) -> str:
    """Which datasets were compared: the case's own words, or what its table of answers holds."""
    universe = universe_of(case.answers)
    if case.scope or not case.answers:
        return case.scope
    if isinstance(universe, str):
        return f"the {counted(len(case.answers), 'dataset')} that the certificate lists"
    low, high = universe["sizes"]
    sizes = f"{low} to {high} records" if low != high else counted(low, "record")
    values = list(dict.fromkeys(record for dataset, _ in case.answers for record in dataset))
    told = ", ".join(dataset_text(value) for value in values)
    return f"all datasets of {sizes} from the values {told}"


def _links(case: Case) -> str:
    held = counted(len(case.answers), "answer") if case.answers else "the witness"
    if not case.answers and case.row.answers is None:
        held = "the numbers"
    return (
        f'<p class="links"><a href="#{case.address}">this card</a> '
        f'<a href="{FILES}/certificates/{case.address}.json">certificate</a> ({held})</p>'
    )


def _shown(case: Case, program: Program | None) -> str:
    if program is None:
        return ""
    needs = ", ".join(program.needs) or f"{case.library} {case.version}"
    code = escape(program.code.rstrip("\n"))
    return (
        f'<details class="program"><summary>reproduce</summary><p>Needs {escape(needs)}.</p>'
        f'<div class="highlight"><pre tabindex="0">{code}\n</pre></div></details>'
    )


def _libraries(cases: tuple[Case, ...]) -> str:
    """How many claims of each library have each verdict."""
    table = board(cases, standing, [*SECTIONS]).rename(columns={"cases": "all"})
    table = table.groupby(["library", "version"], sort=False)[[*SECTIONS, "all"]].sum()
    shown = table.reset_index().to_html(index=False, border=0, justify="unset", classes="table")
    shown = f'<div class="pst-scrollable-table-container" tabindex="0">{shown}</div>'
    return (
        '<details class="libraries"><summary>Each library, '
        f"with its version</summary>{shown}</details>"
    )


def _filters(cases: tuple[Case, ...]) -> str:
    fields = {
        "library": sorted({case.library for case in cases}, key=str.casefold),
        "verdict": list(SECTIONS),
        "relation": [name for name, _ in Counter(case.kind for case in cases).most_common()],
        "cause": [*(name for name in CAUSES if name in set(map(cause, cases))), "none"],
    }
    selects = "".join(
        f'<label>{name.capitalize()} <select name="{name}"><option value="">all</option>'
        + "".join(f"<option>{escape(value)}</option>" for value in values)
        + "</select></label>"
        for name, values in fields.items()
    )
    return (
        f'<form class="board" aria-label="Filters" hidden>{selects}'
        '<label>Text <input type="search" name="text" autocomplete="off" spellcheck="false">'
        "</label>"
        f'<p><span role="status">{len(cases):,} claims</span>'
        ' <button type="button">Show all</button></p></form>'
    )


def _link(verdict: str, count: int) -> str:
    return f'<a href="#{verdict.replace(" ", "-")}">{count or "none"}</a>'


def _are(count: int) -> str:
    return "are" if count > 1 else "is"


def _span(first: str, last: str) -> str:
    if first == last:
        return f"on {_day(last)}"
    begun = str(int(first[8:])) if first[:7] == last[:7] else _day(first)
    return f"from {begun} to {_day(last)}"


def _day(iso: str) -> str:
    """A day as people say it: 21 November 2026."""
    day = date.fromisoformat(iso)
    return f"{day.day} {day:%B %Y}"


def _month(iso: str) -> str:
    return f"{date.fromisoformat(f'{iso}-01'):%B %Y}"
