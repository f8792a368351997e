"""The reduced faults of dp-recorder's tests, each found from its claim alone.

dp-recorder (Cebere et al. 2026, https://github.com/ObliviousAI/dp-recorder, May 2026) runs a
program on a pair of datasets that it is given, and holds what the program declares against what the
pair shows. Six files of its `tests/` have a reduced fault each, a seventh a count that is right.
The functions are written here anew, from what they do, and asked without a pair: a claim, a
relation, and the smallest numbers that show the claim too small.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

import sensitivity_lab as sl
from sensitivity_board.peers.score import Score
from sensitivity_lab import Audit, AuditRow
from sensitivity_lab.numbers import dataset_text, number_text

LIMIT = 5  # the bound of the two clipped sums
LARGEST = 10  # the numbers that are tried go no further
ADD_REMOVE, REPLACED = sl.SymmetricDifference(1), sl.Change(1)
Dataset = tuple[Any, ...]
Pair = tuple[Dataset, Dataset]


@dataclass(frozen=True)
class Reduced:
    """One of dp-recorder's tests: a function, what is claimed of it,
    and the pair that the test brings."""

    test: str
    what: str
    kind: str
    function: Callable[[Dataset], Any]
    claimed: int
    relation: sl.Relation
    pair: Pair
    missing: bool = False
    smallest_size: int = 0

    @cached_property
    def query(self) -> sl.Query:
        """The function as the audit asks it."""
        return sl.Query(
            self.what, self.function, smallest_size=self.smallest_size, takes_missing=self.missing
        )

    @property
    def caught_by(self) -> str:
        """The check of dp-recorder that sees it."""
        return "nothing: it is right" if self is RIGHT else CHECKS[self.kind]

    @property
    def values(self) -> list[Any]:
        """The values of the pair that the test brings."""
        given = {record for side in self.pair for record in side}
        return sorted(given - {None}) + ([None] if None in given else [])

    def held(
        self, values: list[Any], sizes: list[int], relation: sl.Relation | None = None
    ) -> Audit:
        """Hold the function to its claim over datasets of some values, all pairs of some sizes."""
        return sl.audit(
            self.query,
            self.claimed,
            sl.Universe.value_range(values),
            sizes=sizes,
            relations=[relation or self.relation],
            output_metric=distance,
        )


def distance(x: Any, y: Any) -> Any:
    """Return the L1 distance between two answers; infinity between a number and NaN."""
    pairs = zip(*(one if isinstance(one, tuple) else (one,) for one in (x, y)), strict=True)
    return sum(_moved(a, b) for a, b in pairs)


def _moved(a: Any, b: Any) -> Any:
    nan_here, nan_there = math.isnan(a), math.isnan(b)
    if nan_here or nan_there:
        return 0 if nan_here and nan_there else math.inf
    return abs(a - b)


def raw_sum(records: Dataset) -> Any:
    """Sum the records as they come, where clipped ones were meant."""
    return sum(records)


def sum_clipped(records: Dataset) -> float:
    """Clip each record to [−5, 5] by NumPy, and sum them: a missing one stays NaN."""
    numbers = np.array([math.nan if one is None else one for one in records], dtype=np.float64)
    return float(np.sum(np.clip(numbers, -LIMIT, LIMIT), dtype=np.float64))


def sum_known(records: Dataset) -> int:
    """Clip each record that is there to [−5, 5], and sum them: a missing one counts for nothing."""
    return sum(max(-LIMIT, min(LIMIT, one)) for one in records if one is not None)


def distinct(records: Dataset) -> int:
    """Count the classes that the data show."""
    return len(set(records))


def sum_and_size(records: Dataset) -> tuple[Any, int]:
    """Answer two queries with one budget: the sum and the size."""
    return sum(records), len(records)


def ones(records: Dataset) -> int:
    """Count the records that are 1."""
    return sum(one == 1 for one in records)


def privbayes_sensitivity(features: int, parents: int) -> int:
    """Return the sensitivity that the reduced PrivBayes declares:
    0 where the two numbers are equal."""
    return features - parents


DECLARED, SAME, BOTH = "declared", "the same for neighbours", "one budget for two"
CHECKS = {
    DECLARED: "declared against measured",
    SAME: "the same in both runs",
    BOTH: "10,000 samples",
}
HALF, ZEROS = Fraction(1, 2), (0,) * 100
REDUCED = (
    Reduced("test_sensitivity_miscalibration", "sum, not clipped", DECLARED, raw_sum, LIMIT,
        REPLACED,
            ((1, -2, 3), (1, -2, 100))),
    Reduced("test_nan_injection", "clipped sum, with NaN", DECLARED, sum_clipped, LIMIT, REPLACED,
            ((1, 2), (1, None)), missing=True),
    Reduced("test_noise_miscalibration", "sum, K = features", DECLARED, raw_sum,
            privbayes_sensitivity(5, 5), ADD_REMOVE, ((1, 1), (1,))),
    Reduced("test_buggy_private_mean", "the divisor n", SAME, len, 0, ADD_REMOVE,
            ((HALF,) * 3, (HALF,) * 2), smallest_size=1),
    Reduced("test_domain_inference", "the number of classes", SAME, distinct, 0, ADD_REMOVE,
            ((0, 1, 2, 0), (0, 1, 0)), smallest_size=1),
    Reduced("test_double_spending", "sum and size", BOTH, sum_and_size, 1, ADD_REMOVE,
            (ZEROS, (*ZEROS, 1))),
)  # fmt: skip
RIGHT = Reduced("test_correct_mechanism", "count of ones", DECLARED, ones, 1, ADD_REMOVE,
                ((0, 1, 1, 0), (0, 1, 0)))  # fmt: skip


def smallest(reduced: Reduced) -> AuditRow | None:
    """Return the smallest violation, from the claim alone; None if no number up to 10 shows one."""
    sizes = [size for size in range(3) if size >= reduced.smallest_size]
    for most in range(LARGEST + 1):
        values = [*range(most + 1), *([None] if reduced.missing else [])]
        violations = reduced.held(values, sizes).violations
        if violations:
            return violations[0]
    return None


def their_gap(reduced: Reduced) -> Any:
    """Return how far the answers lie apart on the pair that the test brings."""
    one, other = map(reduced.function, reduced.pair)
    return distance(one, other)


def exact_there(reduced: Reduced) -> Any:
    """Return the exact sensitivity over the values and the size of the pair
    that the test brings."""
    return reduced.held(reduced.values, [len(reduced.pair[0])]).worst.found


def reached(reduced: Reduced) -> float:
    """Return which part of the exact sensitivity the test's own pair reaches."""
    gap, exact = their_gap(reduced), exact_there(reduced)
    return 1.0 if gap == exact else gap / exact


def recorder_table() -> pd.DataFrame:
    """Return the six, and the one that is right, as a table:
    found from the claim, and on their pair."""
    return pd.DataFrame([_row(reduced) for reduced in (*REDUCED, RIGHT)])


def _row(reduced: Reduced) -> dict[str, str]:
    row = smallest(reduced)
    exact, gap = exact_there(reduced), their_gap(reduced)
    return {
        "test": reduced.test.removeprefix("test_"),
        "asked of": reduced.what,
        "claim": reduced.kind,
        "claimed": number_text(reduced.claimed),
        "found": "–" if row is None else _number(row.found),
        "witness": "none" if row is None else f"{_shown(row.dataset)} → {_shown(row.neighbour)}",
        "their pair": _number(gap),
        "exact there": _number(exact),
        "share": f"{reached(reduced):.0%}",
        "dp-recorder's check": reduced.caught_by,
    }


def _number(number: Any) -> str:
    return "∞" if number == math.inf else number_text(number)


def _shown(dataset: Dataset) -> str:
    """A dataset in brackets; a missing record reads NaN, which is what the function makes of it."""
    return dataset_text(dataset).replace("None", "NaN")


def clipped_claims() -> pd.DataFrame:
    """Return the sum that was meant, clipped and with NaN left out,
    held to 5 under both relations."""
    meant = Reduced("", "clipped sum", DECLARED, sum_known, LIMIT, ADD_REMOVE, ((), ()))
    relations = {"a record added or removed": ADD_REMOVE, "a record replaced": REPLACED}
    rows = [meant.held([-5, 0, 5, 6], [1, 2], relation).worst for relation in relations.values()]
    return pd.DataFrame(
        {
            "neighbours by": list(relations),
            "claimed": [row.claimed for row in rows],
            "exact": [row.found for row in rows],
            "verdict": [row.verdict for row in rows],
            "witness": [f"{_shown(row.dataset)} → {_shown(row.neighbour)}" for row in rows],
        }
    )


def scored() -> Score:
    """Return how many of the six were found from the claim alone."""
    found = [(row, reduced) for reduced in REDUCED if (row := smallest(reduced)) is not None]
    row, reduced = found[0]
    moved = f"{number_text(row.found)} where {number_text(row.claimed)} is claimed"
    return Score(
        "dp-recorder's reduced faults",
        "cebere2026",
        len(REDUCED),
        len(found),
        "shown too small from the claim alone, no pair given",
        f"{reduced.what}: {_shown(row.dataset)} → {_shown(row.neighbour)}, {moved}",
    )
