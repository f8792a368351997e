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
from sensitivity_lab import (
    AuditRow,
    Change,
    Query,
    Relation,
    SymmetricDifference,
    Universe,
    audit,
    audit_map,
)

LARGE = 2.0**50  # floats near it are quarters apart


def opendp_query(name: str, transformation: dp.Transformation, *, smallest_size: int = 1) -> Query:
    """Return a transformation of OpenDP as a query; its `map` is the claim."""
    return Query(name, lambda dataset: transformation(list(dataset)), smallest_size)


def opendp_cases() -> list[Case]:
    """Return the cases of the OpenDP that is installed:
    transformations and their stability maps."""
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
    """Return OpenDP's domain of datasets of `int` or `float`,
    without the float that is no number."""
    no_nan = {"nan": False} if kind is float else {}
    return dp.vector_domain(dp.atom_domain(bounds=bounds, T=kind, **no_nan), size)


def _audited(
    function: str,
    setting: str,
    then: Any,
    values: Sequence[float],
    changes: Sequence[int] = (),
    norm: float = 1,
) -> Case:
    """A transformation of up to three records or, where records change, of five;
    two values are its bounds."""
    universe = Universe.value_range(list(values))
    bounds = (values[0], values[1]) if len(values) == 2 else None
    records = opendp_records(type(values[0]), bounds, 5 if changes else None)
    if changes:
        transformation = dp.t.make_metric_unbounded(records, dp.change_one_distance()) >> then
        sizes = range(5, 6)
        relations: list[Relation] = [Change(k) for k in changes]
    else:
        transformation = (records, dp.symmetric_distance()) >> then
        sizes = range(4)
        relations = [SymmetricDifference(k) for k in (1, 2, 3)]
    query = opendp_query(function, transformation, smallest_size=1 if changes else 0)
    among: dict[str, Any] = {"sizes": sizes} if changes else {"sizes_within": sizes}
    rows = audit(
        query,
        lambda k: transformation.map(k),
        universe,
        relations=relations,
        norm=norm,
        **among,
    ).rows
    answers = answers_of(query, (d for size in sizes for d in universe.datasets(size=size)))
    told = ", ".join(filter(None, [setting, "size known" if changes else ""]))
    kept = rows if changes else strictest(rows)
    return _opendp(function, told, kept, norm=NORMS[norm], answers=answers)


def _size_unknown() -> Iterator[Case]:
    for kind, lows in ((int, (0, -2, 1)), (float, (0, -2, -3))):
        for low in lows:
            setting = f"{kind.__name__}s, bounds ({low}, 3)"
            yield _audited("sum", setting, dp.t.then_sum(), (kind(low), kind(3)))
    yield from _counts()


def _size_known() -> Iterator[Case]:
    for function, setting, then, kind, changes in (
        ("sum", "ints, bounds (0, 3)", dp.t.then_sum(), int, [1, 2, 3, 4]),
        ("mean", "bounds (0, 3)", dp.t.then_mean(), float, [1, 2, 3, 4]),
        ("variance", "bounds (0, 3), one change", dp.t.then_variance(), float, [1]),
        ("variance", "bounds (0, 3), more changes", dp.t.then_variance(), float, [2, 3, 4]),
    ):
        yield _audited(function, setting, then, (kind(0), kind(3)), changes)
    yield from _counts([1])


def _counts(changes: Sequence[int] = ()) -> Iterator[Case]:
    values, in_l1 = (0, 1, 2), _histogram("L1Distance<int>")
    yield _audited("count", "", dp.t.then_count(), values, changes)
    yield _audited("count_distinct", "", dp.t.then_count_distinct(), values, changes)
    yield _audited("count_by_categories", "L1", in_l1, values, changes)
    if changes:
        in_l2 = _histogram("L2Distance<float>")
        yield _audited("count_by_categories", "L2", in_l2, values, changes, norm=2)
    scores = dp.t.then_quantile_score_candidates([0, 1, 2], 0.5)
    yield _audited("quantile scores", "α 1/2", scores, values, changes, norm=math.inf)


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
        in chapters/norms.
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
