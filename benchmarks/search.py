"""The search of an audit against SciPy's optimisers, at equal calls, on functions without a proof.

Run it alone, for a minute: python benchmarks/search.py. Recall is the share of runs that come
within 1 % of the widest pair that any of the three found. It writes search.csv, which the book
shows.
"""

import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy
from scipy.optimize import differential_evolution, dual_annealing

import sensitivity_lab as sl

CALLS, SEEDS, GRID = 2000, range(4), 1000


def kurtosis(x: Sequence[int]) -> float:
    a = np.array(x, float)
    return float(((a - a.mean()) ** 4).mean() / a.var() ** 2) if a.var() else 0.0


# Of four numbers from 0 to 1,000.
NUMBERS: dict[str, Callable[[Any], float]] = {
    "band": lambda x: sum(613 <= v <= 617 for v in x),
    "spike": lambda x: 50 if sum(x) == 1777 else max(x) / GRID,
    "capped": lambda x: max(0, min(sum(x) - 1500, 400)),
    "wave": lambda x: sum(math.sin(v / 37) for v in x) * max(x) / GRID,
    "ratio": lambda x: max(x) / (1 + abs(sum(x) / len(x) - 417)),
    "product": lambda x: 100 * float(np.prod([abs(v - 500) / 500 for v in x])),
    "kurtosis": kurtosis,
    "trimmed": lambda x: sum(sorted(x)[1:-1]) / 2 * (min(x) > 250),
    "span": lambda x: (max(x) - min(x)) / (1 + min(x)),
}
# Of three rows with three columns, whole numbers from 0 to 20.
TABLES: dict[str, Callable[[Any], float]] = {
    "rows in a box": lambda t: int(((t["a"] > 12) & (t["b"] < 5) & (t["c"] == 7)).sum()),
    "products": lambda t: float((t["a"] * t["b"] - t["c"]).sum()),
    "ratio of sums": lambda t: float(t["a"].sum() / (1 + (t["b"] - t["c"]).abs().sum())),
    "moments": lambda t: float(
        max(0, (t["a"] * (t["b"] - 10)).sum()) - abs((t["c"] - 13).sum()) ** 2
    ),
}


class Spent(Exception):
    """All calls are made."""


def ours(function: Callable[[Any], float], universe: sl.Universe, size: int, seed: int) -> float:
    report = sl.audit(
        function, 0, universe, sizes=size, relations=sl.Change(1),
        method="search", trials=CALLS // 2, seed=seed,
    )  # fmt: skip
    return float(report.rows[0].found)


def theirs(minimise: Any, gap: Callable[[Any], float], high: int, entries: int, seed: int) -> float:
    found: list[float] = []

    def narrowest(place: Any) -> float:
        if 2 * len(found) >= CALLS:
            raise Spent
        found.append(gap(np.clip(np.rint(place), 0, high).astype(int)))
        return -found[-1]

    try:
        minimise(narrowest, [(0, high)] * entries, rng=seed, maxiter=10**6)
    except Spent:
        return max(found)
    return max(found)


def gap_of_numbers(function: Callable[[Any], float], place: Any) -> float:
    x, y = sorted(place[:4]), sorted([*place[:3], place[4]])
    return abs(function(tuple(x)) - function(tuple(y)))


def gap_of_tables(function: Callable[[Any], float], place: Any) -> float:
    rows = place.reshape(4, 3)
    x, y = (pd.DataFrame(rows[at], columns=list("abc")) for at in ([0, 1, 2], [0, 1, 3]))
    return abs(function(x) - function(y))


OPTIMISERS = {
    "differential evolution": partial(differential_evolution, tol=0, polish=False, popsize=8),
    "dual annealing": dual_annealing,
}


def main() -> None:
    numbers = sl.Universe.value_range(range(GRID + 1))
    table = sl.Universe.product(a=range(21), b=range(21), c=range(21))
    asked = [(name, f, numbers, 4, gap_of_numbers, GRID, 5) for name, f in NUMBERS.items()]
    asked += [(name, f, table, 3, gap_of_tables, 20, 12) for name, f in TABLES.items()]
    recall: dict[str, list[float]] = {}
    for name, function, universe, size, gap, high, entries in asked:
        found = [[ours(function, universe, size, seed) for seed in SEEDS]]
        for minimise in OPTIMISERS.values():
            found.append(
                [theirs(minimise, partial(gap, function), high, entries, seed) for seed in SEEDS]
            )
        widest = max(map(max, found))
        recall[name] = [float(np.mean([one >= 0.99 * widest for one in runs])) for runs in found]
        print(f"{name:15}", *recall[name], flush=True)
    table = pd.DataFrame(recall, index=["ours", *OPTIMISERS]).T
    table.loc[f"all {len(recall)}, {datetime.now(UTC):%Y-%m-%d}, SciPy {scipy.__version__}"] = (
        table.mean()
    )
    table.round(2).to_csv(Path(__file__).with_suffix(".csv"), index_label="function")


if __name__ == "__main__":
    main()
