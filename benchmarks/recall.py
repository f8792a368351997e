"""Measure how much of the exact sensitivity a search reaches, where a solver knows it.

For each solved query, relation and shape of universe: the exact value, and the share of it that is
found with 1,000 and with 10,000 calls of the function, by `method="search"` and, beside it, by
climbs from random pairs. A share is the median case's, and the bar is how many cases reach 0.99.

    python benchmarks/recall.py            # everything, some minutes
    python benchmarks/recall.py --quick    # a seventh of the cases
    python benchmarks/recall.py --store    # and the table for the book
"""

import argparse
import csv
import statistics
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.metadata import version
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

import sensitivity_lab as sl
from sensitivity_lab.audit.search.search import search
from sensitivity_lab.audit.subject import Subject
from sensitivity_lab.problem import Problem
from sensitivity_lab.results import presented

STORED = Path(__file__).parents[1] / "book/sensitivity_book/data/recall.csv"
BUDGETS = (1_000, 10_000)  # calls of the function: two a pair
BAR = 0.99
PATIENCE, PALETTE = 40, 3  # of the climbs from random pairs

QUERIES = {
    **{query.name: query for query in (sl.COUNT, sl.SUM, sl.MEAN, sl.MIN, sl.MEDIAN, sl.MAX)},
    **{query.name: query for query in (sl.quantile(0.25), sl.quantile(0.9))},
    **{query.name: query for query in (sl.VARIANCE, sl.STD)},
    "variance, ddof=1": sl.variance(ddof=1),
    "std, ddof=1": sl.std(ddof=1),
}
RELATIONS = {
    str(relation): relation
    for relation in (
        *(sl.Change(1), sl.Change(3), sl.Add(1), sl.Remove(1)),
        *(sl.SymmetricDifference(1), sl.SymmetricDifference(2)),
    )
}


def lognormal():
    """Three hundred incomes, most of them low and a few very high."""
    return np.rint(np.random.default_rng(1).lognormal(10, 0.8, 300)).astype(np.int64)


def ties():
    """Three hundred marks from 0 to 9, of which a third are 2."""
    rng = np.random.default_rng(2)
    return np.where(rng.random(300) < 1 / 3, 2, rng.integers(0, 10, 300)).astype(np.int64)


def staff():
    """Two hundred rows of a table."""
    rng = np.random.default_rng(3)
    teams = rng.choice(["art", "law", "tax"], 200)
    ages, pay = rng.integers(20, 65, 200), np.rint(rng.lognormal(4, 0.5, 200)).astype(np.int64)
    return pd.DataFrame({"team": teams, "age": ages, "pay": pay})


SHAPES = {  # the universe, the size of a dataset, the column that is asked about
    "range": (sl.Universe.value_range(range(100)), 21, None),
    "lognormal": (sl.Universe.population(lognormal()), 30, None),
    "ties": (sl.Universe.population(ties()), 20, None),
    "table": (sl.Universe.population(staff()), 12, "pay"),
    "product": (sl.Universe.product(team=["a", "b", "c"], pay=range(0, 60, 3)), 8, "pay"),
}
EDGES = {"range": range(0, 101, 25), "lognormal": (0, 10_000, 20_000, 50_000, 100_000)}
EDGES |= {"ties": (0, 3, 6, 9), "table": (0, 40, 60, 90), "product": (0, 15, 30, 58)}


# -- the climbs from random pairs ------------------------------------------------------------


def random_climbs(problem, subject, *, trials, seed):
    """The widest gap of `trials` pairs, met on climbs by single exchanges from random starts."""
    rng, universe, between = np.random.default_rng(seed), problem.universe, subject.measure()
    steps = [(size, move) for size, moves in problem.plan.items() for move in moves]
    best = held = records = None
    patience = 0
    for _ in range(trials):
        if patience == 0:
            size, (removed, added) = steps[rng.integers(len(steps))]
            held, patience = None, PATIENCE
            tried = records = random_records(universe, size + added, rng)
        else:
            tried = exchanged(universe, records, size + added, rng)
        here = positions(universe, tried[:size])
        there = positions(universe, tried[: size - removed] + tried[size : size + added])
        answers = (asked_about(subject, universe, at) for at in (here, there))
        gap = between(*answers)
        patience = PATIENCE if held is None or gap > held else patience - 1
        if held is None or gap >= held:
            held, records = gap, tried
        best = gap if best is None or gap > best else best
    return best


def asked_about(subject, universe, at):
    return subject.answer(None if subject.over else universe.given(at), at)


def random_records(universe, needed, rng):
    if not universe.unlimited:
        return rng.permutation(int(universe.records)).tolist()
    palette = rng.integers(universe.distinct, size=rng.integers(1, PALETTE + 1))
    return rng.choice(palette, size=needed).tolist()


def exchanged(universe, records, needed, rng):
    stepped = records.copy()
    one = int(rng.integers(needed))
    if universe.unlimited:
        stepped[one] = int(rng.integers(universe.distinct))
    else:
        other = int(rng.integers(len(records)))
        stepped[one], stepped[other] = stepped[other], stepped[one]
    return stepped


def positions(universe, records):
    values = records if universe.unlimited else [universe.value_of[record] for record in records]
    return tuple(sorted(values))


# -- the cases -------------------------------------------------------------------------------


def asked(name, shape):
    """The query of a name, over the column of a shape; a histogram has the shape's own edges."""
    column = SHAPES[shape][2]
    query = sl.histogram(EDGES[shape]) if name == "histogram" else QUERIES[name]
    if column is None or name == "count":
        return query
    return query.of(column)


def measured(case, seed):
    """One row for each budget of a case; none where no solver serves it."""
    name, relation, shape = case
    universe, size, _ = SHAPES[shape]
    query, relation = asked(name, shape), RELATIONS[relation]
    question = {"size": size, "relation": relation, "method": "solver"}
    try:
        exact = sl.global_sensitivity(query, universe, **question).value
    except sl.NotProved:
        return []
    problem = Problem(query, universe, size, relation, norm=1)
    subject = Subject.of(query, 1, None, universe)
    rows = []
    for calls in BUDGETS:
        trials = calls // 2
        plain = presented(random_climbs(problem, subject, trials=trials, seed=seed))
        found = presented(search(problem, subject, trials=trials, seed=seed).gap)
        shares = [share(each, exact) for each in (plain, found)]
        rows.append((*case, size, calls, seed, float(exact), *shares))
    return rows


def share(found, exact):
    """Of the exact value; all of it where that is 0. More than all would refute the solver."""
    part = float(found) / float(exact) if exact else 1.0
    if part > 1 + 1e-9:
        raise SystemExit(f"a pair was found that is wider than the exact {exact}: {found}")
    return round(min(part, 1.0), 6)


COLUMNS = ("query", "relation", "universe", "size", "calls", "seed", "exact", "random", "search")


def store(rows):
    """Write the table, with the version of the package that was asked."""
    with STORED.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("version", *COLUMNS))
        writer.writerows((version("sensitivity-lab"), *row) for row in rows)


def report(rows):
    """Print for each budget how many cases reach the bar, and the median and the least share."""
    for calls, (column, words) in product(BUDGETS, enumerate(("random", "search"), start=7)):
        shares = [row[column] for row in rows if row[4] == calls]
        reached = sum(part >= BAR for part in shares) / len(shares)
        print(
            f"{words:8} {calls:6,} calls: {reached:6.1%} of {len(shares)} cases reach {BAR}; "
            f"median {statistics.median(shares):.3f}, least {min(shares):.3f}"
        )
    missed = [row for row in rows if row[4] == BUDGETS[-1] and row[8] < BAR]
    for row in missed:
        print(f"  missed: {row[0]}, {row[1]}, {row[2]}: {row[7]} → {row[8]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a seventh of the cases")
    parser.add_argument("--store", action="store_true", help="write the book's table")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    if options.quick and options.store:
        parser.error("--store needs every case")
    cases = list(product([*QUERIES, "histogram"], RELATIONS, SHAPES))
    cases = cases[::7] if options.quick else cases
    with ProcessPoolExecutor(options.workers) as workers:
        answers = workers.map(partial(measured, seed=options.seed), cases)
        rows = [row for each in answers for row in each]
    report(rows)
    if options.store:
        store(rows)


if __name__ == "__main__":
    main()
