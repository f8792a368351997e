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
from operator import ge
from typing import Any, NamedTuple

from sensitivity_book.theory.research import conjectures as cj
from sensitivity_book.theory.research import layouts
from sensitivity_book.theory.research import worlds as populations
from sensitivity_book.theory.research.search import Claim, search

import sensitivity_lab as sl

SPREADS = [sl.STD, sl.std(ddof=1)]


class Row(NamedTuple):
    """One search: which question, of which query, through which worlds."""

    question: str
    query: str
    claim: Claim
    worlds: str


def rows() -> list[Row]:
    """Every search, in the order of the page."""
    falls = (sl.variance(ddof=1), *SPREADS)
    return [
        *(Row("falls", q.name, cj.falls(q, left=2), "populations") for q in falls),
        Row("both", "variance", cj.falls(sl.VARIANCE, both=True), "populations"),
        *(
            Row("run", q.name, cj.places(q, ge, layouts.lower_side_is_a_run), "populations")
            for q in SPREADS
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
