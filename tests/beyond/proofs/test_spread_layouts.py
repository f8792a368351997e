"""The fast search for a spread's widest layout, against every layout that there is.

C, A and B are disjoint parts of a few sorted records: two datasets share C, A is one's alone, B the
other's.  Here each of the 4^m ways to choose them is measured by the definition, in whole numbers.
"""

import math
import os
import random
from fractions import Fraction

import numpy as np
import pytest
from sensitivity_beyond.proofs.scatter.on_population import ScatterOnPopulation
from sensitivity_beyond.proofs.sorted_records import SortedRecords

import sensitivity_lab as sl

CASES = int(os.environ.get("SOLVER_CASES", "100"))
SHAPES = [
    lambda rng: rng.randint(0, 3),
    lambda rng: rng.randint(-40, 40),
    lambda rng: rng.choice([0, 0, 0, 1, 1000]),
    lambda rng: rng.choice([0, 500, 1000]) + rng.randint(0, 2),
]


def widest_by_definition(records, ddof, root):
    """D(c, a, b) of each share, by trying all pairs of datasets drawn from some records."""
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
    shares = (c, sizes[:, None] - c, sizes - c)
    widest = np.full((m + 1,) * 3, -1, dtype=gaps.dtype)
    np.maximum.at(widest, shares, gaps)
    found = {}
    for c, a, b in np.argwhere(widest >= 0).tolist():  # below 0 the swapped share decides
        units = (c + a) * (c + a - ddof) * (c + b) * (c + b - ddof)
        gap = widest[c, a, b].item()
        if a + b:
            found[c, a, b] = gap if root else Fraction(gap, units)
    return found


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("root", [False, True], ids=["variance", "std"])
def test_no_layout_of_a_share_is_wider(root, ddof):
    """Catches a run, an end or a mixture of them that the search leaves out."""
    rng = random.Random(f"{ddof} {root}")
    for case in range(CASES // 2):
        shape, m = SHAPES[case % len(SHAPES)], 3 + case // len(SHAPES) % 7
        records = sorted(shape(rng) for _ in range(m))
        d = ScatterOnPopulation(SortedRecords.of(sl.Universe.population(records)), ddof, root)
        right = widest_by_definition(records, ddof, root)
        for share in rng.sample(sorted(right), min(len(right), 12)):
            gap, found, what = right[share], d(*share), (records, share)
            assert found is not None, what  # so few records never leave too many layouts
            if not gap > 1e-9:
                assert float(found.gap) <= float(gap) + 1e-9, what
            elif not found.attained:
                assert root, what
                assert 0 < share[1] < share[2], what
                assert float(found.gap) > gap * (1 - 1e-12), what
            elif root:
                assert math.isclose(float(found.gap), gap, rel_tol=1e-9), what
            else:
                assert found.gap == gap, what
