"""Case files: functions of real libraries, each held to the sensitivity that it claims."""

from sensitivity_board.cards import Cards, Issue, cost, issues, looked
from sensitivity_board.case import Case
from sensitivity_board.cases.opendp_2026 import opendp_2026_cases
from sensitivity_board.cases.opendp_live import (
    b_ary_tree,
    opendp_cases,
    opendp_query,
    opendp_records,
    pairwise_predict,
    predictions,
    squared_deviations,
)
from sensitivity_board.cases.stated import pipelinedp_cases, tumult_cases
from sensitivity_board.cases.systems import (
    exact_part,
    stated_claims,
    systems_by_statement,
    systems_table,
)
from sensitivity_board.cases.watched import (
    Seen,
    audit_seen,
    diffprivlib_cases,
    polars_cases,
    seen,
)
from sensitivity_board.claims import (
    BOARD,
    SOURCES,
    as_of,
    board,
    case_files,
    case_files_asked,
    dated,
    scoreboard,
)

__all__ = [
    "BOARD",
    "SOURCES",
    "Cards",
    "Case",
    "Issue",
    "Seen",
    "as_of",
    "audit_seen",
    "b_ary_tree",
    "board",
    "case_files",
    "case_files_asked",
    "cost",
    "dated",
    "diffprivlib_cases",
    "exact_part",
    "issues",
    "looked",
    "opendp_2026_cases",
    "opendp_cases",
    "opendp_query",
    "opendp_records",
    "pairwise_predict",
    "pipelinedp_cases",
    "polars_cases",
    "predictions",
    "scoreboard",
    "seen",
    "squared_deviations",
    "stated_claims",
    "systems_by_statement",
    "systems_table",
    "tumult_cases",
]
