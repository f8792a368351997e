"""Time one sensitivity over people beside the group-by of the table's own library, in one run.

20,000 people bring 100,000 rows, their ids shuffled. Ours is all of it: the universe, the dataset
looked up in it, what every person's rows come to, and the witness. The group-by only adds the rows
up by person, or by person and group.

    python benchmarks/people.py             # a ratio for each library and query
    python benchmarks/people.py --persons   # a function of a person, too: some minutes
"""

import argparse
import statistics
import time
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import sensitivity_lab as sl

PEOPLE, ROWS, REPEATS = 20_000, 100_000, 7
QUERIES = {
    "sum": sl.SUM.of("amount"),
    "sum of floats": sl.SUM.of("price"),
    "sum, clipped": sl.SUM.of("amount").clipped(0, 50),
    "count": sl.COUNT,
    "count where": sl.count_where(lambda row: row.amount > 50),
    "sum by group": sl.SUM.of("amount").by("shop"),
    "count by group": sl.COUNT.by("shop"),
}
GROUPED = {
    "pandas": (pd.DataFrame, lambda t, c, by: t.groupby(by)[c].sum()),
    "polars": (pl.DataFrame, lambda t, c, by: t.group_by(by).agg(pl.col(c).sum())),
    "pyarrow": (pa.table, lambda t, c, by: t.group_by(by).aggregate([(c, "sum")])),
}


def columns():
    rng = np.random.default_rng(0)
    who = np.concatenate([np.arange(PEOPLE), rng.integers(0, PEOPLE, ROWS - PEOPLE)])
    rng.shuffle(who)
    amount = rng.integers(0, 100, ROWS)
    shop = rng.integers(0, 20, ROWS)
    return {"who": who, "shop": shop, "amount": amount, "price": amount / 100}


def ask(table, query):
    people = sl.Universe.people(table, id="who")
    return sl.local_sensitivity(query, table, people, relation=sl.Remove(1))


def seconds(task, repeats=REPEATS):
    """The median and the spread of some runs, after one that does not count."""
    task()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return statistics.median(times), max(times) - min(times)


def persons(table):
    """A function of a person, who comes as a table, beside the same by the library's own apply."""
    asked = sl.SUM.of(lambda person: int(person["amount"].max()))
    start = time.perf_counter()
    ask(table, asked)
    ours = time.perf_counter() - start
    start = time.perf_counter()
    table.groupby("who").apply(lambda person: int(person["amount"].max()))
    theirs = time.perf_counter() - start
    print(f"pandas   a function of a person {ours:8.1f} s {theirs:10.2f} s {ours / theirs:6.0f} ×")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--persons", action="store_true")
    asked, given = parser.parse_args(), columns()
    print(f"{'':30} {'ours':>18} {'group-by':>18}   ratio")
    for library, (made, grouped) in GROUPED.items():
        table = made(given)
        for name, query in QUERIES.items():
            column = "price" if name == "sum of floats" else "amount"
            by = ["who", "shop"] if "by group" in name else ["who"]
            theirs = partial(grouped, table, column, by)
            times = [seconds(partial(ask, table, query)), seconds(theirs)]
            cells = [f"{1e3 * median:8.1f} ± {1e3 * spread:4.1f} ms" for median, spread in times]
            print(f"{library:8} {name:21} {' '.join(cells)} {times[0][0] / times[1][0]:6.0f} ×")
    if asked.persons:
        persons(pd.DataFrame(given))


if __name__ == "__main__":
    main()
