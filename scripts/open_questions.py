"""Search wider than the page on open questions does: `python scripts/open_questions.py [RANDOM]`.

Writes book/sensitivity_book/data/open_questions.csv, which that page shows. RANDOM populations
(10,000 unless said otherwise) take some minutes; a tenth of them takes a tenth of the time.
"""

import csv
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from sensitivity_book.research import conjectures as cj
from sensitivity_book.research import layouts
from sensitivity_book.research import worlds as populations
from sensitivity_book.research.search import Claim, search

import sensitivity_lab as sl

SPREADS = [sl.STD, sl.std(ddof=1)]
QUANTILES = [sl.MEDIAN, sl.quantile(0.1), sl.quantile(0.25), sl.quantile(0.9)]


class Row(NamedTuple):
    """One search: which question, of which query, through which worlds."""

    question: str
    query: str
    claim: Claim
    worlds: str


def rows() -> list[Row]:
    """Every search, in the order of the page."""
    falls = [(query, 1) for query in QUANTILES]
    falls += [(query, 2) for query in (sl.variance(ddof=1), *SPREADS)]
    at_least, below = (lambda a, b: a >= b), (lambda a, b: a < b)
    return [
        *(Row("falls", q.name, cj.falls(q, left), "populations") for q, left in falls),
        Row("both", "variance", cj.falls(sl.VARIANCE, both=True), "populations"),
        Row("mixes", "median", cj.mixes(sl.MEDIAN), "populations"),
        *(
            Row("run", q.name, cj.places(q, at_least, layouts.lower_side_is_a_run), "populations")
            for q in SPREADS
        ),
        *(
            Row("either", q.name, cj.places(q, below, layouts.either_place), "populations")
            for q in SPREADS
        ),
        *(
            Row("sizes", sl.variance(ddof=ddof).name, cj.variance_sizes(ddof, 16), f"sizes {ddof}")
            for ddof in (0, 1)
        ),
        *(
            Row("distance", f"std, t = {t}", cj.std_at_distance(t, 12), f"datasets {t}")
            for t in (1, 2, 3)
        ),
    ]


def worlds(kind: str, most: int) -> Iterator[Any]:
    """What a search goes through."""
    if kind == "populations":
        yield from chain(populations.small_populations(8, 4), populations.random_populations(most))
    elif kind.startswith("sizes"):
        ddof = int(kind[-1])
        yield from ((k, least) for k in range(2, 9) for least in range(ddof + 1, 16))
    else:
        more = int(kind[-1]) + 1
        yield from (x for x in populations.small_populations(5, 4) if len(x) >= more)
        yield from populations.random_datasets(most // 50, more, 12)


def run(number: int, most: int) -> list[Any]:
    """Search one row; return it as a line of the table."""
    row = rows()[number]
    found = search(row.claim, worlds(row.worlds, most))
    return [row.question, row.query, found.worlds, found.cases, found.counterexample or "none"]


def main(most: int) -> None:
    """Search every row, on all processors, and write the table."""
    with ProcessPoolExecutor() as pool:
        lines = list(pool.map(partial(run, most=most), range(len(rows()))))
    with cj.DATA.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["question", "query", "worlds", "cases", "counterexample"])
        writer.writerows(lines)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
