"""Questions whose numbers need more than 32 bits, or 64:
the package's answers against Python's own.

In a browser NumPy's default integer has 32 bits, and arithmetic in it overflows without a word. The
right answers here come from Python's ints and Fractions alone, by trying every pair.
A page runs this file as one cell.
"""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
from sensitivity_book.stage.bounds import clipped_sums
from sensitivity_book.theory.gradient import discrete_gradient

import sensitivity_lab as sl
from sensitivity_lab import definition
from sensitivity_lab.methods.sweep import Lattice

POPULATIONS = {
    "32 bits": (-(2**31), -7, 46_341, 2**31 - 1, 3_000_000_000),
    "64 bits": (-(2**63), -5, 2**53 + 1, 2**62, 2**63 - 1),
    "more than 64 bits": (-(2**70), 3, 2**64, 2**100),
    "decimals": (0.1, 0.25, 123_456_789.625, 4_000_000_000.5),
}
variance = definition.variance(0)
population = sl.Universe.population


def disagreements():
    """What the package answers otherwise than Python's own numbers, a line each."""
    found = [(name, right, answer_of(ask)) for name, ask, right in questions()]
    return [f"{name}: {right} is right, got {got}" for name, right, got in found if got != right]


def questions():
    """Every question: its name, who asks the package, the right answer."""
    for part in (small, long, one_dataset, narrow_arrays, ranks):
        yield from part()


def answer_of(ask):
    try:
        return ask()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def most(query, values, relation, size, of=population, **asked):
    """Who asks for a global sensitivity."""
    asked |= {"relation": relation, "size": size}
    return lambda: sl.global_sensitivity(query, of(values), **asked).value


def small():
    """Sensitivities of small populations, three records changed: every pair by hand."""
    for bits, values in POPULATIONS.items():
        exact = [Fraction(str(value)) for value in values]
        pairs = definition.population_pairs(exact, 3, "Change", 3)
        edges = (exact[0], exact[1], exact[-1])
        by_hand = {
            sl.SUM: sum,
            sl.VARIANCE: variance,
            sl.quantile(0.25): definition.quantile("1/4"),
            sl.histogram(edges): definition.histogram(edges),
        }
        for query, plain in by_hand.items():
            right = definition.greatest(plain, 1, pairs).value
            for method in ("solver", "sweep"):
                ask = most(query, values, sl.Change(3), 3, method=method)
                yield f"{query} of {bits}, {method}", ask, right


def long():
    """Sums, means and deviations whose prefix sums leave 32 and 64 bits."""
    many = [10**15 + 7 * i * i for i in range(3000)]
    apart = sum(many[1500:]) - sum(many[:1500])
    yield "sum of 3,000", most(sl.SUM, many, sl.Change(1500), 1500), apart
    three = (0, 3_000_000_000, 2**33)
    halves = [Fraction(abs(a - b), 2) for a, b in combinations(three, 2)]  # deviations of two
    right = float(max(halves) - min(halves))
    yield "standard deviation", most(sl.STD, three, sl.Change(2), 2), right


def one_dataset():
    """Local and smooth sensitivities, and a gradient."""
    records = [1_000_003 * i * i for i in range(60)]
    x, high = records[:40], 2**40
    near = (variance((*x[:i], *x[i + 1 :], y)) for i in range(40) for y in records[40:])
    right = max(abs(each - variance(tuple(x))) for each in near)
    local, universe = sl.local_sensitivity, population(records)
    ask = {"relation": sl.Change(1)}
    yield "variance at one dataset", lambda: local(sl.VARIANCE, x, universe, **ask).value, right

    padded = [*[0] * 41, *records[:41], *[high] * 41]  # whose middle is the median
    runs = [max(padded[61 + s] - padded[61 + s - t - 1] for s in range(t + 2)) for t in range(42)]
    best = max(range(42), key=lambda t: (math.log(runs[t]) - t / 4, -t))

    def smooth():
        found = sl.smooth_sensitivity(
            sl.MEDIAN, records[:41], bounds=(0, high), beta=Fraction(1, 4)
        )
        return found.distance, found.local

    yield "smooth median", smooth, (best, runs[best])
    two = sl.Universe.value_range([5, high])
    yield "gradient", lambda: discrete_gradient(sl.SUM, (5,), two).forward, (5, high)


def narrow_rows(rows, universe):
    """10⁹ for each record, in 32 bits for two records, as NumPy has it in a browser."""
    counted = 10**9 * rows.shape[1]
    return np.full(len(rows), counted, dtype=np.int32 if counted < 2**31 else np.int64), 1


def narrow_arrays():
    """What a reader makes in NumPy has 32 bits there; sums of it need more."""
    values = [2**31 - 9, 2**31 - 5, 2**31 - 1]
    narrow = np.array(values, dtype=np.int32)
    spreads = [variance(pair) for pair in combinations(values, 2)]
    right = max(spreads) - min(spreads)
    yield "variance of 32 bits", most(sl.VARIANCE, narrow, sl.Change(2), 2), right
    ask = most(sl.SUM.clipped(-(2**40), 2**40), narrow, sl.AddRemove(2), 1)
    yield "clipped sum of 32 bits", ask, 2**32 - 6
    wide = np.array([1, 2**40, 2**50], dtype=np.int64)
    ask = most(sl.SUM.clipped(0, 2**45), wide, sl.AddRemove(2), 0)
    yield "clipped sum", ask, 2**40 + 2**45
    rows = sl.Query("billions", lambda data: 10**9 * len(data), rows=narrow_rows)
    yield "rows of 32 bits", most(rows, narrow, sl.AddRemove(3), 0), 3 * 10**9
    ends = [0, 1, 2**40 - 1, 2**40]
    yield "values that break ints", lambda: sl.breaking_values((0, 2**40), int), ends
    yield "clipped sums", lambda: clipped_sums([2**31] * 3, [1, 2**33]).tolist(), [3, 3 * 2**31]
    yield "of floats", lambda: clipped_sums([0.5, 3.25], [1, 10]).tolist(), [1.5, 3.75]
    labels = [("a", 2**40), ("a", 3), ("b", -(2**41))]
    grouped = sl.SUM.of(lambda record: record[1]).by(lambda record: record[0])
    yield "sums by group", most(grouped, labels, sl.AddRemove(3), 0), 2**40 + 3 + 2**41


def ranks():
    """Places in a lattice, and how many datasets there are."""
    chosen = list(range(1, 60, 2))
    rank = np.array([sum(math.comb(x, i + 1) for i, x in enumerate(chosen))], dtype=np.int64)
    lattice = Lattice(population(range(60)).copies(30), 30)
    yield "a rank's dataset", lambda: lattice.rows(30, rank)[0].tolist(), chosen
    twins = [x for x in range(50) for _ in range(2)]
    right = sum(math.comb(50, j) * math.comb(50 - j, 50 - 2 * j) for j in range(26))
    yield "datasets of 50 twins", lambda: population(twins).count(50), right
    every, move = sl.Universe.value_range(range(1000)), sl.SymmetricDifference(12)
    right = sum(math.comb(999 + a, a) for a in range(13))
    right += sum(math.comb(998 + a, a) for a in range(12))  # the one record leaves
    yield "neighbours of one record", lambda: move.count_neighbours((0,), every), right
