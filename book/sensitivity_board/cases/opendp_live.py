"""OpenDP, asked as it is installed: transformations, held to their stability maps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from importlib.metadata import version
from itertools import permutations, product
from typing import Any

import numpy as np
import opendp.prelude as dp
from sensitivity_book.theory.stability.domains import L1, L2, SYMMETRIC

from sensitivity_board.case import NORMS, Case, answers_of, strictest
from sensitivity_lab.audit.audit import audit, audit_map
from sensitivity_lab.audit.report import AuditRow
from sensitivity_lab.queries import Query
from sensitivity_lab.relations import Change, SymmetricDifference
from sensitivity_lab.universe import Universe

LARGE = 2.0**50  # floats near it are quarters apart


def opendp_query(name: str, transformation: dp.Transformation, *, smallest_size: int = 1) -> Query:
    """Return a transformation of OpenDP as a query; its `map` is the claim."""
    return Query(name, lambda dataset: transformation(list(dataset)), smallest_size)


def opendp_cases() -> list[Case]:
    """Return the cases of the OpenDP that is installed: transformations and their stability maps."""
    dp.enable_features("contrib", "honest-but-curious")
    return [
        *_size_unknown(),
        *_size_known(),
        _squared_deviations(),
        *map(_tree, (1, 2)),
        _pairwise_predictions(),
    ]


def _opendp(function: str, setting: str, rows: Iterable[AuditRow], **more: Any) -> Case:
    return Case("OpenDP", version("opendp"), function, setting, tuple(rows), **more)


def opendp_records(
    kind: type, bounds: tuple[float, float] | None = None, size: int | None = None
) -> Any:
    """Return OpenDP's domain of datasets of `int` or `float`, without the float that is no number."""
    no_nan = {"nan": False} if kind is float else {}
    return dp.vector_domain(dp.atom_domain(bounds=bounds, T=kind, **no_nan), size)


def _size_unknown() -> Iterator[Case]:
    sizes = range(4)

    def case(
        function: str, setting: str, records: Any, then: Any, universe: Universe, norm: float = 1
    ) -> Case:
        transformation = (records, dp.symmetric_distance()) >> then
        query = opendp_query(function, transformation, smallest_size=0)
        rows = audit(
            query,
            lambda k: transformation.map(k),
            universe,
            sizes_within=sizes,
            relations=[SymmetricDifference(k) for k in (1, 2, 3)],
            norm=norm,
        ).rows
        answers = answers_of(query, (d for size in sizes for d in universe.datasets(size=size)))
        return _opendp(function, setting, strictest(rows), norm=NORMS[norm], answers=answers)

    for kind, lows in ((int, (0, -2, 1)), (float, (0, -2, -3))):
        for low in lows:
            bounds = kind(low), kind(3)
            setting = f"{kind.__name__}s, bounds ({low}, 3)"
            universe = Universe.value_range(bounds)
            yield case("sum", setting, opendp_records(kind, bounds), dp.t.then_sum(), universe)
    asked = {"records": opendp_records(int), "universe": Universe.value_range([0, 1, 2])}
    yield case("count", "", then=dp.t.then_count(), **asked)
    yield case("count_distinct", "", then=dp.t.then_count_distinct(), **asked)
    yield case("count_by_categories", "L1", then=_histogram("L1Distance<int>"), **asked)
    scores = dp.t.then_quantile_score_candidates([0, 1, 2], 0.5)
    yield case("quantile scores", "α 1/2", then=scores, norm=math.inf, **asked)


def _size_known() -> Iterator[Case]:
    size = 5

    def case(
        function: str,
        setting: str,
        records: Any,
        then: Any,
        changes: Sequence[int],
        universe: Universe,
        norm: float = 1,
    ) -> Case:
        transformation = dp.t.make_metric_unbounded(records, dp.change_one_distance()) >> then
        query = opendp_query(function, transformation)
        rows = audit(
            query,
            lambda k: transformation.map(k),
            universe,
            sizes=size,
            relations=[Change(k) for k in changes],
            norm=norm,
        ).rows
        answers = answers_of(query, universe.datasets(size=size))
        setting = ", ".join(filter(None, [setting, "size known"]))
        return _opendp(function, setting, rows, norm=NORMS[norm], answers=answers)

    for function, setting, then, kind, changes in (
        ("sum", "ints, bounds (0, 3)", dp.t.then_sum(), int, [1, 2, 3, 4]),
        ("mean", "bounds (0, 3)", dp.t.then_mean(), float, [1, 2, 3, 4]),
        ("variance", "bounds (0, 3), one change", dp.t.then_variance(), float, [1]),
        ("variance", "bounds (0, 3), more changes", dp.t.then_variance(), float, [2, 3, 4]),
    ):
        bounds = kind(0), kind(3)
        records, universe = opendp_records(kind, bounds, size), Universe.value_range(bounds)
        yield case(function, setting, records, then, changes, universe)
    asked = {"records": opendp_records(int, size=size), "universe": Universe.value_range([0, 1, 2])}
    asked["changes"] = [1]
    yield case("count", "", then=dp.t.then_count(), **asked)
    yield case("count_distinct", "", then=dp.t.then_count_distinct(), **asked)
    yield case("count_by_categories", "L1", then=_histogram("L1Distance<int>"), **asked)
    yield case("count_by_categories", "L2", then=_histogram("L2Distance<float>"), norm=2, **asked)
    scores = dp.t.then_quantile_score_candidates([0, 1, 2], 0.5)
    yield case("quantile scores", "α 1/2", then=scores, norm=math.inf, **asked)


def _histogram(metric: str) -> Any:
    return dp.t.then_count_by_categories([0, 1], null_category=True, MO=metric)


def squared_deviations(size: int) -> dp.Transformation:
    """Return OpenDP's sum of squared deviations for floats from 2⁵⁰ to 2⁵⁰ + 1."""
    records = opendp_records(float, (LARGE, LARGE + 1), size)
    return dp.t.make_sum_of_squared_deviations(records, dp.symmetric_distance())


def _squared_deviations() -> Case:
    size = 511
    transformation = squared_deviations(size)
    query = Query("squares", lambda dataset: transformation(list(map(float, dataset))))
    # Decimals print every digit; the float 2⁵⁰ + 1/4 prints as 1125899906842624.2.
    universe = Universe.value_range([Decimal(LARGE) + Decimal(part) for part in ("0.25", "0.5")])
    rows = audit(query, transformation.map(2), universe, sizes=size, relations=[Change(1)]).rows
    answers = answers_of(query, universe.datasets(size=size))
    return _opendp("sum of squared deviations", "511 floats near 2⁵⁰", rows, answers=answers)


def b_ary_tree(norm: int, *, leaves: int = 4, branching: int = 4) -> dp.Transformation:
    """Return OpenDP's tree of sums over a vector of ints, for distances in L1 or L2.

    Source: Hay, Rastogi, Miklau and Suciu (2010); thm-norms-tree
        in notebooks/norms.
    """
    metric = {1: dp.l1_distance, 2: dp.l2_distance}[norm](T=int)
    vectors = dp.vector_domain(dp.atom_domain(T=int), leaves)
    return dp.t.make_b_ary_tree(vectors, metric, leaf_count=leaves, branching_factor=branching)


def _tree(norm: int) -> Case:
    transformation, metric = b_ary_tree(norm), {1: L1, 2: L2}[norm]
    query, vectors = opendp_query("tree", transformation), list(product(range(3), repeat=4))
    rows = audit_map(
        query,
        transformation.map,
        vectors,
        distances=[1, 2],
        input_metric=metric,
        output_metric=metric,
    ).rows
    setting = f"L{norm} in and out, 4 leaves, b 4"
    answers = answers_of(query, vectors)
    return _opendp("b-ary tree", setting, rows, norm=NORMS[norm], answers=answers)


def pairwise_predict() -> dp.Transformation:
    """Return the step of OpenDP's Theil–Sen regression that predicts from pairs of points."""
    # Imported where it is called: a page that runs Python has no OpenDP.
    from opendp.extras.sklearn.linear_model._make_private_theil_sen import make_pairwise_predict

    transformation: dp.Transformation = make_pairwise_predict(np.array([1.0, 2.0]))
    return transformation


def predictions(points: Sequence[tuple[float, float]]) -> list[tuple[float, ...]]:
    """Return what that step predicts, as rows."""
    table = np.array(points, dtype=float).reshape(len(points), 2)
    return [tuple(row) for row in pairwise_predict()(table).tolist()]


def _pairwise_predictions() -> Case:
    points = [(0.0, 0.0), (1.0, 1.0), (2.0, 4.0)]
    inputs = [chosen for size in range(4) for chosen in permutations(points, size)]
    rows = audit_map(
        predictions,
        pairwise_predict().map,
        inputs,
        distances=[1],
        input_metric=SYMMETRIC,
        output_metric=SYMMETRIC,
    ).rows
    answers = answers_of(predictions, inputs)
    setting, norm = "predictions from pairs", "symmetric distance"
    return _opendp("Theil–Sen regression", setting, rows, norm=norm, answers=answers)
