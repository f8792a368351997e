"""Every case, the table of them, and how many there are of each verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pandas as pd

from sensitivity_book.case_files.case import Case
from sensitivity_book.case_files.opendp_live import opendp_cases
from sensitivity_book.case_files.stated import pipelinedp_cases, tumult_cases
from sensitivity_book.case_files.watched import diffprivlib_cases, polars_cases

VERDICTS = ["too small", "exact", "loose"]


def case_files() -> list[Case]:
    """Return every case: OpenDP asked as it is installed, the others from the tables of figures.

    >>> sorted({case.library for case in case_files()})
    ['OpenDP', 'PipelineDP', 'Tumult', 'diffprivlib']

    Cost: a second or two, most of it OpenDP's answers.
    """
    return [
        *opendp_cases(),
        *polars_cases(),
        *diffprivlib_cases(),
        *tumult_cases(),
        *pipelinedp_cases(),
    ]


def board(cases: Iterable[Case]) -> pd.DataFrame:
    """Return how many cases of each library and version have each verdict, and when it was asked.

    >>> board(tumult_cases())[["library", "version", "asked on", "exact", "cases"]].values.tolist()
    [['Tumult', '0.19.1', '2026-11-21', 6, 6], ['Tumult', '0.21.0', '2026-11-21', 5, 5], ['all', '', '', 11, 11]]

    Cost: linear in the cases.
    """
    counts: dict[tuple[str, str, str], Counter[str]] = {}
    for case in cases:
        source = case.library, case.version, case.date or "each build"
        counts.setdefault(source, Counter())[case.verdict] += 1
    everything = sum(counts.values(), Counter[str]())
    rows = [
        [*source, *(found[verdict] for verdict in VERDICTS), found.total()]
        for source, found in [*counts.items(), (("all", "", ""), everything)]
    ]
    return pd.DataFrame(rows, columns=["library", "version", "asked on", *VERDICTS, "cases"])


def as_of(cases: Iterable[Case]) -> str:
    """Return the day of the latest stored answer.

    >>> as_of(tumult_cases())
    '2026-11-21'
    """
    return max(case.date for case in cases)


def scoreboard(cases: Iterable[Case]) -> pd.DataFrame:
    """Return a table of cases, each with the numbers of the row that tells most.

    >>> print(*scoreboard(tumult_cases()).loc[0, ["function", "claimed", "exact", "verdict"]])
    private join 4 4 exact

    Cost: linear in the cases.
    """
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
