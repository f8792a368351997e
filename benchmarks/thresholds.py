"""Walk families of questions across the sizes at which the method changes, and show every step.

No question should take longer than the same question about a larger table. Each family is asked
with `method="auto"` at growing sizes, in CPU seconds, the least of three runs; a size that takes
three times as long as a larger one, and more than 50 ms, is marked.

    python benchmarks/thresholds.py
"""

import time
from functools import partial

import numpy as np
import pandas as pd

import sensitivity_lab as sl

ONE = {"relation": sl.Change(1)}


def rows(m):
    rng = np.random.default_rng(m)
    return sl.Universe.population(
        pd.DataFrame({"x": rng.integers(0, 50, m), "g": rng.integers(0, 4, m)})
    )


def people(m):
    rng = np.random.default_rng(m)
    visits = {"id": rng.integers(0, m, 3 * m), "g": rng.integers(0, 9, 3 * m)}
    return sl.Universe.people(pd.DataFrame({**visits, "x": rng.integers(0, 50, 3 * m)}), id="id")


def at_four(query, universe):
    return sl.global_sensitivity(query, universe, size=4, **ONE)


def near(query, n):
    universe = sl.Universe.value_range(range(101))
    dataset = np.random.default_rng(n).integers(0, 101, n).tolist()
    return sl.local_sensitivity(query, dataset, universe, **ONE)


def anybody(most):
    universe = sl.Universe.people(sl.Universe.product(g=[0, 1], x=[9]), most_rows=most)
    return sl.global_sensitivity(sl.SUM.of("x").by("g"), universe, size=2, **ONE)


SUMS, COUNTS = sl.SUM.of("x").by("g"), sl.COUNT.by("g")
FAMILIES = {
    "sum by group, rows": (
        (8, 12, 16, 20, 32, 80, 1_000, 100_000),
        lambda m: at_four(SUMS, rows(m)),
    ),
    "count by group, groups": (
        (1, 4, 8, 20, 100, 1_000),
        lambda g: at_four(COUNTS, sl.Universe.product(g=range(g), x=[0, 1, 2])),
    ),
    "sum by group, people": ((6, 10, 20, 100, 1_000, 20_000), lambda m: at_four(SUMS, people(m))),
    "sum by group, most_rows": ((1, 2, 4, 10, 50, 100), anybody),
    "variance, one dataset": ((100, 300, 1_000, 2_000, 2_001, 10_000), partial(near, sl.VARIANCE)),
    "median, population": (
        (8, 16, 24, 28, 60, 1_000, 100_000),
        lambda m: at_four(sl.MEDIAN, sl.Universe.population(range(m))),
    ),
}


def seconds(task):
    taken = []
    for _ in range(3):
        start = time.process_time()
        found = task()
        taken.append(time.process_time() - start)
    return min(taken), found.method


def main():
    for name, (sizes, ask) in FAMILIES.items():
        measured = [(size, *seconds(partial(ask, size))) for size in sizes]
        print(name)
        for i, (size, taken, method) in enumerate(measured):
            later = min((other for _, other, _ in measured[i:]), default=taken)
            step = "  << slower than a larger one" if taken > max(0.05, 3 * later) else ""
            print(f"  {size:8,} {1000 * taken:9.1f} ms  {method}{step}")


if __name__ == "__main__":
    main()
