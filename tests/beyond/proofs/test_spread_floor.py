"""What a spread's share can reach, and the floor below which no share is worked through."""

import math
import os
import random
from fractions import Fraction

import numpy as np
import pytest
from conftest import SEED, STANDARD, a_third
from sensitivity_beyond.proofs.reach import widest
from sensitivity_beyond.proofs.scatter import filtered_maximum, outermost, runs
from sensitivity_beyond.proofs.scatter import on_population as family
from sensitivity_beyond.proofs.scatter.on_population import ScatterOnPopulation
from sensitivity_beyond.proofs.solver import _shares, widest_gaps
from sensitivity_beyond.proofs.sorted_records import SortedRecords

import sensitivity_lab as sl
from sensitivity_lab.problem import Problem

CASES = int(os.environ.get("SOLVER_CASES", "100"))
QUERIES = [sl.VARIANCE, sl.STD, sl.variance(ddof=1), sl.std(ddof=1)]
SHAPES = {
    "ties": lambda rng, m: [rng.randint(0, 2) for _ in range(m)],
    "equal": lambda rng, m: [7] * m,
    "two values": lambda rng, m: [rng.choice([0, 10]) for _ in range(m)],
    "clusters": lambda rng, m: [rng.choice([0, 500, 1000]) + rng.randint(0, 9) for _ in range(m)],
    "an outlier": lambda rng, m: [rng.randint(0, 50) for _ in range(m - 1)] + [10**6],
    "far from zero": lambda rng, m: [10**18 + rng.randint(0, 99) for _ in range(m)],
    "beyond 64 bits": lambda rng, m: [rng.randint(-(2**70), 2**70) for _ in range(m)],
    "the ends of 64 bits": lambda rng, m: [rng.choice([-(2**63), 2**62, 5]) for _ in range(m)],
    "fractions": lambda rng, m: [Fraction(rng.randint(0, 40), 3) for _ in range(m)],
    "tenths": lambda rng, m: [rng.randint(0, 100) / 10 for _ in range(m)],
    "a bell": lambda rng, m: [round(rng.gauss(0, 100)) for _ in range(m)],
    "steps": lambda rng, m: list(range(m)),
}


def on_population(records, query):
    """D of a query of the spreads on some records."""
    whole = SortedRecords.of(sl.Universe.population(records))
    return ScatterOnPopulation(whole, query.proved.ddof, "std" in query.name)


def skewed(rng, m):
    """Few values, many, or some far from the others."""
    widest = rng.choice([2, 5, 30, 1000])
    far = rng.sample(range(m), rng.choice([0, 1, 2]))
    return [rng.choice([-7, 9]) * widest if i in far else rng.randint(0, widest) for i in range(m)]


def widest_by_definition(records, ddof, root):
    """D(c, a, b) of each share, by trying all pairs of datasets drawn, in whole numbers."""
    records = np.array([int(Fraction(str(one)) * 30) for one in records], dtype=np.int64)
    m = len(records)
    drawn = np.arange(2**m)[:, None] >> np.arange(m) & 1  # every dataset: which records it has
    drawn = drawn[drawn.sum(axis=1) > ddof]
    sizes, sums, squares = (drawn @ np.power(records, power) for power in (0, 1, 2))
    scatter = sizes * squares - sums**2  # a variance is this over `unit`
    unit = sizes * (sizes - ddof)
    if root:
        spread = np.sqrt(scatter / unit)
        gaps = spread[:, None] - spread
    else:
        gaps = scatter[:, None] * unit - unit[:, None] * scatter
    c = drawn @ drawn.T
    widest = np.full((m + 1,) * 3, -1, dtype=gaps.dtype)
    np.maximum.at(widest, (c, sizes[:, None] - c, sizes - c), gaps)
    found = {}
    for c, a, b in np.argwhere(widest >= 0).tolist():  # below 0 the swapped share decides
        units = (c + a) * (c + a - ddof) * (c + b) * (c + b - ddof)
        gap = widest[c, a, b].item()
        if a + b:
            found[c, a, b] = gap / 30 if root else Fraction(gap, 900 * units)
    return found


@pytest.mark.parametrize("query", a_third([*QUERIES, sl.variance(ddof=2)]), ids=str)
def test_every_share_equals_a_brute_force_and_stays_within_its_reach(query):
    """Catches places lost where another share is wider, a bound or a floor that is none."""
    rng = random.Random(f"{query} {SEED % 97}")
    tight = mixes = 0
    held = [SHAPES[shape] for shape in SHAPES if "64" not in shape and "far" not in shape]
    for case in range(CASES // 8):
        records = sorted((skewed if case % 2 else rng.choice(held))(rng, 3 + case % 7))
        d = on_population(records, query)
        gaps = widest_by_definition(records, d.ddof, d.root)
        gaps = {share: gaps[share] for share in rng.sample(sorted(gaps), min(len(gaps), 20))}
        reaches = d.reaches([(*share, False) for share in gaps]) if gaps else []
        scale = d.unit**0.5 if d.root else d.unit
        for (share, gap), most in zip(gaps.items(), reaches, strict=True):
            case, (_, a, b), found = (records, share), share, d(*share)
            assert gap * scale <= most * (1 + 1e-9), case
            tight += gap * scale > most / 2 > 0
            if not gap > 1e-9:
                assert float(found.gap) <= float(gap) + 1e-9, case
                continue
            mixes += 0 < a != b > 0
            if not found.attained:
                assert d.root, case
                assert 0 < a < b, case
                assert float(found.gap) > gap * (1 - 1e-12), case
                continue
            is_right = (
                math.isclose(float(found.gap), gap, rel_tol=1e-9) if d.root else found.gap == gap
            )
            assert is_right, case
            higher, lower = (query(side) for side in found.pair())
            assert higher - lower == pytest.approx(gap, rel=1e-6), case
            floor = d.floor(found.gap)
            assert d(*share, floor=floor).gap == found.gap, case
            assert not d(*share, floor=2 * floor).gap > found.gap, case
            if a >= b:
                maximum = filtered_maximum.FilteredMaximum(d.centred, share, d.ddof, root=d.root)
                windows = runs.Windows(maximum, only_ends=a == b > 0 and not d.root)
                assert floor <= windows.reach, case
    assert min(tight, mixes) > CASES // 20


@pytest.mark.parametrize("query", [sl.VARIANCE, sl.STD], ids=str)
def test_a_reach_is_tight_where_one_record_is_far(query):
    """Catches a bound that is too small by little, which few records leave room for."""
    d = on_population([0] * 1200 + [100], query)
    for share in ((999, 1, 1), (1000, 1, 0)):
        (most,) = d.reaches([(*share, False)])
        assert d.floor(d(*share).gap) <= most < 1.01 * float(d(*share).gap)


@pytest.mark.parametrize("shape", a_third([*SHAPES]))
def test_the_floor_leaves_the_widest_share(shape):
    """Catches a share that is passed over with the widest gap,
    or with one as wide that comes first.

    Every share worked through, without a floor, in the order of the question.
    """
    rng = random.Random(shape)
    asked = 0
    for _ in range(CASES // 10):
        universe = sl.Universe.population(SHAPES[shape](rng, rng.randint(4, 40)))
        query, size = rng.choice(QUERIES), rng.randint(2, universe.records)
        problem = Problem(query, universe, size, rng.choice(STANDARD)(rng.randint(1, 6)), norm=1)
        if not problem.plan:
            continue
        d, shares = widest_gaps(problem), _shares(problem)
        fast, slow = widest(d, shares), widest(lambda c, a, b, d=d: d(c, a, b), shares)
        assert (fast.gap, fast.attained) == (slow.gap, slow.attained), (universe, problem.relation)
        if float(fast.gap) > 0:
            assert [len(side) for side in fast.pair()] == [len(side) for side in slow.pair()]
        asked += 1
    assert asked > CASES // 30


def test_small_blocks_and_few_kept_change_nothing(monkeypatch):
    """Catches a run that is lost where two blocks meet, and a widest that is lost when settled."""
    rng = random.Random(3)
    questions = []
    for _ in range(CASES // 4):
        records = rng.choice(list(SHAPES.values()))(rng, rng.randint(4, 30))
        a, b = rng.randint(0, 4), rng.randint(0, 3)
        if 0 < a + b <= len(records) - 2:
            share = rng.randint(2, len(records) - a - b), a, b
            questions.append((records, rng.choice(QUERIES), share))
    before = [on_population(records, query)(*share).gap for records, query, share in questions]
    for module in (outermost, family, runs):
        monkeypatch.setattr(module, "BLOCK", 2)
    monkeypatch.setattr(filtered_maximum, "MOST_KEPT", 3)
    for (records, query, share), gap in zip(questions, before, strict=True):
        again = on_population(records, query)(*share).gap
        assert again == gap or not float(gap) > 0, (records, query, share)
