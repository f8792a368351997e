"""The engine that refutes claims, and the searches of the page on open questions."""

import math
from fractions import Fraction
from itertools import chain, islice, product

import numpy as np
import pandas as pd
import pytest
from conftest import SPREADS, a_third, in_turn
from sensitivity_book.theory.research import conjectures as cj
from sensitivity_book.theory.research import layouts, worlds
from sensitivity_book.theory.research.search import of_populations, search, where

import sensitivity_lab as sl
from scripts import open_questions
from sensitivity_lab.definition import QUERIES

EIGHT = (-46, -3, -2, -2, 2, 3, 3, 3)


def either_way(wanted):
    return lambda a, b: wanted == "any" or (a > b if wanted == "more" else a < b)


def populations():
    return chain(worlds.small_populations(6, 2), worlds.random_populations(40, seed=1))


def shifted(query, records, n, k):
    """The answers to the first n records and to the n after the first k; None if too few."""
    first, later = records[:n], records[k : k + n]
    return query(first) if k <= n else None, query(later) if len(later) == n else None


@pytest.mark.parametrize("asked", [lambda *case: True, lambda query, records, n, k: 2 * k <= n])
@pytest.mark.parametrize("query", a_third([sl.SUM, sl.VARIANCE, sl.STD]), ids=str)
def test_the_engine_finds_the_first_case_that_loops_find(query, asked):
    """Catches a case skipped or counted twice, and a counterexample that is not the first."""
    tried, refuting = 0, None
    for records in worlds.small_populations(5, 2):
        for n, k in product(range(1, len(records) + 1), repeat=2):
            left, right = shifted(query, records, n, k)
            if asked(query, records, n, k) and None not in (left, right) and not refuting:
                tried += 1
                refuting = (records, (n, k)) if left > right else None
    found = search(of_populations(where(asked, shifted), query), worlds.small_populations(5, 2))
    assert (found.cases, found.counterexample) == (tried, refuting)


WIDEST = [
    ("median", sl.MEDIAN),
    ("quantile(0.25)", sl.quantile(0.25)),
    ("variance", sl.VARIANCE),
    ("mean", sl.MEAN),
]


@pytest.mark.parametrize(("name", "query"), WIDEST)
def test_the_widest_gaps_are_those_of_a_brute_force_over_labels(name, query):
    """Catches a layout that is skipped, counted under another share, or answered wrongly."""
    answer, least = QUERIES[name]
    records = (0, 0, 1, 3, 7)
    best: dict = {}
    for places in product(range(4), repeat=len(records)):  # in none, in both, in one, in the other
        placed = [*zip(records, places, strict=True)]
        sides = [[v for v, place in placed if place in (1, side)] for side in (2, 3)]
        if min(map(len, sides)) >= least:
            share = tuple(places.count(place) for place in (1, 2, 3))
            gap = answer(sides[0]) - answer(sides[1])
            best[share] = max(best.get(share, gap), gap)
    assert layouts.widest(query, records) == best


@pytest.mark.parametrize(
    ("claim", "worlds", "witness"),
    [
        (cj.falls(sl.VARIANCE, left=1), worlds.small_populations(5, 2), ((0, 1, 1, 1, 2), (5, 3))),
        (cj.falls(sl.SUM, left=1), [(-1, -1, -1, -1, 3)], ((-1, -1, -1, -1, 3), (3, 1))),
        (cj.mixes(sl.MEAN), worlds.small_populations(7, 2), ((0, 1, 1, 1, 1, 1, 2), (5, 2))),
        (cj.places(sl.VARIANCE, either_way("any"), layouts.lower_side_is_a_run), [EIGHT],
         (EIGHT, (4, 2, 2))),
        (cj.places(sl.STD, either_way("less"), layouts.higher_side_is_outside),
            [(0, 0, 2, 2, 2, 2, 3)],
         ((0, 0, 2, 2, 2, 2, 3), (2, 1, 2))),
    ],
)  # fmt: skip
def test_a_claim_that_is_false_is_refuted(claim, worlds, witness):
    """Catches a search that cannot find anything."""
    assert search(claim, worlds).counterexample == witness


@pytest.mark.parametrize("query", in_turn(SPREADS), ids=str)
def test_mixes_lie_where_the_theorem_says(query):
    """Catches a slip in thm-mixes: B is a run, and for a > b, C is one of the others."""

    def lower_part_is_a_run(shared, a, b, unused):
        return layouts._is_run(b, shared | a | unused)

    every = search(cj.places(query, either_way("any"), lower_part_is_a_run), populations())
    more = search(cj.places(query, either_way("more"), layouts.shared_is_a_run), populations())
    assert every.cases > more.cases > 500
    assert every.counterexample is more.counterexample is None


def of_median_rank(records, size, q, highest):
    """The quantile of the highest, or of the lowest, records: NumPy's, not the package's."""
    return np.quantile(records[-size:] if highest else records[:size], q)


@pytest.mark.parametrize("q", in_turn([0.5, 0.25, 0.9, 0.4]))
def test_clean_shares_of_a_quantile_lie_at_the_ends(q):
    """Catches a slip in thm-quantile-clean: a share wider than K, a clean one narrower."""
    clean = 0
    for records in islice(populations(), 10, None, 6):
        for (c, a, b), gap in layouts.widest(sl.quantile(q), records).items():
            most = of_median_rank(records, c + a, q, True) - of_median_rank(
                records, c + b, q, False
            )
            assert gap <= most + 1e-9
            upper = Fraction(str(q)) * (c + a - 1)
            lower = upper - Fraction(str(q)) * a - (1 - Fraction(str(q))) * b
            if math.ceil(lower) < math.floor(upper) or lower <= -1:
                assert gap == pytest.approx(most, abs=1e-9)
                clean += 1
    assert clean > 200


@pytest.mark.parametrize(("k", "least"), [(1, 3), (2, 1), (2, 4), (3, 2), (4, 5), (5, 3)])
def test_the_fewest_records_meet_an_enumeration(k, least):
    """Catches a formula that some datasets of 0 and 1 exceed, or that none attains."""
    found = sl.global_sensitivity(
        sl.VARIANCE, sl.Universe.value_range([0, 1]), size=range(least, least + k + 2),
        relation=sl.SymmetricDifference(k), method="sweep",
    )  # fmt: skip
    assert cj.variance_at_least(k, least, 0) == found.value


def test_a_distance_is_the_packages_local_sensitivity():
    """Catches a brute force at a distance that misses datasets or changes."""
    ((_, widest, tidy),) = cj.std_at_distance(1, 4)((1, 2, 4))
    universe = sl.Universe.value_range(range(5))
    near = [x for x in universe.datasets(size=3) if sl.change_one_distance(x, (1, 2, 4)) <= 1]
    local = [sl.local_sensitivity(sl.STD, x, universe, relation=sl.Change(1)) for x in near]
    assert widest == pytest.approx(max(float(each.value) for each in local), rel=1e-12)
    assert tidy == pytest.approx(widest)


def test_the_stored_searches_are_those_of_the_script_and_found_nothing():
    """Catches a table that is out of date, or a counterexample that the page ignores."""
    stored = pd.read_csv(cj.DATA)
    rows = open_questions.rows()
    assert list(zip(stored["question"], stored["query"], strict=True)) == [row[:2] for row in rows]
    assert set(stored["counterexample"]) == {"none"}
    assert cj.wider("both").loc["variance", "cases"] > 10_000
