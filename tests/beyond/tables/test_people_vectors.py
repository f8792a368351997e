"""Counts and sums by group, of people and of rows: what is proved, held to the definition.

`VECTOR_CASES=n` asks n random questions of each kind instead of the usual number.
"""

import os
import random

import pytest
from conftest import seeds
from sensitivity_beyond.proofs import vectors
from test_records import Asked, World, flat, hold
from worlds import MISSING, Anybody, Named, Rows, exact

import sensitivity_lab as sl

CASES = int(os.environ.get("VECTOR_CASES", "16"))
NUMBER = {  # what is asked, and what a row with the number x adds
    sl.COUNT: lambda x: 1,
    sl.SUM.of("x"): exact,
    sl.SUM.of("x").clipped(0, 2): lambda x: min(max(exact(x), 0), 2),
    sl.count_where(lambda x: x > 1).of("x"): lambda x: int(x > 1),
}


def grouped(rng, kind):
    """A count or a sum by one column or two, of all groups or of some."""
    query = rng.choice(list(NUMBER))
    by, key = "t", lambda row: row[0]
    if rng.random() < 0.4:
        by, key = ["t", "z"], lambda row: (row[0], None if row[2] == MISSING else row[2])
    there = sorted({key(row) for row in flat(kind.rows_of(kind.everybody))}, key=repr)
    nobody = "q" if by == "t" else ("q", 0)
    keys = [nobody, rng.choice(there)] if there and rng.random() < 0.5 else None

    def plain(people):
        found = dict.fromkeys(keys or (), 0)
        for row in flat(people):
            if keys is None or key(row) in keys:
                found[key(row)] = found.get(key(row), 0) + NUMBER[query](row[1])
        return found

    return Asked(query.by(by, keys=keys), plain, 0, "vector")


@pytest.mark.parametrize("kind", [Named, Anybody, Rows])
@pytest.mark.parametrize("seed", seeds(CASES))
def test_counts_and_sums_by_group_at_random(seed, kind, monkeypatch):
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
