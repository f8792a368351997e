"""Counts and sums by group over people, held to all pairs: each person is written out as a dict."""

import math
import os
import random
from fractions import Fraction
from functools import partial

import pandas as pd
import pytest
from conftest import RELATIONS, seeds
from oracle_rows import gap
from sensitivity_beyond.proofs import vectors

import sensitivity_lab as sl
from sensitivity_lab import definition

CASES = int(os.environ.get("VECTOR_CASES", "40"))
NORMS = [0, 1, 2, math.inf]
LARGE = sl.count_where(lambda row: row["n"] > 1)


def person_vector(rows, of, by, keys):
    """What a person adds to each group; a group that they have rows in is there, even at 0."""
    found = {}
    for row in rows:
        key = by(row)
        if keys is None or key in keys:
            found[key] = found.get(key, 0) + of(row)
    return found


def answer_on(dataset, vectors, keys):
    answer = dict.fromkeys(keys or (), Fraction(0))
    for i in dataset:
        for key, number in vectors[i].items():
            answer[key] = answer.get(key, 0) + number
    return answer


def expected(pairs, vectors, keys, norm):
    answers = {one: answer_on(one, vectors, keys) for pair in pairs for one in pair}
    return max(gap(answers[here], answers[there], norm) for here, there in pairs)


def drawn(seed):
    """A universe of people, each person's rows, and what is asked of them."""
    rng = random.Random(seed)
    numbers = rng.choice([[1], [0, 1, 3], [2, 5, 5.5], [-2, 0, 1], [-3, -1], [10**17, 1, 7]])
    shops, days = list("xyz")[: rng.randint(1, 3)], list(range(rng.randint(1, 2)))

    def row():
        return {"shop": rng.choice(shops), "day": rng.choice(days), "n": rng.choice(numbers)}

    bounds = rng.choice(
        [{}, {"rows": 1}, {"rows": 2}, *[{"groups": ("shop", 1)}] * 3, {"clip": {"n": (0, 4)}},
            {"groups": ("shop", 2), "rows": 2, "clip": {"n": (-1, 3)}}]
    )  # fmt: skip
    if rng.random() < 0.5:
        people = rng.randint(2, 6)
        rows = [{"id": f"p{i}", **row()} for i in range(people) for _ in range(rng.randint(1, 4))]
        rng.shuffle(rows)
        universe = sl.Universe.people(pd.DataFrame(rows), id="id")
    else:
        kinds = pd.DataFrame([row() for _ in range(rng.randint(1, 3))]).drop_duplicates()
        least = rng.randint(0, 1)
        universe = sl.Universe.people(kinds, most_rows=rng.randint(1, 2) + least, least_rows=least)
    if bounds:
        universe = universe.truncated(**bounds)
    alone = [universe.given([i]) for i in range(universe.distinct)]
    brought = [table.to_dict("records") for table in alone]
    one = rng.random() < 0.5
    query = sl.COUNT if one else rng.choice([sl.SUM.of("n"), sl.SUM.of("n").clipped(0, 2), LARGE])
    keys, by, asked = None, (lambda r: r["shop"]), "shop"
    if rng.random() < 0.4:
        by = asked = lambda r: (r["shop"], r["day"])
        if rng.random() < 0.5:
            keys = [("x", 0), ("y", 0), ("q", 1)]
    elif rng.random() < 0.5:
        keys = rng.choice([["x"], ["x", "y", "q"]])
    if keys and {by(row) for rows in brought for row in rows}.isdisjoint(keys):
        keys = None  # such keys are refused

    def of(row):
        n = min(max(row["n"], 0), 2) if "clip" in query.name else row["n"]
        return 1 if one else int(n > 1) if query is LARGE else Fraction(str(n))

    adds = [person_vector(rows, of, by, keys) for rows in brought]
    return rng, universe, brought, adds, query.by(asked, keys=keys), keys


@pytest.fixture(autouse=True, params=[1, 1000], ids=["few first", "all"])
def first(monkeypatch, request):
    """A search that has few people at first looks at the others when it must."""
    monkeypatch.setattr(vectors, "FIRST", request.param)


@pytest.mark.parametrize("seed", seeds(CASES))
def test_counts_and_sums_by_group_over_people_at_random(seed):
    """Catches a person's vector, a norm, a key that vanishes, a bound or a change gone wrong;
    a witness that is no pair; a search that stops before the widest; over all and at one."""
    rng, universe, brought, adds, query, keys = drawn(seed)
    name, k, norm = rng.choice(RELATIONS).__name__, rng.choice([1, 1, 2, 3]), rng.choice(NORMS)
    people, relation = len(adds), getattr(sl, name)(k)
    # few enough datasets that all pairs of them are looked at
    pairs_of, most = definition.population_pairs, min(4, people)
    if universe.unlimited:
        few = (n for n in range(1, 5) if math.comb(people + n + k, n + k) < 400)
        pairs_of, most = definition.range_pairs, max(few, default=0)
    size = rng.randint(0, most)
    pairs = pairs_of(range(people), size, name, k)

    def shown(dataset):  # a table does not show who brings no row: nobody but the first of anybody
        return tuple(sorted(i for i in dataset if brought[i]))

    def held(ask, asked, pairs):
        want = expected(pairs, adds, keys, norm)
        for method in ("solver", "auto"):
            try:
                found = ask(*asked, relation=relation, norm=norm, method=method)
            except sl.NotProved:
                assert norm == 0
                continue
            assert found.value == (pytest.approx(float(want), rel=1e-12) if norm == 2 else want)
            here, there = map(shown, (universe.indices(d) for d in found.witness))
            assert (here, there) in {(shown(a), shown(b)) for a, b in pairs}
            reached = gap(*(answer_on(one, adds, keys) for one in (here, there)), norm)
            assert float(reached) == pytest.approx(float(want), rel=1e-12)

    if pairs:
        held(partial(sl.global_sensitivity, size=size), (query, universe), pairs)
        dataset = rng.choice(sorted({here for here, _ in pairs}))
        given = [universe.values[i] for i in dataset]
        near = [pair for pair in pairs if pair[0] == dataset]
        held(sl.local_sensitivity, (query, given, universe), near)
