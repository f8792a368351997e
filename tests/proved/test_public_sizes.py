"""A public size of each group, against all datasets of these sizes and all their neighbours (thm-grouped-local, 3).

`SIZES_CASES=n` asks so many random questions instead of the usual number.
"""

import math
import os
import pickle
import random
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

import pandas as pd
import polars as pl
import pytest

import sensitivity_lab as sl
from sensitivity_lab import definition

CASES = int(os.environ.get("SIZES_CASES", "40"))
NORMS = [0, 1, 2, math.inf]
MOST_DATASETS = 150  # all pairs of them are visited


def spread(numbers):
    return max(numbers, default=0) - min(numbers, default=0)


def exactly(answer):
    return lambda x: answer(tuple(sorted(Fraction(str(number)) for number in x)))


QUERIES = {  # what is asked of x: (query, answer on the numbers of a group, the least that has one)
    "mean": (sl.MEAN.of("x"), definition.mean, 1),
    "median": (sl.MEDIAN.of("x"), definition.quantile("1/2"), 1),
    "quantile": (sl.quantile(0.3).of("x"), definition.quantile("3/10"), 1),
    "variance": (sl.VARIANCE.of("x"), definition.variance(0), 1),
    "variance of a sample": (sl.variance(ddof=1).of("x"), definition.variance(1), 2),
    "std": (sl.STD.of("x"), lambda x: float(definition.root(definition.variance(0)(x))), 1),
    "sum": (sl.SUM.of("x"), sum, 0),
    "clipped": (sl.SUM.of("x").clipped(0, 4), lambda x: sum(max(0, min(4, n)) for n in x), 0),
    "max": (sl.MAX.of("x"), max, 1),
    "distinct": (sl.count_distinct.of("x"), lambda x: len({*x}), 0),
    "count": (sl.COUNT, len, 0),
    "above": (sl.count_where(lambda row: row.x > 2), lambda x: sum(n > 2 for n in x), 0),
    "doubled": (sl.MEAN.of(lambda row: row.x * 2), lambda x: 2 * definition.mean(x), 1),
    "own": (sl.Query("spread", spread).of("x"), spread, 0),
    "of rows": (sl.Query("most", lambda rows: max((r.x for r in rows), default=0)), max, 0),
}
BY = ["g", lambda row: row["g"]]


def all_datasets(rows, sizes, copies):
    """Every dataset of these sizes, as a sorted tuple of rows."""
    choose = combinations_with_replacement if copies else combinations
    of_each = [
        {tuple(sorted(some)) for some in choose([row for row in rows if row[0] == group], n)}
        for group, n in sizes.items()
    ]
    return [sum(parts, ()) for parts in product(*of_each)]


def are_neighbours(x, y, k, kept):
    gone, joined = Counter(x) - Counter(y), Counter(y) - Counter(x)
    if gone.total() > k:
        return False
    return sorted(map(kept, gone.elements())) == sorted(map(kept, joined.elements()))


def by_brute_force(rows, sizes, copies, k, kept, answer, smallest, keys):
    """The greatest gap in each norm."""

    def entries(x):
        held = {group: [row[1] for row in x if row[0] == group] for group in sizes}
        return tuple(
            answer(own) if own and len(own) >= smallest and (not keys or group in keys) else 0
            for group, own in held.items()
        )

    every = product(all_datasets(rows, sizes, copies), repeat=2)
    pairs = {(x, y) for x, y in every if are_neighbours(x, y, k, kept)}
    return {norm: definition.greatest(entries, 0, pairs, norm).value for norm in NORMS}


def random_question(rng):
    groups = rng.choice([["a", "b"], ["b", "a", "c"], ["a"]])
    numbers = rng.choice([[0, 1], [-3, 1, 5], [0, 7, 9], [-2.5, 0.1, 3.0], [2, 2, 8]])
    copies = rng.random() < 0.5
    rows = [
        (group, rng.choice(numbers), rng.choice([0, 0, 1]))
        for group in groups
        for _ in range(rng.randint(1, 3 if copies else 4))
    ]
    if rng.random() < 0.5:
        rows = [(group, number, 0) for group, number, _ in rows]
    if copies:
        rows = [*dict.fromkeys(rows)]
    rng.shuffle(rows)
    held = Counter(row[0] for row in rows)
    sizes = {group: rng.randint(0, 3 if copies else min(3, held[group])) for group in groups}
    return rows, copies, sizes


def close(found, wanted):
    return found == wanted or found == pytest.approx(float(wanted), rel=1e-12)


@pytest.mark.parametrize("seed", range(CASES))
def test_sizes_of_groups_are_answered_as_all_pairs_are(seed):
    """Catches a split that is not the best, a group that lacks records, cells that are kept, a wrong pair."""
    rng = random.Random(f"sizes {seed}")
    rows, copies, sizes = random_question(rng)
    while len(all_datasets(rows, sizes, copies)) > MOST_DATASETS:
        rows, copies, sizes = random_question(rng)
    k, columns = rng.choice([1, 2, 3]), rng.choice([["x"], ["x"], ["x", "c"]])
    name = rng.choice([*QUERIES])
    query, answer, smallest = QUERIES[name]
    keys = rng.choice([None, None, ["a", "nobody"]])
    kept = (lambda row: (row[0], row[2])) if columns == ["x"] else (lambda row: row[0])
    wanted = by_brute_force(rows, sizes, copies, k, kept, exactly(answer), smallest, keys)
    columns_of = zip(*rows, *rows[:copies], strict=True)  # of a range, a row that is named twice
    table = dict(zip("gxc", map(list, columns_of), strict=True))
    frame = rng.choice([pd.DataFrame, pl.DataFrame])(table)
    universe = [sl.Universe.population, sl.Universe.value_range][copies](frame)
    ask = {"size": sizes, "relation": sl.Change(k, columns=columns)}
    asked = query.by(rng.choice(BY), keys=keys)
    methods = ["auto", "walk", *(["solver"] if columns == ["x", "c"] and not copies else [])]
    for norm, method in product(NORMS, methods):
        try:
            found = sl.global_sensitivity(asked, universe, norm=norm, method=method, **ask)
        except sl.NotProved:
            assert name in ("std", "own", "of rows", "distinct", "above")
            continue
        assert close(found.value, wanted[norm]), (norm, method)
        assert found.check()
        assert found.size == sizes
        of_each = Counter(row["g"] for row in universe.source.listed(found.witness[1], "it"))
        assert of_each == +Counter(sizes)


# --- the call as a user meets it -----------------------------------------------------------------

SHOPS = sl.Universe.product(shop=["Lyon", "Oslo"], price=[0, 1, 100])
SIZES = {"Lyon": 30, "Oslo": 12}
PRICE = sl.Change(2, columns=["price"])
MEAN = sl.MEAN.of("price").by("shop")


def asked(query=MEAN, universe=SHOPS, size=SIZES, relation=PRICE, **options):
    return sl.global_sensitivity(query, universe, size=size, relation=relation, **options)


def test_the_result_says_what_is_public_and_travels():
    """Catches a result of one size, a card that fails, sizes that are lost or shared on the way."""
    sizes = dict(SIZES)
    found = asked(size=sizes, norm=2)
    sizes["Lyon"] = 1
    assert found.size == SIZES
    assert found.value == pytest.approx(100 / 12 * 2)
    assert found.check()
    assert "for a public size of each group, {'Lyon': 30, 'Oslo': 12}" in repr(found)
    assert "a public size of each group, {&#x27;Lyon&#x27;: 30" in found._repr_html_()
    assert "ask for all" not in found._repr_html_()
    assert found.to_dict()["size"]
    again = sl.Sensitivity.from_json(found.to_json())
    assert again == found == pickle.loads(pickle.dumps(found))
    assert hash(again) == hash(found)
    assert again.size == SIZES
    assert "assert sl.Change(2, columns=['price']).are_neighbours" in found.snippet()
    assert sl.plot_witness(asked(size={"Lyon": 3, "Oslo": 2})).axes
    other = asked(size=SIZES | {"Oslo": 13}, norm=2)
    assert other != found


def test_one_change_has_the_largest_of_the_groups_in_every_norm():
    """Catches another rule than the theorem's for k = 1, and a solver that is not asked."""
    one = sl.Change(1, columns=["price"])
    for norm in (1, 2, math.inf):
        found = asked(size={"Lyon": 3_000_000, "Oslo": 10**12}, relation=one, norm=norm)
        assert float(found.value) == pytest.approx(100 / 3_000_000)
        assert found.method == "solver"
    assert asked(size={"Lyon": 3_000_000, "Oslo": 2}, relation=one).method == "solver and sweep"
    assert asked(size={"Lyon": 0, "Oslo": 0}, relation=one).value == 0


def test_groups_may_be_told_by_anything_and_lack_records():
    """Catches keys that do not travel, None as a group, and records that cannot change."""
    keys = [None, ("a", 1), pd.Timestamp("2024-01-02"), 7]
    rows = pl.DataFrame({"g": [0, 0, 1, 1, 2, 3], "x": [1, 5, 2, 9, 4, 4]})
    by = sl.MAX.of("x").by(lambda row: keys[row.g])
    sizes = dict(zip(keys, [1, 1, 1, 0], strict=True))
    found = asked(by, sl.Universe.population(rows), sizes, sl.Change(3, columns=["x"]))
    assert found.value == 4 + 7
    assert found.infeasible == ("change 3: the groups have 2 records that can change",)
    text = found.to_json()
    again = sl.Sensitivity.from_json(text, query=by)
    assert again.size == sizes
    assert again == found


def test_a_function_of_your_own_takes_workers_and_its_limits_hold():
    """Catches an executor that is not used, and a budget that does not count groups."""
    own = sl.Query("spread", spread).of("price").by("shop")
    small = {"Lyon": 3, "Oslo": 2}
    alone = asked(own, size=small)
    with ThreadPoolExecutor(2) as pool:
        assert asked(own, size=small, executor=pool) == alone
    with ProcessPoolExecutor(1) as pool, pytest.raises(ValueError, match="cannot be sent"):
        asked(sl.Query("spread", lambda d: 0).of("price").by("shop"), size=small, executor=pool)
    assert alone.method == "sweep"
    assert alone.datasets == 10 + 6
    for options in ({"max_datasets": 9}, {"size": SIZES | {"Lyon": 10_000}}):
        with pytest.raises(sl.TooLarge, match=r"size=\{'a': 30"):
            asked(own, **options)
    with pytest.raises(sl.NotProved, match="use method='auto'"):
        asked(own, method="solver")
    with pytest.raises(sl.TooLarge, match="ask for a smaller k"):
        asked(size={"Lyon": 10**6, "Oslo": 1}, relation=sl.Change(10**6, columns=["price"]))


REFUSED = [
    ({"query": sl.MEAN.of("price")}, TypeError, r"query by group, as MEAN.of\('price'\).by"),
    ({"query": spread}, TypeError, "whole number or a range for spread"),
    *(
        ({"relation": kind(1)}, ValueError, r"as sl.Change\(1, columns=\['price'\]\)")
        for kind in (sl.Change, sl.Add, sl.Remove, sl.AddRemove, sl.SymmetricDifference)
    ),
    *(
        ({"relation": sl.Change(1, columns=columns)}, ValueError, "what shop says: leave it out")
        for columns in (["shop"], ["price", "shop"])
    ),
    (
        {"query": sl.MEAN.of("price").by(lambda row: row.price > 1)},
        ValueError,
        "what <lambda> says",
    ),
    ({"relation": sl.Change(1, columns=["prize"])}, ValueError, "one of shop, price, got 'prize'"),
    *(
        ({"size": size}, ValueError, "an entry for each group of the universe, 0 where")
        for size in ({}, {"Lyon": 3}, SIZES | {"Rome": 0}, {1: 2})
    ),
    *(
        ({"size": SIZES | {"Oslo": size}}, ValueError, r"size\['Oslo'\] must be a whole number")
        for size in (-1, 2.0, True, math.nan)
    ),
    ({"size": SIZES | {"Oslo": "3"}}, TypeError, r"size\['Oslo'\] must be a whole number"),
    ({"size": pd.Series(SIZES)}, TypeError, r"a dict, as counts.to_dict\(\)"),
    ({"size": SIZES | {"Lyon": 2**63}}, ValueError, "must be at most"),
    ({"output_metric": sl.symmetric_distance}, ValueError, "output_metric must be left out"),
    ({"norm": 3}, ValueError, "norm must be"),
    ({"method": "search"}, ValueError, "sl.audit"),
    ({"query": sl.MEAN.of("prize").by("shop")}, ValueError, "of must name a column"),
    ({"query": sl.MEAN.of("price").by("shops")}, ValueError, "by must name a column"),
    ({"query": sl.MEAN.by("shop")}, ValueError, "failed on dataset"),
    ({"query": sl.histogram([0, 2, 9]).of("price").by("shop")}, TypeError, "must return a number"),
]


@pytest.mark.parametrize(("options", "error", "words"), REFUSED)
def test_what_cannot_be_public_is_refused_by_name(options, error, words):
    """Catches an answer to another question, and a refusal that does not say what to type."""
    with pytest.raises(error, match=words):
        asked(**options)


def test_more_records_than_a_group_has_and_people_are_refused():
    """Catches datasets that there are not, and a person whose rows are in two groups."""
    rows = pd.DataFrame({"id": [1, 1, 2], "shop": ["a", "b", "a"], "price": [1, 2, 3]})
    with pytest.raises(ValueError, match=r"size\['a'\] must be at most 2, the group's records"):
        asked(universe=sl.Universe.population(rows), size={"a": 3, "b": 0})
    for people in (
        sl.Universe.people(rows, id="id"),
        sl.Universe.people(sl.Universe.value_range(rows), most_rows=2),
    ):
        with pytest.raises(ValueError, match=r"universe must hold rows .* people"):
            asked(universe=people, size={"a": 1, "b": 1})
