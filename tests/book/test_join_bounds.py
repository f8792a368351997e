"""Published bounds for counting joins, held to exact sensitivities; and to their authors' programs.

`JOIN_WORLDS=n` asks of n random worlds instead of the usual number.
"""

import math
import os
import random
from itertools import islice

import pytest
from conftest import a_third, in_turn
from sensitivity_book.theory.joins.bounds import (
    boundaries,
    elastic,
    frequencies,
    residual,
    smooth_elastic,
    smooth_residual,
    stops_early,
)
from sensitivity_book.theory.joins.shapes import Shape, World
from sensitivity_book.theory.joins.table import CASES

WORLDS = int(os.environ.get("JOIN_WORLDS", "150"))
PATH = Shape("path of 3", (("r", "ab"), ("s", "bc"), ("t", "cd")))


def joins_itself(shape):
    """Whether some table comes more than once."""
    return len({table for table, _ in shape.parts}) < len(shape.parts)


@pytest.mark.parametrize("case", a_third(CASES), ids=lambda case: case.shape.name)
def test_a_world_equals_the_walk(case):
    """Catches a dataset that is numbered wrongly, and a walk that misses a row."""
    world, here = case.world, case.world.number(case.dataset)
    assert world.answers[here] == case.shape(case.dataset)
    assert world.dataset(here) == tuple(r for r in case.records if r in case.dataset)
    local = case.local()
    assert local.value == world.local[here]
    same_size = [n for n in range(len(world.local)) if n.bit_count() == len(case.dataset)]
    assert case.of_all().value == max(world.local[same_size])
    dataset, neighbour = local.witness
    assert abs(case.shape(dataset) - case.shape(neighbour)) == local.value


def test_distances_are_gone_step_by_step():
    """Catches a distance that counts one step too few, or that forgets what was nearer."""
    rows = [("r", 0, 0), ("r", 1, 0), ("s", 0, 0), ("s", 0, 1), ("t", 0, 0), ("t", 1, 1)]
    world, steps = World(PATH, rows), [1 << i for i in range(len(rows))]
    count = [PATH(world.dataset(number)) for number in range(64)]
    reached = {number: {number} for number in (0, 5, 21, 63)}
    for of_all in islice(world.at_distances(), 4):
        for number, near in reached.items():
            assert of_all[number] == max(abs(count[n] - count[n ^ i]) for n in near for i in steps)
            near |= {n ^ i for n in near for i in steps}
    assert world.smooth(50.0)[21] == world.local[21]
    assert world.smooth(1e-9)[0] == pytest.approx(max(world.local))


def random_shape(rng):
    """Tables that each share a letter with those before them; some come twice."""
    parts = [("t0", "ab"[: rng.randint(1, 2)])]
    widths = {"t0": len(parts[0][1])}
    while len(parts) < rng.randint(2, 4):
        table = f"t{rng.randint(0, len(widths))}"
        width = widths.setdefault(table, rng.randint(1, 3))
        old = sorted({c for _, letters in parts for c in letters})
        shared = rng.sample(old, rng.randint(1, min(width, len(old))))
        fresh = [c for c in "abcdefghijkl" if c not in old][: width - len(shared)]
        letters = shared + fresh
        rng.shuffle(letters)
        parts.append((table, "".join(letters)))
    return Shape("random", tuple(parts))


def random_world(rng, shape, most=9):
    """Rows of few values; two may be equal."""
    values = range(rng.randint(1, 3))
    width = {table: len(letters) for table, letters in shape.parts}
    records = []
    for _ in range(rng.randint(1, most)):
        table = rng.choice(list(width))
        records.append((table, *(rng.choice(values) for _ in range(width[table]))))
    return World(shape, records)


def of_both(shape, records):
    return frequencies(shape, records), boundaries(shape, records)


@pytest.mark.parametrize("seed", range(5))
def test_no_dataset_is_above_a_bound(seed):
    """Catches a bound that some dataset exceeds: self-joins, cycles, equal rows."""
    rng, itself, checked = random.Random(seed), 0, 0
    for _ in range(WORLDS // 5):
        shape = random_shape(rng)
        world = random_world(rng, shape)
        itself += joins_itself(shape)
        numbers = rng.sample(range(len(world.local)), min(8, len(world.local)))
        read = {number: of_both(shape, world.dataset(number)) for number in numbers}
        for distance, exact in enumerate(islice(world.at_distances(), 4)):
            for number, (most, matches) in read.items():
                checked += 1
                assert elastic(shape, most, distance) >= exact[number], (shape, world.records)
                assert residual(shape, matches, distance) >= exact[number], (shape, world.records)
    assert itself > 5
    assert checked > 15 * WORLDS // 5


@pytest.mark.parametrize("beta", in_turn([0.3, 1.0, 2.0]))
def test_smooth_bounds_are_smooth_and_bounds(beta):
    """Catches a maximum that is looked for too near, so that a neighbour has e^β times as much."""
    rng = random.Random(9)
    for _ in range(12):
        shape = random_shape(rng)
        world = random_world(rng, shape, most=6)
        exact = world.smooth(beta)
        found = []
        for number in range(len(exact)):
            most, matches = of_both(shape, world.dataset(number))
            found.append(
                (smooth_elastic(shape, most, beta)[0], smooth_residual(shape, matches, beta)[0])
            )
        for number, bounds in enumerate(found):
            assert min(bounds) >= exact[number] * (1 - 1e-12)
            for i in range(len(world.records)):
                there = found[number ^ 1 << i]
                for one, other in zip(bounds, there, strict=True):
                    assert one <= math.exp(beta) * other * (1 + 1e-12)


# uber-archive/sql-differential-privacy, commit 41f5b40: the tests of ElasticSensitivityAnalysis.
ORDERS = {("o", 0): 100, ("o", 1): 1}  # customer_id, order_id
UBER = [
    ("simple", (("o", "c"), ("r", "c")), {("o", 0): 100, ("r", 0): 250}, {0: 250, 2: 252}),
    ("public key", (("o", "c"), ("c", "c")), {("o", 0): 100, ("c", 0): 1}, {0: 100}),
    ("two columns", (("o", "cp"), ("c", "cp")),
     {("o", 0): 100, ("o", 1): 500, ("c", 0): 1, ("c", 1): 5}, {0: 100}),
    ("compound", (("o", "c"), ("c", "c"), ("r", "c")),
     {("o", 0): 100, ("c", 0): 5, ("r", 0): 250}, {0: 25_000, 10: 28_600, 25: 34_375}),
    ("itself on a key", (("o", "k"), ("o", "k")), {("o", 0): 1}, {0: 3}),
    ("itself", (("o", "c"), ("o", "c")), {("o", 0): 100}, {0: 201, 2: 205, 15: 231}),
    ("itself later", (("o", "ck"), ("c", "c"), ("o", "xk")), ORDERS | {("c", 0): 1}, {0: 201}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "parts", "most", "expected"), UBER, ids=[row[0] for row in UBER])
def test_elastic_as_ubers_tests_have_it(name, parts, most, expected):
    """Catches a rule for joins or self-joins that is not that of the authors' program."""
    shape = Shape(name, parts)
    assert {k: elastic(shape, most, k) for k in expected} == expected


def edges(joined):
    return Shape("edges", tuple((f"e{i}", letters) for i, letters in enumerate(joined)))


def by_bits(table, parts):
    """T by parts, as hkustDB/ResidualSensitivity has it: the first part is the highest bit."""
    return {
        frozenset(i for i in range(parts) if bits >> (parts - 1 - i) & 1): most
        for bits, most in table.items()
    }


# hkustDB/ResidualSensitivity, commit d3dcc5e: temp/TE_Q5.txt and TE_Q6.txt, of Facebook edges in
# tables of their own; what its RSESCalculator prints of them at each β.
TRIANGLE = {0: 1, 4: 1, 2: 1, 1: 1, 6: 203, 5: 67, 3: 87, 7: 0}
SQUARE = {0: 1, 8: 1, 4: 1, 2: 1, 1: 1, 12: 203, 10: 1, 9: 383, 6: 87, 5: 1, 3: 92, 14: 1834,
          13: 1746, 11: 2792, 7: 1638, 15: 0}  # fmt: skip


@pytest.mark.parametrize(
    ("shape", "table", "beta", "value", "distance"),
    in_turn([
        (edges(["ab", "bc", "ca"]), TRIANGLE, 0.01, 1409.160932, 194),
        (edges(["ab", "bc", "ca"]), TRIANGLE, 0.1, 203.0, 0),
        (edges(["ab", "bc", "cd", "da"]), SQUARE, 0.1, 2919.564608, 3),
        (edges(["ab", "bc", "cd", "da"]), SQUARE, 1, 2792.0, 0),
    ]),
)  # fmt: skip
def test_residual_as_its_authors_program_has_it(shape, table, beta, value, distance):
    """Catches a sum over the wrong residual queries, and a maximum at another distance."""
    found, at = smooth_residual(shape, by_bits(table, len(shape.parts)), beta)
    assert (round(found, 6), at) == (value, distance)


def test_stopping_at_nothing_is_no_bound():
    """Catches a database without rows, of which the same search says that no noise is needed."""
    two = Shape("path of 2", (("r", "b"), ("s", "b")))
    most = frequencies(two, [])
    assert stops_early(two, most, 1.0) == 0
    exact = World(two, [("r", 0), ("s", 0)]).smooth(1.0)[0]
    assert 0 < exact == pytest.approx(math.exp(-1))
    assert smooth_elastic(two, most, 1.0)[0] >= exact
