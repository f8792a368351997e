"""Any query by group at one dataset: the solver against the walk (thm-grouped-local).

`GROUP_CASES=n` asks so many random questions a seed instead of the usual number.
"""

import math
import os
import random
from itertools import product

import numpy as np
import pandas as pd
import pytest
from conftest import a_third
from sensitivity_beyond.proofs import groups_at_one as groups

import sensitivity_lab as sl

CASES = int(os.environ.get("GROUP_CASES", "6"))
NORMS = [0, 1, 2, math.inf]
QUERIES = [
    sl.MEAN, sl.MEDIAN, sl.quantile(0.3), sl.variance(ddof=1), sl.STD, sl.SUM, sl.MAX,
    sl.RANGE, sl.count_distinct, sl.COUNT,
]  # fmt: skip


def random_problem(rng):
    names = rng.choice([["a", "b"], ["b", "a", "c"], [2, 1, 3], ["a", None]])
    numbers = rng.choice([[0, 1], [-3, 1, 5], [0, 7, 9], [-2.5, 0.1, 3]])
    rows = {"g": names, "x": numbers, "c": [0, 0, 1]}
    frame = pd.DataFrame({name: rng.choices(held, k=6) for name, held in rows.items()})
    frame = frame if rng.random() < 0.4 else frame.drop(columns="c")
    universe = sl.Universe.population(frame)
    if rng.random() < 0.5:
        universe = sl.Universe.product(**{name: rows[name] for name in frame})
    query = rng.choice(QUERIES)
    query = query if query == sl.COUNT else query.of(rng.choice(["x", lambda row: row.x * 2]))
    keys = rng.choice([None, None, ["a", "z"], [1, 2]])
    held = frame["g"] if len(universe.source) == 6 else names
    keys = None if {*held}.isdisjoint(keys or ()) else keys  # keys of no group are refused
    kind = rng.choice([sl.Add, sl.Remove, sl.SymmetricDifference, sl.Change, sl.Change])
    relation = kind(rng.choice([1, 1, 2]))
    some = rng.sample(range(universe.distinct), min(rng.randint(0, 3), universe.distinct))
    dataset = universe.given(sorted(some))
    return query.by("g", keys=keys), dataset, universe, relation


@pytest.mark.parametrize("seed", a_third([*range(8)]))
def test_one_dataset_by_group_is_what_the_walk_finds(seed):
    """Catches a key that comes or goes, copies of a range, a record led back wrongly."""
    rng = random.Random(seed)
    problems = [random_problem(rng) for _ in range(CASES)]
    for (query, dataset, universe, relation), norm in product(problems, NORMS):
        ask = {"relation": relation, "norm": norm}
        try:
            walked = sl.local_sensitivity(query, dataset, universe, **ask, method="walk")
            found = sl.local_sensitivity(query, dataset, universe, **ask, method="solver")
        except sl.Infeasible:
            continue
        except sl.NotProved:
            assert query.function.query.root
            continue
        assert found.value == walked.value
        assert found.check()


def test_numbers_text_and_cells_are_asked_by_group():
    """Catches records that are no rows, and a proof that is claimed where there is none."""
    even = sl.MEDIAN.by(lambda number: number % 2)
    ask = even, (0, 1, 2, 8), sl.Universe.population(range(9))
    solved, walked = (
        sl.local_sensitivity(*ask, relation=sl.Change(1), method=method)
        for method in ("solver", "walk")
    )
    assert solved.value == walked.value
    staff = sl.Universe.product(team=["a", "b"], pay=[0, 4])
    rows = pd.DataFrame({"team": ["a", "b"], "pay": [4, 4]})
    for query in (sl.STD, sl.histogram([0, 2, 4])):
        by = query.of("pay").by("team")
        with pytest.raises(sl.NotProved):
            sl.local_sensitivity(by, rows, staff, relation=sl.Change(1), method="solver")


def test_many_rows_are_answered_without_a_walk(monkeypatch):
    """Catches seconds, or a refusal, where each group is a problem of one column."""
    cells = np.arange(4_000)
    frame = pd.DataFrame({"g": cells % 40, "x": cells * cells % 997})
    universe, dataset = sl.Universe.population(frame), frame.iloc[:3_000]
    for query in (sl.MEAN, sl.MEDIAN, sl.quantile(0.9)):
        by = query.of("x").by("g")
        found = sl.local_sensitivity(by, dataset, universe, relation=sl.Change(2))
        assert found.method == "solver"
        assert found.check()
    spread = sl.STD.of("x").by("g")
    with pytest.raises(sl.TooLarge, match=r"by group.* VARIANCE"):
        sl.local_sensitivity(spread, dataset, universe, relation=sl.Change(1))
    monkeypatch.setattr(groups, "MOST_ASKED", 10)
    with pytest.raises(sl.TooLarge, match="by group"):
        sl.local_sensitivity(by, dataset, universe, relation=sl.Change(2))


def test_a_function_that_fails_on_a_row_is_told_with_the_dataset():
    """Catches a bare error from a group that was asked alone."""
    frame = pd.DataFrame({"g": [1] * 40, "x": range(40)})
    asked = sl.MEAN.of(lambda row: 1 / row["x"]).by("g")
    ask = asked, frame.iloc[:35], sl.Universe.population(frame)
    with pytest.raises(ValueError, match="division by zero"):
        sl.local_sensitivity(*ask, relation=sl.Remove(1))
