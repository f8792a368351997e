"""Time the routes to one sensitivity as the population grows, from the array to the witness.

For each query and relation: the naive baseline, the walk and the sweep where they can reach, and
the solver, in one run. At a million records the yardstick is Python's `sorted` on the same
numbers as a list; memory is the peak of what was allocated, in units of the array; the exponent
is log2 of the CPU time of two million records over that of one million.

    python benchmarks/scale.py            # everything, a few minutes
    python benchmarks/scale.py --quick    # three queries
"""

import argparse
import math
import time
import tracemalloc
from functools import partial

import numpy as np
from bench import NUMPY, naive_add_remove, naive_change

import sensitivity_lab as sl

QUERIES = [
    *(sl.COUNT, sl.SUM, sl.MEAN, sl.MIN, sl.MAX, sl.MEDIAN, sl.quantile(0.9)),
    *(sl.VARIANCE, sl.STD, sl.histogram([0, 250_000, 500_000, 1_000_000])),
    *(sl.RANGE, sl.count_distinct),
]
QUICK = [sl.MEDIAN, sl.VARIANCE, sl.STD]
RELATIONS = [sl.Add, sl.Remove, sl.AddRemove, sl.SymmetricDifference, sl.Change]
NAIVE = {sl.AddRemove: naive_add_remove, sl.Change: naive_change}


def records(m):
    return np.random.default_rng(m).integers(0, 10**6, m)


def ask(query, array, relation, method):
    universe = sl.Universe.population(array)
    return sl.global_sensitivity(
        query, universe, size=len(array) // 2, relation=relation, method=method
    )


def seconds(task, repeats=5):
    """The least CPU time of a few runs, and the last result; None if the route does not serve."""
    best = math.inf
    for _ in range(repeats):
        start = time.process_time()
        try:
            result = task()
        except ValueError:
            return None, None
        best = min(best, time.process_time() - start)
    return best, result


def small(query, family, m, k):
    """One line: every route at m records, as multiples of the solver."""
    array, relation = records(m), family(k)
    times, values = {}, set()
    for method in ("walk", "sweep", "solver"):
        if method == "walk" and m > 16:
            continue
        taken, found = seconds(lambda method=method: ask(query, array, relation, method))
        if found is not None:
            times[method] = taken
            values.add(found.value)
    assert len(values) == 1, (query, relation, values)
    if m <= 10 and query.name in NUMPY and family in NAIVE:
        numpy = NUMPY[query.name]
        times["naive"], _ = seconds(
            lambda: NAIVE[family](numpy, array.tolist(), m // 2, k), repeats=1
        )
    unit = times.get("solver", times["sweep"])
    ratios = ", ".join(f"{name} {taken / unit:.1f}" for name, taken in times.items())
    print(f"  {query.name:14.14} {relation!s:22} m={m:<5} {1000 * unit:7.2f} ms = 1; {ratios}")


def measured(query, relation):
    """At a million: how often `sorted` fits into it, arrays of memory, exponent; None unsolved."""
    numbers = records(10**6).tolist()
    yardstick, _ = seconds(lambda: sorted(numbers))

    def solved(array):
        options = {"size": len(array) // 2, "relation": relation, "method": "solver"}
        return sl.global_sensitivity(query, sl.Universe.population(array), **options)

    million, more = records(10**6), records(2 * 10**6)
    taken, found = seconds(lambda: solved(million))
    if found is None:
        return None
    doubled, _ = seconds(lambda: solved(more))
    tracemalloc.start()
    solved(million)
    memory = tracemalloc.get_traced_memory()[1] / (8 * 10**6)
    tracemalloc.stop()
    return taken / yardstick, memory, math.log2(doubled / taken)


def large(query, family, k=10):
    """One line at a million records: against `sorted`, memory, growth; and what it says."""
    relation = family(k)
    found = measured(query, relation)
    shown = f"  {query.name:22.22} {relation!s:24}"
    if found is None:
        print(f"{shown} no solver")
        return
    times, memory, exponent = found
    print(f"{shown} {times:5.2f} × sorted, {memory:4.1f} × the array, exponent {exponent:4.2f}")


def smooth(beta):
    """One line: the smooth median of a million records, against `sorted`."""
    million = records(10**6)
    numbers = million.tolist()
    yardstick, _ = seconds(lambda: sorted(numbers))
    task = partial(sl.smooth_sensitivity, sl.MEDIAN, million, bounds=(0, 10**6), beta=beta)
    taken, found = seconds(task)
    tracemalloc.start()
    task()
    memory = tracemalloc.get_traced_memory()[1] / million.nbytes
    tracemalloc.stop()
    print(
        f"  median         β = {beta:<18g} {taken / yardstick:5.2f} × sorted, "
        f"{memory:4.1f} × the array, distance {found.distance:,}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="three queries only")
    given = parser.parse_args()
    queries = QUICK if given.quick else QUERIES
    cases = [(query, family) for query in queries for family in RELATIONS]
    print("CPU time as multiples of the solver's (else the sweep's), size m/2:")
    for m, k in ((10, 2), (20, 2)):
        for query, family in cases:
            small(query, family, m, k)
    print("A thousand records and k = 10, which only the solver reaches:")
    for query, family in cases:
        taken, _ = seconds(lambda q=query, f=family: ask(q, records(1000), f(10), "solver"))
        shown = "no solver" if taken is None else f"{1000 * taken:8.2f} ms"
        print(f"  {query.name:14.14} {family(10)!s:22} {shown}")
    print("Mixes of 40 among a thousand records:")
    for query in (sl.VARIANCE, sl.STD):
        mix = sl.SymmetricDifference(40)
        taken, _ = seconds(lambda q=query, r=mix: ask(q, records(1000), r, "solver"), repeats=1)
        print(f"  {query.name:14.14} {mix!s:22} {1000 * taken:8.2f} ms")
    print("A million records, size m/2, k = 10:")
    for query, family in cases:
        large(query, family)
    print("Smooth sensitivity at a million records:")
    for beta in (0.1, 1e-3, 1e-6):
        smooth(beta)


if __name__ == "__main__":
    main()
