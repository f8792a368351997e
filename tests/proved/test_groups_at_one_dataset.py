"""Any query by group at one dataset, against the definition and against the walk (thm-grouped-local).

`GROUP_CASES=n` asks so many random questions instead of the usual number.
"""

import math
import os
import random
from collections import Counter
from itertools import cycle

import pandas as pd
import pytest
from conftest import in_turn

import sensitivity_lab as sl
from sensitivity_lab import definition
from sensitivity_lab.methods import groups

CASES = int(os.environ.get("GROUP_CASES", "25"))
NORMS = [0, 1, 2, math.inf]
QUERIES = {  # (answer, smallest size)
    sl.MEAN: (definition.mean, 1),
    sl.MEDIAN: (definition.quantile("1/2"), 1),
    sl.quantile(0.3): (definition.quantile("3/10"), 1),
    sl.variance(ddof=1): (definition.variance(1), 2),
    sl.SUM: (sum, 0),
}
SHAPES = {  # (group, number): ties, groups alike, one record, labels out of order, a negative only group
    "ties": [("b", 1), ("b", 1), ("a", 1), ("a", 4), ("c", 4)],
    "alike": [("a", 0), ("a", 6), ("b", 0), ("b", 6), ("a", 0)],
    "alone": [("z", -3), ("y", 5), ("x", 2), ("y", 2)],
    "one group": [("a", 2), ("a", 3), ("a", 7), ("a", 7)],
}
RELATIONS = [
    *(("Add", k) for k in (1, 2)),
    *(("Remove", k) for k in (1, 3)),
    ("AddRemove", 1),
    ("SymmetricDifference", 2),
    *((name, k) for name in ("Change", "Change of x") for k in (1, 2)),
]


def by_group(answer, smallest, groups):
    """An entry for each group, 0 of too few records: (whether it is there, its number)."""

    def answers(x):
        held = [tuple(number for group, number in x if group == one) for one in groups]
        return tuple(answer(of) if of and len(of) >= smallest else 0 for of in held)

    return answers


def keeps_groups(x, y):
    gone, joined = Counter(x) - Counter(y), Counter(y) - Counter(x)
    return sorted(g for g, _ in gone.elements()) == sorted(g for g, _ in joined.elements())


def asked(query, rows, universe, relation, norm, keys):
    frame = pd.DataFrame(rows, columns=["g", "x"]).astype({"x": "int64"})
    by = query.of("x").by("g", keys=keys)
    return sl.local_sensitivity(by, frame, universe, relation=relation, norm=norm, method="solver")


@pytest.mark.parametrize("query", in_turn([*QUERIES]), ids=str)
@pytest.mark.parametrize("name", in_turn([*SHAPES]))
@pytest.mark.parametrize(("relation", "k"), RELATIONS)
@pytest.mark.parametrize("copies", [False, True])
def test_one_dataset_by_group_is_what_the_definition_says(query, name, relation, k, copies):
    """Catches a gain that is not the largest, an empty group, a split that is not the best."""
    shape, kind = SHAPES[name], relation.split()[0]
    frame = pd.DataFrame(shape, columns=["g", "x"])
    keys, keeps = [*dict.fromkeys(["y", *frame["g"], "nobody"])], " " in relation
    universe = [sl.Universe.population, sl.Universe.value_range][copies](frame)
    make = [definition.population_pairs, definition.range_pairs][copies]
    pairs = [pair for n in range(4 - copies) for pair in make(shape, n, kind, k)]
    neighbours = {}
    for x, y in pairs:
        if not keeps or keeps_groups(x, y):
            neighbours.setdefault(x, set()).add((x, y))
    one = getattr(sl, kind)(k, **({"columns": ["x"]} if keeps else {}))
    for (x, some), norm in zip(sorted(neighbours.items()), cycle(NORMS)):
        wanted = definition.greatest(by_group(*QUERIES[query], keys), 0, some, norm).value
        try:
            found = asked(query, list(x), universe, one, norm, keys)
        except sl.NotProved:
            assert keeps  # values that a group has not: who changes may not say them all
            continue
        same = wanted if norm != 2 else pytest.approx(float(wanted), rel=1e-12)
        assert found.value == same
        assert found.check()


def random_problem(rng):
    names = rng.choice([["a", "b"], ["b", "a", "c"], [2, 1, 3], ["a", None]])
    numbers = rng.choice([[0, 1], [-3, 1, 5], [0, 7, 9], [-2.5, 0.1, 3]])
    rows = {"g": names, "x": numbers, "c": [0, 0, 1]}
    frame = pd.DataFrame({name: rng.choices(held, k=6) for name, held in rows.items()})
    frame = frame if rng.random() < 0.4 else frame.drop(columns="c")
    universe = sl.Universe.population(frame)
    if rng.random() < 0.5:
        universe = sl.Universe.product(**{name: rows[name] for name in frame})
    query = rng.choice([*QUERIES, sl.MAX, sl.INTERQUARTILE_RANGE, sl.count_distinct, sl.COUNT])
    query = query if query == sl.COUNT else query.of(rng.choice(["x", lambda row: row.x * 2]))
    keys = rng.choice([None, None, ["a", "z"], [1, 2]])
    columns = rng.choice([None, None, ["x"], ["g"], ["x", frame.columns[-1]]])
    kind = rng.choice([sl.Add, sl.Remove, sl.SymmetricDifference, sl.Change, sl.Change])
    more = {"columns": columns} if kind is sl.Change and columns else {}
    relation = kind(rng.choice([1, 1, 2]), **more)
    dataset = universe.given(sorted(rng.sample(range(universe.distinct), rng.randint(0, 2))))
    return query.by("g", keys=keys), dataset, universe, relation


@pytest.mark.parametrize("seed", range(CASES))
def test_one_dataset_by_group_is_what_the_walk_finds(seed):
    """Catches a key that comes or goes, copies of a range, cells that are kept, a record led back wrongly."""
    rng = random.Random(seed)
    query, dataset, universe, relation = random_problem(rng)
    ask = {"relation": relation, "norm": rng.choice(NORMS)}
    try:
        walked = sl.local_sensitivity(query, dataset, universe, **ask, method="walk")
    except sl.Infeasible:
        return
    try:
        found = sl.local_sensitivity(query, dataset, universe, **ask, method="solver")
    except sl.NotProved:
        assert relation.restricts_columns
        return
    assert found.value == walked.value
    assert found.check()


def test_numbers_text_and_cells_are_asked_by_group():
    """Catches records that are no rows, and a proof that is claimed where a record leaves its group."""
    numbers, ask = sl.Universe.population(range(9)), {"method": "solver"}
    even = sl.MEDIAN.by(lambda number: number % 2)
    found = sl.local_sensitivity(even, (0, 1, 2, 8), numbers, relation=sl.Change(1), **ask)
    assert (
        found.value
        == sl.local_sensitivity(even, (0, 1, 2, 8), numbers, relation=sl.Change(1)).value
    )
    staff = sl.Universe.product(team=["a", "b"], pay=[0, 4])
    rows = pd.DataFrame({"team": ["a", "b"], "pay": [4, 4]})
    for query, columns in ((sl.MEAN, ["team"]), (sl.STD, None), (sl.histogram([0, 2, 4]), None)):
        with pytest.raises(sl.NotProved):
            sl.local_sensitivity(
                query.of("pay").by("team"),
                rows,
                staff,
                relation=sl.Change(1, columns=columns),
                **ask,
            )


def test_many_rows_are_answered_without_a_walk(monkeypatch):
    """Catches seconds, or a refusal, where each group is a problem of one column."""
    frame = pd.DataFrame(
        {"g": [i % 40 for i in range(4_000)], "x": [i * i % 997 for i in range(4_000)]}
    )
    universe, dataset = sl.Universe.population(frame), frame.iloc[:3_000]
    for query in (sl.MEAN, sl.MEDIAN, sl.quantile(0.9)):
        by = query.of("x").by("g")
        found = sl.local_sensitivity(by, dataset, universe, relation=sl.Change(2))
        assert found.method == "solver"
        assert found.check()
    monkeypatch.setattr(groups, "MOST_ASKED", 10)
    with pytest.raises(sl.TooLarge, match="by group"):
        sl.local_sensitivity(by, dataset, universe, relation=sl.Change(2))
