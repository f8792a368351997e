"""Queries by group, of people and of rows: what is proved of them, held to the definition.

`VECTOR_CASES=n` asks n random questions of each kind instead of the usual number.
"""

import os
import random

import pytest
from conftest import seeds
from sensitivity_beyond.proofs import vectors
from test_records import OF_NUMBERS, Asked, World, flat, hold
from worlds import MISSING, Anybody, Named, Rows, exact

import sensitivity_lab as sl

CASES = int(os.environ.get("VECTOR_CASES", "16"))
COUNTED = {  # what is proved over all datasets, and what it says of the numbers of a group
    sl.COUNT: len,
    sl.SUM.of("x"): sum,
    sl.SUM.of("x").clipped(0, 2): lambda xs: sum(min(max(x, 0), 2) for x in xs),
    sl.count_where(lambda x: x > 1).of("x"): lambda xs: sum(x > 1 for x in xs),
}


def grouped(rng, kind):
    """A query by one column or two, of all groups or of some; mostly a count or a sum."""
    query, name, least = rng.choice(list(COUNTED)), "vector", 0
    answer = COUNTED[query]
    if isinstance(kind, Rows) and rng.random() < 0.6:  # at one dataset each is proved
        name = "by"
        query, answer, least = OF_NUMBERS[rng.choice(sorted({*OF_NUMBERS} - {"std", "histogram"}))]
        query = query.of("x")
    by, key = "t", lambda row: row[0]
    if rng.random() < 0.4:
        by, key = ["t", "z"], lambda row: (row[0], None if row[2] == MISSING else row[2])
    there = sorted({key(row) for row in flat(kind.rows_of(kind.everybody))}, key=repr)
    nobody = "q" if by == "t" else ("q", 0)
    keys = [nobody, rng.choice(there)] if there and rng.random() < 0.5 else None

    def plain(people):
        groups = {}
        for row in flat(people):
            groups.setdefault(key(row), []).append(exact(row[1]))
        asked = (one for one in groups if keys is None or one in keys)
        found = {one: answer(groups[one]) for one in asked if len(groups[one]) >= least}
        return dict.fromkeys(keys or (), 0) | found

    return Asked(query.by(by, keys=keys), plain, 0, name)


@pytest.mark.parametrize("kind", [Named, Anybody, Rows])
@pytest.mark.parametrize("seed", seeds(CASES))
def test_queries_by_group_at_random(seed, kind, monkeypatch):
    """Catches a person's vector, a norm, a key that vanishes, a bound or a change gone wrong;
    a witness that is no pair; a search that stops before the widest; over all and at one."""
    rng = random.Random(f"vectors {seed}")
    first = rng.choice([1, 1000])  # of few people at first it must look at the others, too
    monkeypatch.setattr(vectors, "FIRST", first)
    want = None
    while want is None:
        world = World(rng, kind, grouped)
        want = world.want() if world.is_small else None
    hold(world, want)
    if isinstance(world.size, int):
        here = rng.choice(sorted(d for d in world.datasets if len(d) == world.size))
        hold(world, world.want(here), here, world.kind.given(world.named(here), rng))
