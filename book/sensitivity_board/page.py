"""The board as a page: filters, a card for each claim, and where its certificate lies."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from datetime import date
from html import escape
from itertools import groupby

from sensitivity_board.cards import issues, looked, numbers, spent, thread, times, witness_lines
from sensitivity_board.case import Case
from sensitivity_board.certificates import universe_of
from sensitivity_board.claims import board
from sensitivity_board.programs import Program
from sensitivity_lab.numbers.text import counted, dataset_text

FILES = "../_static/board"  # from the page
SECTIONS = {"too small": "Too small", "loose": "Loose", "exact": "Exact"}  # in the page's order
SIGNS = {"too small": "✗", "loose": "△", "exact": "✓"}


def opening(cases: Iterable[Case]) -> str:
    """Return what stands above the cards: a sentence that counts, a bar, the libraries, the filters."""
    cases = tuple(cases)
    counts = Counter(case.verdict for case in cases)
    shares = "".join(
        f'<i data-verdict="{one}" style="flex: {counts[one]}"></i>' for one in SECTIONS
    )
    return (
        f'<p class="board-count">{summary(cases)}</p>\n'
        f'<p class="board-shares" aria-hidden="true">{shares}</p>\n'
        f"{_libraries(cases)}\n{_filters(cases)}\n"
    )


def summary(cases: Iterable[Case]) -> str:
    """Say how many claims there are, of how many libraries, from when, and how many of each verdict."""
    cases = tuple(cases)
    found = Counter(case.verdict for case in cases)
    told = [
        f"{_link(verdict, found[verdict])} {_are(found[verdict])} {verdict}" for verdict in SECTIONS
    ]
    libraries = len({case.library for case in cases})
    many = f"{libraries} librar{'y' if libraries == 1 else 'ies'}"
    asked = _span(min(case.date for case in cases), max(case.date for case in cases))
    return (
        f"{counted(len(cases), 'claim')} of {many}, asked {asked}: {told[0]}, {told[1]} and"
        f" {told[2]}. Threads were looked up in {_month(looked())}."
    )


def cards(cases: Iterable[Case], verdict: str, programs: dict[str, Program]) -> str:
    """Return the cards of one verdict: the worst first, exact ones as rows that open, by library."""
    chosen = ordered(case for case in cases if case.verdict == verdict)
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
    """Return cases as the page has them: too small and worst first, then loosest first, then exact."""
    verdicts = list(SECTIONS)

    def place(case: Case) -> tuple[int, float, str]:
        ratio = float(case.row.ratio)
        off = ratio if case.verdict == "too small" else -ratio
        return verdicts.index(case.verdict), off, case.library.casefold()

    return sorted(cases, key=place)


def card(case: Case, program: Program | None = None) -> str:
    """Return a case as a card with its own address."""
    off = times(case.row)
    verdict = f"{SIGNS[case.verdict]} {SECTIONS[case.verdict]}{f' by {off}' if off else ''}"
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
        "setting": escape(_setting(case)),
        "relation": escape(case.relation),
        "quantity": escape(quantity),
        "witness": "".join(f"<samp>{escape(line)}</samp>" for line in witness_lines(case.row)),
        "cost": _prose(spent(case)),
        "why": _prose(case.note),
        "compared": _prose(_compared(case)),
        "status" if case.verdict == "too small" else "related": _threads(case),
        "asked": f"version {escape(case.version)}, on {_day(case.date)}",
    }
    return {name: text for name, text in told.items() if text}


def _body(case: Case, program: Program | None) -> str:
    claimed, found = numbers(case.row)
    least = "at least" if case.row.searched else "exact"
    rows = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in facts(case).items())
    return (
        f'<p class="numbers"><span>claimed <b>{claimed}</b></span> <span>{least} <b>{found}</b></span></p>'
        f"<dl>{rows}</dl>{_links(case)}{_shown(case, program)}"
    )


def _marks(case: Case) -> str:
    """The card's address, and what the filters go by."""
    return (
        f'id="{case.address}" data-library="{escape(case.library)}"'
        f' data-verdict="{case.verdict}" data-relation="{escape(case.kind)}"'
    )


def _setting(case: Case) -> str:
    return "" if case.setting == "none" else case.setting


def _prose(text: str) -> str:
    """Words as HTML; what stands between backticks is code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def _threads(case: Case) -> str:
    return "; ".join(map(thread, issues(case))) or (
        "no thread found" if case.verdict == "too small" else ""
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
    table = board(cases).rename(columns={"cases": "all"})
    table = table.groupby(["library", "version"], sort=False)[[*SECTIONS, "all"]].sum()
    shown = table.reset_index().to_html(index=False, border=0, justify="unset", classes="table")
    shown = f'<div class="pst-scrollable-table-container" tabindex="0">{shown}</div>'
    return f'<details class="libraries"><summary>Each library, with its version</summary>{shown}</details>'


def _filters(cases: tuple[Case, ...]) -> str:
    fields = {
        "library": sorted({case.library for case in cases}, key=str.casefold),
        "verdict": list(SECTIONS),
        "relation": [name for name, _ in Counter(case.kind for case in cases).most_common()],
    }
    selects = "".join(
        f'<label>{name.capitalize()} <select name="{name}"><option value="">all</option>'
        + "".join(f"<option>{escape(value)}</option>" for value in values)
        + "</select></label>"
        for name, values in fields.items()
    )
    return (
        f'<form class="board" aria-label="Filters" hidden>{selects}'
        '<label>Text <input type="search" name="text" autocomplete="off" spellcheck="false"></label>'
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
