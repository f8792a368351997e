"""The sensitivity sampler of Rubinstein and Aldà, beside the exact sensitivities."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

import sensitivity_lab as sl
from sensitivity_board.peers.score import Score

TOP, SIZE = 100, 25  # whole points from 0 to 100, of a class of 25
GAMMA = 0.1

Array = np.ndarray
Rows = Callable[[Array], Array]  # answers of many datasets, a row each, sorted


def _span(x: tuple[int, ...]) -> int:
    return x[-1] - x[0]


def _half(v: int) -> bool:
    return v >= 50


SPAN = sl.Query("span", _span, smallest_size=1, exact=True)
EDGES = (0, 25, 50, 75, 100)


def _variance(x: Array) -> Array:
    """The variance of each row, from whole sums, which are exact."""
    total = x.sum(axis=1, dtype=np.int64)
    squares = (x * x).sum(axis=1, dtype=np.int64)
    return np.asarray((x.shape[1] * squares - total * total) / x.shape[1] ** 2)


def _quantile(q: float) -> Rows:
    return lambda x: np.quantile(x, q, axis=1)


def _bins(x: Array) -> Array:
    """How many of each row are in each bin, the last of which holds its upper edge."""
    inside = [(a <= x) & (x < b) for a, b in zip(EDGES[:-1], (*EDGES[1:-1], TOP + 1), strict=True)]
    return np.stack([held.sum(axis=1, dtype=np.int64) for held in inside], axis=1)


# The name of a query, the query for the exact value, and its answers to many datasets at once.
QUERIES: dict[str, tuple[sl.Query, Rows]] = {
    "count where ≥ 50": (
        sl.count_where(_half),
        lambda x: (x >= 50).sum(axis=1, dtype=np.int64),
    ),
    "histogram, 4 bins": (sl.histogram(EDGES), _bins),
    "sum": (sl.SUM, lambda x: x.sum(axis=1, dtype=np.int64)),
    "mean": (sl.MEAN, lambda x: x.sum(axis=1, dtype=np.int64) / x.shape[1]),
    "variance": (sl.VARIANCE, _variance),
    "standard deviation": (sl.STD, lambda x: np.sqrt(_variance(x))),
    "maximum": (sl.MAX, lambda x: x[:, -1]),
    "minimum": (sl.MIN, lambda x: x[:, 0]),
    "span": (SPAN, lambda x: x[:, -1] - x[:, 0]),
    "quantile 0.9": (sl.quantile(0.9), _quantile(0.9)),
    "median": (sl.MEDIAN, lambda x: x[:, x.shape[1] // 2]),
}


def _uniform(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return rng.integers(0, TOP, shape, dtype=np.int64, endpoint=True)


def _normal(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return _points(rng.normal(60, 15, shape))


def _lognormal(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return _points(rng.lognormal(3, 0.7, shape))


def _points(x: Array) -> Array:
    """Numbers as whole points, clipped to what the test gives."""
    return np.asarray(np.clip(np.rint(x), 0, TOP), dtype=np.int64)


POPULATIONS = {"uniform": _uniform, "normal": _normal, "lognormal": _lognormal}


@dataclass(frozen=True)
class Plan:
    """What the sampler does for a promise γ: the k-th smallest gap of m random pairs."""

    m: int
    k: int
    rho: float


def plan(gamma: float) -> Plan:
    """Return the number of pairs and the order statistic, as the R package `diffpriv` chooses them.

    Source: Rubinstein and Aldà (2017), Pain-free random differential privacy with sensitivity
        sampling; `sensitivity_sampler.R` of diffpriv 0.4.2.
    """
    if not 0 < gamma < 1:
        raise ValueError(f"gamma must lie between 0 and 1, got {gamma}")
    low, high = 0.0, gamma
    for _ in range(100):
        rho = (low + high) / 2
        enough = rho * (1 - 2 * math.log(rho)) < gamma
        low, high = (rho, high) if enough else (low, rho)
    m = math.ceil(-math.log(rho) / (2 * (gamma - rho) ** 2))
    least = rho + math.sqrt(-math.log(rho) / (2 * m))
    return Plan(m, math.ceil(m * (1 - gamma + least)), rho)


def gaps(population: str, pairs: int, seed: int) -> dict[str, Array]:
    """Return, query by query, how far random pairs lie apart: 24 records shared, one each alone."""
    rng = np.random.default_rng(seed)
    records = POPULATIONS[population](rng, (pairs, SIZE + 1))
    one, other = np.sort(records[:, :-1]), np.sort(np.delete(records, SIZE - 1, axis=1))
    found = {}
    for name, (_, rows) in QUERIES.items():
        apart = np.abs(rows(one) - rows(other))
        found[name] = apart.sum(axis=1) if apart.ndim == 2 else apart
    return found


def exact(name: str) -> float:
    """Return the exact sensitivity of a query, one of 25 records changed,
    over points from 0 to 100."""
    query, _ = QUERIES[name]
    values = [0, TOP] if name == "span" else range(TOP + 1)
    universe = sl.Universe.value_range(values)
    return float(sl.global_sensitivity(query, universe, size=SIZE, relation=sl.Change(1)).value)


def sampled(runs: int = 200, gamma: float = GAMMA) -> pd.DataFrame:
    """Return what the sampler gives in many runs, for each query and population,
    over the exact value."""
    chosen = plan(gamma)
    limits = {name: exact(name) for name in QUERIES}
    tables = []
    for population in POPULATIONS:
        fresh = gaps(population, 20_000, seed=10**6)
        drawn = [gaps(population, chosen.m, seed) for seed in range(runs)]
        for name, limit in limits.items():
            taken = [np.partition(one[name], chosen.k - 1)[chosen.k - 1] for one in drawn]
            beyond = 1 - np.searchsorted(np.sort(fresh[name]), taken, side="right") / 20_000
            columns = {"run": range(runs), "ratio": np.array(taken) / limit, "left out": beyond}
            tables.append(pd.DataFrame({"query": name, "population": population, **columns}))
    return pd.concat(tables, ignore_index=True)


def scored(table: pd.DataFrame | None = None) -> Score:
    """Return the score: in how many runs the sampled number is the exact sensitivity."""
    found = sampled() if table is None else table
    worst = found.iloc[int(found["ratio"].to_numpy().argmin())]
    limit = exact(str(worst["query"]))
    return Score(
        benchmark="The sensitivity sampler",
        source="rubinstein2017",
        asked=len(found),
        found=int(np.isclose(found["ratio"], 1, rtol=1e-12).sum()),
        what="runs whose sampled number is the exact one",
        worst=(
            f"{worst['query']} of {SIZE}: moves by {limit:g}, {worst['ratio'] * limit:.3g} sampled"
        ),
    )
