"""Time all 320 published numbers three ways in one run: naive, the walk, and method="auto".

The naive baseline follows the published definition to the letter: it lists all releases as
subsets of records, lists all neighbours of each, and asks numpy about every neighbour anew. It
takes minutes, so `--quick` runs it on a named share of the numbers only.

Then SQL statements over all datasets of one size: all of them by one statement, and one by one.

    python benchmarks/bench.py            # everything; the naive baseline once
    python benchmarks/bench.py --quick    # the naive baseline at k = 1 only
    python benchmarks/bench.py --sql      # SQL alone
"""

import argparse
import statistics
import time
from functools import partial
from itertools import chain, combinations

import numpy as np
import pandas as pd
from sensitivity_book.data.scenarios import published_sensitivities, scenarios

import sensitivity_lab as sl
from sensitivity_lab.numbers import are_near

NUMPY = {
    "count": len,
    "sum": np.sum,
    "mean": np.mean,
    "median": np.median,
    "variance": np.var,
    "std": np.std,
} | {f"quantile({q})": (lambda x, q=q: np.quantile(x, q)) for q in (0.25, 0.5, 0.75, 0.9)}

OURS = {
    query.name: query
    for query in (
        *(sl.COUNT, sl.SUM, sl.MEAN, sl.MEDIAN, sl.VARIANCE, sl.STD),
        *map(sl.quantile, (0.25, 0.5, 0.75, 0.9)),
    )
}

SCENARIOS = scenarios()
PUBLISHED = published_sensitivities()
TASKS = list(PUBLISHED.itertuples(index=False))
QUICK = [task for task in TASKS if task.k == 1]


# -- the naive baseline ----------------------------------------------------------------------


def naive(task):
    """One published number, from its definition."""
    scenario = SCENARIOS[task.scenario]
    universe = scenario.universes[task.column]
    if universe.unlimited:  # the source's advice: one copy of each value per released record
        records = [value for value in universe.values for _ in range(scenario.size)]
    else:
        records = scenario.frame[task.column].tolist()
    by_relation = naive_add_remove if task.relation == "AddRemove" else naive_change
    return by_relation(NUMPY[task.query], records, scenario.size, task.k)


def naive_add_remove(query, records, size, k):
    """Widest gap between a release and what is left or made by taking out or adding k records."""
    places = set(range(len(records)))
    widest = 0
    for release in combinations(places, size):
        smaller = combinations(release, size - k)
        larger = (release + added for added in combinations(places.difference(release), k))
        answer = query([records[i] for i in release])
        for neighbour in chain(smaller, larger):
            widest = max(widest, abs(answer - query([records[i] for i in neighbour])))
    return widest


def naive_change(query, records, size, k):
    """Widest gap between two releases that share all but k of their records."""
    places = set(range(len(records)))
    widest = 0
    for shared in combinations(places, size - k):
        for one, other in combinations(combinations(places.difference(shared), k), 2):
            releases = ([records[i] for i in shared + completion] for completion in (one, other))
            a, b = map(query, releases)
            widest = max(widest, abs(a - b))
    return widest


# -- ours ------------------------------------------------------------------------------------


def ours(task, method):
    """One published number, asked of the package on its own."""
    scenario = SCENARIOS[task.scenario]
    return sl.global_sensitivity(
        OURS[task.query],
        scenario.universes[task.column],
        size=scenario.size,
        relation=getattr(sl, task.relation)(task.k),
        method=method,
    ).value


def in_tables(tasks, method):
    """The same numbers, asked as one table per scenario;
    a pair is then walked once for all queries."""
    found = {}
    for name in {task.scenario for task in tasks}:
        scenario, asked = SCENARIOS[name], [task for task in tasks if task.scenario == name]
        relations = {getattr(sl, task.relation)(task.k) for task in asked}
        table = sl.sweep(
            list(OURS.values()),
            scenario.universes,
            size=scenario.size,
            relations=sorted(relations, key=str),
            method=method,
        )
        keys = table[["column", "query", "relation", "k"]].itertuples(index=False, name=None)
        found |= {
            (name, *key): value for key, value in zip(keys, table["sensitivity"], strict=True)
        }
    return [found[task[:5]] for task in tasks]


# -- larger universes, which naive enumeration does not reach -----------------------------------


LARGER = [
    (sl.Universe.population(range(20)), 10, [sl.AddRemove(2), sl.Change(2)]),
    (sl.Universe.value_range(range(21)), 4, [sl.AddRemove(2), sl.Change(2)]),
    (sl.Universe.value_range(range(101)), 3, [sl.AddRemove(1), sl.Change(1)]),
]


def larger(case):
    """CPU seconds for the mean under both relations."""
    universe, size, relations = case
    start = time.process_time()
    sl.sweep([sl.MEAN], {"universe": universe}, size=size, relations=relations)
    return time.process_time() - start


# -- SQL, many datasets by one statement -------------------------------------------------------


EMPLOYEES = pd.DataFrame(
    {
        "department": [*["law"] * 5, *["art"] * 5, *["ict"] * 4],
        "salary": [31, 44, 52, 67, 90, 28, 35, 41, 58, 73, 49, 62, 62, 88],
        "age": [25, 33, 41, 58, 60, 22, 29, 35, 47, 51, 30, 38, 45, 55],
    }
)
STAFF = sl.Universe.population(EMPLOYEES, name="staff")
# ruff: disable[E501]
STATEMENTS = {
    "group by": "SELECT department, SUM(LEAST(salary, 80)) AS total, COUNT(*) AS n FROM staff GROUP BY department",
    "statistics": "SELECT CORR(salary, age), MEDIAN(salary), COUNT(DISTINCT department) FILTER (WHERE age > 30) FROM staff",
    "self-join": "SELECT COUNT(*) FROM staff AS a JOIN staff AS b ON a.department = b.department AND a.salary < b.salary",
    "window": "SELECT AVG(salary) FROM (SELECT salary, ROW_NUMBER() OVER (PARTITION BY department ORDER BY salary, age) AS place FROM staff) WHERE place <= 2",
    "largest sum": "SELECT MAX(total) FROM (SELECT SUM(salary) AS total FROM staff GROUP BY department)",
    "nested": "SELECT AVG(gap), MAX(n) FROM (SELECT MAX(salary) - MIN(salary) AS gap, COUNT(*) AS n FROM staff GROUP BY department HAVING COUNT(*) > 1)",
}
# ruff: enable[E501]
DATASETS = list(combinations(range(len(EMPLOYEES)), 7))


def together(text, datasets):
    """CPU seconds for a statement on all datasets at once, each with its rows in two orders."""
    query = sl.sql(text)
    given, start = query.giver(STAFF), time.process_time()
    answers = query.answers(given, datasets)
    return time.process_time() - start, answers


def each_alone(text, datasets):
    """CPU seconds for the same on one dataset after another, also in two orders."""
    query = sl.sql(text)
    given, start = query.giver(STAFF), time.process_time()
    answers = [query.answer(given(dataset)) for dataset in datasets]
    return time.process_time() - start, answers


def compare_sql(repeats, share=34):
    """Print how much quicker all datasets together are; one by one a share of them is timed."""
    some = DATASETS[::share]
    print(
        f"\n{len(DATASETS):,} datasets of 7 rows by one statement, and one by one (CPU seconds, "
        "for all;"
    )
    print(
        f"one by one {len(some)} of them are timed). Both ask each dataset in two orders of its "
        "rows."
    )
    for name, text in STATEMENTS.items():
        together(text, DATASETS)
        each_alone(text, some[:10])
        fast = [together(text, DATASETS) for _ in range(repeats)]
        slow, answers = each_alone(text, some)
        if not all(map(are_near, fast[0][1][::share], answers)):
            raise SystemExit(f"{text} is not answered together as alone")
        seconds, slow = [seconds for seconds, _ in fast], slow * len(DATASETS) / len(some)
        ratio = slow / statistics.median(seconds)
        print(f"{name:11} {spread(seconds)}  one by one {slow:7.2f} s  {ratio:6.0f} times faster")


# -- timing ----------------------------------------------------------------------------------


def timed(route, tasks):
    """CPU seconds to answer all tasks; every answer is held against the published number."""
    start = time.process_time()
    answers = [float(answer) for answer in route(tasks)]
    seconds = time.process_time() - start
    for task, answer in zip(tasks, answers, strict=True):
        if abs(answer - task.value) > 1e-9:
            raise SystemExit(f"{task} was published, got {answer}")
    return seconds


def one_by_one(answer):
    """A route that asks for each number on its own."""
    return lambda tasks: [answer(task) for task in tasks]


def repeated(route, tasks, repeats):
    """One run to warm up, then `repeats` that count."""
    timed(route, tasks)
    return [timed(route, tasks) for _ in range(repeats)]


def spread(seconds):
    middle = f"{statistics.median(seconds):9.3f} s"
    if len(seconds) == 1:
        return f"{middle}  (one run)"
    return f"{middle}  (median of {len(seconds)}; {min(seconds):.3f} to {max(seconds):.3f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the naive baseline at k = 1 only")
    parser.add_argument("--repeats", type=int, default=5, help="counted runs of ours (default 5)")
    parser.add_argument("--naive-repeats", type=int, default=1, help="counted runs of naive (1)")
    parser.add_argument("--sql", action="store_true", help="SQL alone")
    options = parser.parse_args()
    if options.sql:
        compare_sql(options.repeats)
        return

    share = QUICK if options.quick else TASKS
    print(f"Each run answers {len(share)} of the {len(TASKS)} published numbers and agrees with")
    print("them within 1e-9; CPU seconds." + (" Share: k = 1." if options.quick else ""))
    timed(one_by_one(naive), QUICK[:20])  # warms numpy up
    slow = [timed(one_by_one(naive), share) for _ in range(options.naive_repeats)]
    print(f"naive            {spread(slow)}")
    for method in ("walk", "auto"):
        routes = {
            "one by one": one_by_one(partial(ours, method=method)),
            "in tables": partial(in_tables, method=method),
        }
        for name, route in routes.items():
            fast = repeated(route, share, options.repeats)
            ratio = statistics.median(slow) / statistics.median(fast)
            print(f"{method} {name:11} {spread(fast)}  {ratio:8.0f} times faster than naive")
    print("\nThe mean on larger universes:")
    for case in LARGER:
        larger(case)
        seconds = [larger(case) for _ in range(options.repeats)]
        print(
            f"       {spread(seconds)}  {case[0]}, size {case[1]}, {', '.join(map(str, case[2]))}"
        )
    compare_sql(options.repeats)


if __name__ == "__main__":
    main()
