"""Every case, the table of them, how many there are of each verdict; and the board, made anew."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date
from importlib import resources
from operator import attrgetter
from pathlib import Path

import pandas as pd

from sensitivity_board.case import Case
from sensitivity_board.cases.accounting import accounting_cases
from sensitivity_board.cases.jax_privacy import jax_privacy_cases
from sensitivity_board.cases.opendp_2026 import opendp_2026_cases
from sensitivity_board.cases.sql_cases import sql_cases
from sensitivity_board.cases.stated import pipelinedp_cases, tumult_cases
from sensitivity_board.cases.then_and_now import then_and_now_cases
from sensitivity_board.cases.watched import diffprivlib_cases, polars_cases
from sensitivity_board.certificates import case_of, certificate

VERDICTS = ["too small", "exact", "loose"]


BOARD = resources.files("sensitivity_board") / "data" / "board.json"


def case_files() -> list[Case]:
    """Return every case, as the board's file holds it."""
    return [case_of(stored) for stored in json.loads(BOARD.read_text("utf-8"))["cases"]]


def _opendp() -> list[Case]:
    """OpenDP as it is installed; a page that runs Python has none,
    so it is imported when it is asked."""
    from sensitivity_board.cases.opendp_live import opendp_cases

    return opendp_cases()


# What asks each source anew, in the order of the board:
# OpenDP live, the others from their tables of figures.
SOURCES: tuple[Callable[[], list[Case]], ...] = (
    _opendp, polars_cases, opendp_2026_cases, diffprivlib_cases, tumult_cases, pipelinedp_cases,
    sql_cases, then_and_now_cases, accounting_cases, jax_privacy_cases,
)  # fmt: skip


def case_files_asked() -> list[Case]:
    """Return every case anew."""
    return [case for source in SOURCES for case in source()]


def dated(cases: Iterable[Case], before: Iterable[Case], day: str) -> list[Case]:
    """Return the cases that were asked live with a date:
    `day`, or the one before if nothing is new."""
    known = {case.address: certificate(case) for case in before}
    found = []
    for case in cases:
        stored = known.get(case.address, {})
        same = stored == certificate(replace(case, date=stored.get("asked", "")))
        found.append(case if case.date else replace(case, date=stored["asked"] if same else day))
    return found


def board(
    cases: Iterable[Case],
    verdict: Callable[[Case], str] = attrgetter("verdict"),
    verdicts: Iterable[str] = VERDICTS,
) -> pd.DataFrame:
    """Return how many cases of each library and version have each verdict,
    and when it was asked."""
    counts: dict[tuple[str, str, str], Counter[str]] = {}
    for case in cases:
        source = case.library, case.version, case.date
        counts.setdefault(source, Counter())[verdict(case)] += 1
    verdicts = [*verdicts]
    everything = sum(counts.values(), Counter[str]())
    rows = [
        [*source, *(found[one] for one in verdicts), found.total()]
        for source, found in [*counts.items(), (("all", "", ""), everything)]
    ]
    return pd.DataFrame(rows, columns=["library", "version", "asked on", *verdicts, "cases"])


def as_of(cases: Iterable[Case]) -> str:
    """Return the day of the latest stored answer."""
    return max(case.date for case in cases)


def scoreboard(cases: Iterable[Case]) -> pd.DataFrame:
    """Return a table of cases, each with the numbers of the row that tells most."""
    rows = [
        {
            "library": case.library,
            "function": case.function,
            "setting": case.setting,
            "relation": case.relation,
            "claimed": case.row.claimed,
            "exact": case.row.exact,
            "ratio": float(case.row.ratio),
            "verdict": case.verdict,
        }
        for case in cases
    ]
    return pd.DataFrame(rows)


# --- the board, made anew -------------------------------------------------------------------------


def make_board() -> None:
    """Ask every source anew, store the board, and say what changed."""
    before = case_files() if BOARD.is_file() else []
    after = dated(case_files_asked(), before, date.today().isoformat())
    Path(str(BOARD)).write_text(board_text(after), encoding="utf-8", newline="\n")
    changes = changed(told(before), told(after))
    print(f"board: {len(after)} cases, {len(changes) or 'none'} changed")
    print(*changes, sep="\n", end="\n" if changes else "")


def board_text(cases: list[Case]) -> str:
    """Return the board's file: a line a case, so that two of them can be compared."""
    lines = (json.dumps(certificate(case), ensure_ascii=False) for case in cases)
    return '{"cases": [\n' + ",\n".join(lines) + "\n]}\n"


def told(cases: Iterable[Case]) -> dict[str, str]:
    """Return of each case, by its address, the verdict, the claim and the exact number."""
    return {
        case.address: f"{case.verdict}, claimed {case.row.claimed}, exact {case.row.found}"
        f" ({case.version})"
        for case in cases
    }


def changed(old: dict[str, str], new: dict[str, str]) -> list[str]:
    """Return a line for each name that is new, gone, or has another value."""
    return [
        f"  {name}: {old.get(name, 'nothing')} → {new.get(name, 'nothing')}"
        for name in dict.fromkeys([*old, *new])
        if old.get(name) != new.get(name)
    ]
