"""Case files: functions of real libraries, each held to the sensitivity that it claims."""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import combinations_with_replacement, permutations, product
from typing import Any

import numpy as np
import opendp.prelude as dp
import pandas as pd
from opendp.extras.sklearn.linear_model._make_private_theil_sen import make_pairwise_predict

from sensitivity_lab.audit import audit, audit_map
from sensitivity_lab.queries import COUNT, SUM, Query
from sensitivity_lab.relations import Change, Relation, SymmetricDifference
from sensitivity_lab.report import Audit, AuditRow
from sensitivity_lab.teaching.domains import L1, L2, SYMMETRIC
from sensitivity_lab.teaching.joins import join_stability
from sensitivity_lab.teaching.stored_figures import figures
from sensitivity_lab.teaching.truncation import DropExcess, DropNonUnique
from sensitivity_lab.universe import Universe

SOURCE = ["library", "version", "date", "query", "parameters"]
LARGE = 2.0**50  # floats near it are quarters apart


@dataclass(frozen=True)
class Case:
    """One function of one library, held to what it claims for one relation.

    `rows` are those of its audit; of several with one claim, the one that asks most of it.
    """

    library: str
    version: str
    function: str
    setting: str
    rows: tuple[AuditRow, ...]

    @property
    def row(self) -> AuditRow:
        """The row that tells most: the worst if a claim is too small, else the loosest and largest."""
        worst = min(self.rows, key=lambda row: row.ratio)
        return (
            worst if worst.ratio < 1 else max(self.rows, key=lambda row: (row.ratio, row.size or 0))
        )

    @property
    def verdict(self) -> str:
        """The verdict of that row: "too small", "exact" or "loose"."""
        return self.row.verdict


def case_files() -> list[Case]:
    """Return every case: OpenDP asked as it is installed, the others from the tables of figures.

    Cost: about a second.
    """
    return [
        *opendp_cases(),
        *polars_cases(),
        *diffprivlib_cases(),
        *tumult_cases(),
        *pipelinedp_cases(),
    ]


def scoreboard(cases: Iterable[Case]) -> pd.DataFrame:
    """Return a table of cases, each with the numbers of the row that tells most."""
    rows = [
        {
            "library": case.library,
            "function": case.function,
            "setting": case.setting,
            "relation": _relation(case.row),
            "claimed": case.row.claimed,
            "exact": case.row.exact,
            "ratio": float(case.row.ratio),
            "verdict": case.verdict,
        }
        for case in cases
    ]
    return pd.DataFrame(rows)


def _relation(row: AuditRow) -> str:
    moved = f"{row.k} added or removed"
    words = {
        "Change": f"{row.k} changed",
        "SymmetricDifference": moved,
        "EachSide": f"{moved} on each side",
        "Person": f"{row.k} person added or removed",
    }
    return words.get(row.relation, f"{row.relation} {row.k}")


# --- OpenDP, asked live --------------------------------------------------------------------


def opendp_query(name: str, transformation: dp.Transformation, *, smallest_size: int = 1) -> Query:
    """Return a transformation of OpenDP as a query; its `map` is the claim.

    >>> dp.enable_features("contrib")
    >>> records = dp.vector_domain(dp.atom_domain(bounds=(0, 3), T=int))
    >>> total = dp.t.make_sum(records, dp.symmetric_distance())
    >>> opendp_query("sum", total)((1, 3)), total.map(1)
    (4, 3)
    """
    return Query(name, lambda dataset: transformation(list(dataset)), smallest_size)


def opendp_cases() -> list[Case]:
    """Return the cases of the OpenDP that is installed: transformations and their stability maps.

    Where the size is unknown, datasets have up to three records, and neighbours are at a
    symmetric distance of at most k. Where it is known it is 5, and at most k records are changed.
    """
    dp.enable_features("contrib", "honest-but-curious")
    return [
        *_size_unknown(),
        *_size_known(),
        _squared_deviations(),
        *map(_tree, (1, 2)),
        _pairwise_predictions(),
    ]


def _opendp(function: str, setting: str, rows: Iterable[AuditRow]) -> Case:
    return Case("OpenDP", version("opendp"), function, setting, tuple(rows))


def _records(kind: type, bounds: tuple[float, float] | None = None, size: int | None = None) -> Any:
    no_nan = {"nan": False} if kind is float else {}
    return dp.vector_domain(dp.atom_domain(bounds=bounds, T=kind, **no_nan), size)


def _size_unknown() -> Iterator[Case]:
    def case(function: str, setting: str, records: Any, then: Any, **asked: Any) -> Case:
        transformation = (records, dp.symmetric_distance()) >> then
        rows = audit(
            opendp_query(function, transformation, smallest_size=0),
            transformation.map,
            size=[0, 1, 2, 3],
            relations=[SymmetricDifference(k) for k in (1, 2, 3)],
            **asked,
        ).rows
        return _opendp(function, setting, _strictest(rows))

    for kind, lows in ((int, (0, -2, 1)), (float, (0, -2, -3))):
        for low in lows:
            bounds = kind(low), kind(3)
            setting = f"{kind.__name__}s, bounds ({low}, 3)"
            universe = Universe.value_range(bounds)
            yield case("sum", setting, _records(kind, bounds), dp.t.then_sum(), universe=universe)
    asked = {"records": _records(int), "universe": Universe.value_range([0, 1, 2])}
    yield case("count", "", then=dp.t.then_count(), **asked)
    yield case("count_distinct", "", then=dp.t.then_count_distinct(), **asked)
    yield case("count_by_categories", "L1", then=_histogram("L1Distance<int>"), **asked)
    scores = dp.t.then_quantile_score_candidates([0, 1, 2], 0.5)
    yield case("quantile scores", "α 1/2", then=scores, norm=math.inf, **asked)


def _size_known() -> Iterator[Case]:
    size = 5

    def case(
        function: str, setting: str, records: Any, then: Any, changes: Sequence[int], **asked: Any
    ) -> Case:
        transformation = dp.t.make_metric_unbounded(records, dp.change_one_distance()) >> then
        rows = audit(
            opendp_query(function, transformation),
            transformation.map,
            size=size,
            relations=[Change(k) for k in changes],
            **asked,
        ).rows
        return _opendp(function, ", ".join(filter(None, [setting, "size known"])), rows)

    for function, setting, then, kind, changes in (
        ("sum", "ints, bounds (0, 3)", dp.t.then_sum(), int, [1, 2, 3, 4]),
        ("mean", "bounds (0, 3)", dp.t.then_mean(), float, [1, 2, 3, 4]),
        ("variance", "bounds (0, 3), one change", dp.t.then_variance(), float, [1]),
        ("variance", "bounds (0, 3), more changes", dp.t.then_variance(), float, [2, 3, 4]),
    ):
        bounds = kind(0), kind(3)
        records, universe = _records(kind, bounds, size), Universe.value_range(bounds)
        yield case(function, setting, records, then, changes, universe=universe)
    asked = {"records": _records(int, size=size), "universe": Universe.value_range([0, 1, 2])}
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
    """Return OpenDP's sum of squared deviations for floats in (2⁵⁰, 2⁵⁰ + 1)."""
    records = _records(float, (LARGE, LARGE + 1), size)
    return dp.t.make_sum_of_squared_deviations(records, dp.symmetric_distance())


def _squared_deviations() -> Case:
    size = 511
    transformation = squared_deviations(size)
    query = Query("squares", lambda dataset: transformation([LARGE + v for v in dataset]))
    universe = Universe.value_range([0.25, 0.5])
    rows = audit(query, transformation.map(2), universe, size=size, relations=[Change(1)]).rows
    return _opendp("sum of squared deviations", "511 floats near 2⁵⁰", rows)


def b_ary_tree(norm: int, *, leaves: int = 4, branching: int = 4) -> dp.Transformation:
    """Return OpenDP's tree of sums over a vector of ints, for distances in L1 or L2."""
    metric = {1: dp.l1_distance, 2: dp.l2_distance}[norm](T=int)
    vectors = dp.vector_domain(dp.atom_domain(T=int), leaves)
    return dp.t.make_b_ary_tree(vectors, metric, leaf_count=leaves, branching_factor=branching)


def _tree(norm: int) -> Case:
    transformation, metric = b_ary_tree(norm), {1: L1, 2: L2}[norm]
    rows = audit_map(
        opendp_query("tree", transformation),
        transformation.map,
        product(range(3), repeat=4),
        distances=[1, 2],
        input_metric=metric,
        output_metric=metric,
    ).rows
    return _opendp("b-ary tree", f"L{norm} in and out, 4 leaves, b 4", rows)


def pairwise_predict() -> dp.Transformation:
    """Return the step of OpenDP's Theil–Sen regression that predicts from pairs of points.

    It predicts the heights above 1 and above 2 of the line through each pair.
    """
    transformation: dp.Transformation = make_pairwise_predict(np.array([1.0, 2.0]))
    return transformation


def predictions(points: Sequence[tuple[float, float]]) -> list[tuple[float, ...]]:
    """Return what that step predicts, as rows.

    >>> dp.enable_features("contrib", "honest-but-curious")
    >>> predictions([(0.0, 0.0), (1.0, 1.0)])
    [(1.0, 2.0)]

    Points are paired at random; of up to three only one pair is left, so the answer is certain.
    """
    table = np.array(points, dtype=float).reshape(len(points), 2)
    return [tuple(row) for row in pairwise_predict()(table).tolist()]


def _pairwise_predictions() -> Case:
    points = [(0.0, 0.0), (1.0, 1.0), (2.0, 4.0)]
    rows = audit_map(
        predictions,
        pairwise_predict().map,
        [chosen for size in range(4) for chosen in permutations(points, size)],
        distances=[1],
        input_metric=SYMMETRIC,
        output_metric=SYMMETRIC,
    ).rows
    return _opendp("Theil–Sen regression", "predictions from pairs", rows)


def _strictest(rows: Iterable[AuditRow]) -> tuple[AuditRow, ...]:
    """Of rows with one claim for several sizes, the one that asks most of it."""
    kept: dict[Any, AuditRow] = {}
    for row in rows:
        claim = row.k, row.claimed
        if claim not in kept or row.ratio < kept[claim].ratio:
            kept[claim] = row
    return tuple(kept.values())


# --- libraries watched elsewhere ---------------------------------------------------------


@dataclass(frozen=True)
class Seen:
    """What a tool did in an environment of its own: a sensitivity by size, and its answers."""

    library: str
    version: str
    date: str
    function: str
    setting: str
    claims: dict[int, float]
    answers: dict[tuple[Any, ...], Any]

    @property
    def query(self) -> Query:
        """The tool as a function: it answers the datasets that it was watched on."""
        answers = {_bag(dataset): answer for dataset, answer in self.answers.items()}
        return Query(self.function, lambda dataset: answers[_bag(dataset)], takes_missing=True)

    @property
    def universe(self) -> Universe:
        """The records of those datasets, each as often as one of them holds it."""
        most: Counter[Any] = Counter()
        for dataset in self.answers:
            most |= Counter(dataset)
        return Universe.population(list(most.elements()))

    @property
    def sizes(self) -> range:
        """The sizes of those datasets."""
        sizes = list(map(len, self.answers))
        return range(min(sizes), max(sizes) + 1)


def _bag(dataset: Iterable[Any]) -> frozenset[tuple[Any, int]]:
    return frozenset(Counter(dataset).items())


def seen(name: str) -> list[Seen]:
    """Return what a table of figures says, tool by tool: "diffprivlib" or "opendp_polars".

    The tables are made by `scripts/libraries/*/figures.py`, which say how.

    >>> first = seen("diffprivlib")[0]
    >>> first.function, first.setting, first.claims[1], first.answers[0, 3]
    ('sum', 'bounds (0, 3)', 3.0, 3.0)
    """
    found = []
    table = figures(name)
    for _, rows in table.groupby(SOURCE, sort=False):
        claims, answers = {}, {}
        for quantity, value in zip(rows["quantity"], rows["value"], strict=True):
            kind, place = quantity.split(" ", 1)
            if kind == "answer":
                answers[ast.literal_eval(place.removeprefix("to "))] = ast.literal_eval(value)
            else:
                claims[int(place.split()[-1])] = float(value)
        library, number, day, function, setting = rows.iloc[0][SOURCE]
        found.append(Seen(library, number, day, function, setting, claims, answers))
    return found


def polars_cases() -> list[Case]:
    """Return the cases of OpenDP's sum by group on Polars tables: every row of a group may change."""
    cases = []
    for tool in seen("opendp_polars"):
        found = audit(
            tool.query,
            tool.claims.__getitem__,
            tool.universe,
            size=tool.sizes,
            relations=[SymmetricDifference(2 * max(tool.sizes))],
        )
        rows = _strictest(found.rows)
        cases.append(Case("OpenDP", tool.version, tool.function, tool.setting, rows))
    return cases


def diffprivlib_cases() -> list[Case]:
    """Return the cases of diffprivlib, from its table of figures, under two relations.

    The library states none. Where at most one record is added or removed, those tools are asked
    whose sensitivity does not divide by the number of records.
    """
    cases = []
    for tool in seen("diffprivlib"):
        norm = math.inf if tool.function.startswith(("median", "quantile")) else 1
        relations: list[Relation] = [Change(1)]
        if not tool.function.startswith(("mean", "var", "std", "nan")):
            relations.append(SymmetricDifference(1))
        for relation in relations:
            rows = _strictest(audit_seen(tool, relation, norm=norm).rows)
            cases.append(Case(tool.library, tool.version, tool.function, tool.setting, rows))
    return cases


def audit_seen(tool: Seen, relation: Relation, *, norm: float = 1) -> Audit:
    """Hold a tool of diffprivlib to the sensitivity that it handed to its mechanism, by size."""
    return audit(
        tool.query,
        lambda k, n: tool.claims[n],
        tool.universe,
        size=tool.sizes,
        relations=[relation],
        norm=norm,
    )


def tumult_cases() -> list[Case]:
    """Return the cases of Tumult: counts, sums and private joins, from its table of figures.

    The joins are enumerated by `join_stability`, with one row changed on each side.
    """
    table = figures("tumult")
    table = table[table["quantity"].isin(["stability", "geometric parameter at epsilon 1"])]
    cases = []
    for figure in table.to_dict("records"):
        rows = _tumult_rows(figure["query"], figure["parameters"], figure["value"])
        if rows:
            source = "Tumult", figure["version"], figure["query"], figure["parameters"]
            cases.append(Case(*source, rows))
    return cases


TRUNCATIONS: dict[str, DropExcess | DropNonUnique] = {
    "DropExcess(1)": DropExcess(1),
    "DropExcess(2)": DropExcess(2),
    "DropNonUnique": DropNonUnique(),
}


def _tumult_rows(query: str, parameters: str, value: str) -> tuple[AuditRow, ...]:
    """The rows of the figures that are audited here; nothing for the others."""
    first, _, rest = parameters.partition("; ")
    if query == "private join" and rest == "rows 1 left, 1 right":
        names = first.split(" x ")
        if not all(name in TRUNCATIONS for name in names):
            return ()
        left, right = (TRUNCATIONS[name] for name in names)
        found = join_stability(left, right, rows_left=1, rows_right=1)
        row = AuditRow("EachSide", 1, None, int(value), found.value, found.before, found.after)
        return (row,)
    if query not in ("count", "sum") or not first.startswith("AddMaxRows"):
        return ()
    low, high = map(int, rest.removeprefix("bounds ").split(" to ")) if rest else (0, 1)
    rows = audit(
        SUM if query == "sum" else COUNT,
        int(value),
        Universe.value_range([low, high]),
        size=[0, 1, 2, 3],
        relations=[SymmetricDifference(int(first[-2]))],
    ).rows
    return _strictest(rows)


def pipelinedp_cases() -> list[Case]:
    """Return the cases of PipelineDP, from its table of figures.

    One person comes or goes. What they may contribute within the limits is enumerated: no rows,
    or any number of them, each the lower or the upper bound, in each of eight partitions.
    """
    cases = []
    for figure in figures("pipelinedp").to_dict("records"):
        limits = dict(limit.rsplit(" ", 1) for limit in figure["parameters"].split("; "))
        found, person = _largest(figure["query"], figure["quantity"][:2], limits)
        row = AuditRow("Person", 1, None, float(figure["value"]), found, (), person)
        function = f"{figure['query']}, {figure['quantity'][:2]}"
        source = "PipelineDP", figure["version"], function, figure["parameters"]
        cases.append(Case(*source, (row,)))
    return cases


def _largest(query: str, norm: str, limits: dict[str, str]) -> tuple[float, tuple[int, ...]]:
    """The longest vector that one person's rows can make, to the table's six digits."""
    worst = max(_vectors(query, limits), key=lambda vector: _length(vector, norm))
    return float(f"{_length(worst, norm):.6g}"), worst


def _length(vector: Iterable[int], norm: str) -> float:
    return sum(map(abs, vector)) if norm == "L1" else math.hypot(*vector)


def _vectors(query: str, limits: dict[str, str]) -> Iterator[tuple[int, ...]]:
    partitions = 8
    total = int(limits.get("max_contributions", partitions * 2))
    each = int(limits.get("max_contributions_per_partition", total))
    nonempty = int(limits.get("max_partitions_contributed", partitions))
    ends = [int(limits[end]) for end in ("min_value", "max_value") if end in limits]
    for rows in combinations_with_replacement(range(each + 1), partitions):
        if sum(rows) <= total and np.count_nonzero(rows) <= nonempty:
            if query.startswith("sums"):
                sums = (
                    {sum(part) for part in combinations_with_replacement(ends, n)} for n in rows
                )
                yield from product(*sums)
            else:
                yield tuple(min(n, 1) for n in rows) if query.startswith("people") else rows
