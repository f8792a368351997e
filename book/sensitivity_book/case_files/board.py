"""Every case, and the table of them."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from sensitivity_book.case_files.case import Case
from sensitivity_book.case_files.opendp_live import opendp_cases
from sensitivity_book.case_files.stated import pipelinedp_cases, tumult_cases
from sensitivity_book.case_files.watched import diffprivlib_cases, polars_cases


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
