"""Smooth sensitivity against its definition: every dataset, every neighbour, exact rationals.

The brute force shares no code with the package: it walks over all datasets of a small domain, and
takes its answers from the plain formulas of the oracle.
"""

import math
import random
from decimal import Decimal, getcontext
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from conftest import CHECK_ALL, a_third
from hypothesis import given, settings
from hypothesis import strategies as st
from sensitivity_beyond.proofs import at_distance as quantile_ranks

import sensitivity_lab as sl
from sensitivity_lab import definition as oracle

QUANTILES = [0, Fraction(1, 10), 0.25, Fraction(1, 3), 0.5, Fraction(3, 5), 0.9, 1]
MONOTONE = {
    sl.COUNT: len, sl.SUM: sum, sl.MEAN: oracle.mean, sl.MIN: min, sl.MAX: max,
    **{sl.quantile(q): oracle.quantile(Fraction(str(q))) for q in QUANTILES},
}  # fmt: skip
SPREADS = {sl.VARIANCE: 0, sl.variance(ddof=1): 1}
EACH_QUERY = pytest.mark.parametrize("query", a_third([*MONOTONE, *SPREADS]), ids=str)


def distance(x, y):
    """How many of the sorted records of x are not in y."""
    rest = list(y)
    for value in x:
        if value in rest:
            rest.remove(value)
    return len(rest)


def by_definition(query):
    """The local sensitivity, by trying every change: local(y, low, high).

    A monotone answer is moved most by a new record at an end, so whole numbers do; for a
    variance the new record may also be the mean of those that stay.
    """
    answer = MONOTONE.get(query) or oracle.variance(SPREADS[query])

    def local(y, low, high):
        widest, before = Fraction(0), answer([Fraction(v) for v in y])
        for i in range(len(y)):
            stay = [Fraction(v) for v in (*y[:i], *y[i + 1 :])]
            new = [Fraction(v) for v in range(low, high + 1)]
            if query in SPREADS and stay:
                new.append(sum(stay) / len(stay))
            widest = max([widest, *(abs(before - answer(sorted([*stay, v]))) for v in new)])
        return widest

    return local


def profiles(local, n, low, high):
    """A⁽⁰⁾, …, A⁽ⁿ⁾ of every dataset, by definition."""
    everything = list(combinations_with_replacement(range(low, high + 1), n))
    widest = {y: local(y, low, high) for y in everything}
    return {
        x: [max(widest[y] for y in everything if distance(x, y) <= t) for t in range(n + 1)]
        for x in everything
    }


def ask(query, x, low, high, beta=1):
    return sl.smooth_sensitivity(query, x, bounds=(low, high), beta=beta)


def profile_of(query, x, low, high, longest=None):
    """A⁽⁰⁾, …, A⁽ⁿ⁾ of one dataset, by the package."""
    distances = range((len(x) if longest is None else longest) + 1)
    return [sl.sensitivity_at_distance(query, x, bounds=(low, high), distance=t) for t in distances]


def by_decimal(gap, beta, t):
    getcontext().prec = 60
    gap, power = Fraction(gap), Fraction(str(beta)) * t
    share = (-Decimal(power.numerator) / Decimal(power.denominator)).exp()
    return Decimal(gap.numerator) / Decimal(gap.denominator) * share


def best_of(profile, beta):
    """The smooth sensitivity, to sixty digits, of which A⁽ᵗ⁾ are given."""
    return max(by_decimal(gap, beta, t) for t, gap in enumerate(profile))


@EACH_QUERY
def test_every_distance_is_that_of_the_definition(query):
    """Catches any slip in any A⁽ᵗ⁾, on all datasets of five small domains."""
    for n, high in ((1, 3), (2, 3), (3, 2), (4, 1), (5, 0)):
        if n < query.smallest_size:
            continue
        for x, profile in profiles(by_definition(query), n, -1, high).items():
            found = profile_of(query, x, -1, high, n + 1)
            assert found == [*profile, profile[-1]], (query.name, x, high)
            for beta in (Fraction(1, 20), 0.5, 2):
                smooth, best = ask(query, x, -1, high, beta), best_of(profile, beta)
                assert Decimal(smooth.value) >= best * (1 - Decimal(10) ** -40), (query.name, x)
                assert smooth.value <= float(best) * (1 + 2**-51)
                assert smooth.local == profile[smooth.distance]
                assert smooth.check(), (query.name, x, high, smooth)


@given(st.data())
@settings(max_examples=150 if CHECK_ALL else 50)
def test_the_fast_search_equals_all_pairs(data):
    """Catches a best right end that is lost by the search, ties and plateaus included."""
    n = data.draw(st.integers(1, 60))
    spread = data.draw(st.sampled_from([1, 3, 40, 10**6, 10**20]))
    shift = data.draw(st.sampled_from([0, 10**17, 10**30]))  # floats cannot tell records apart
    x = [shift + v for v in data.draw(st.lists(st.integers(0, spread), min_size=n, max_size=n))]
    query = sl.quantile(data.draw(st.fractions(0, 1, max_denominator=12)))
    beta = data.draw(st.sampled_from([1e-9, 1e-3, 0.02, 0.1, 0.7, 3, 40]))
    smooth = ask(query, x, 0, 2 * shift + spread, beta)
    profile = profile_of(query, x, 0, 2 * shift + spread)
    best = max(range(n + 1), key=lambda t: by_decimal(profile[t], beta, t))
    assert (smooth.distance, smooth.local) == (best, profile[best])
    assert smooth.check()


FAR, FIVES = (-1.7e308, 1.7e308), (5, 5, 5)
MILD, HARSH = (Fraction(1, 10**400), 1e-300), (1e300, 10**400, 10**19)


def test_named_datasets():
    """Catches underflow: a discount below the smallest float must not switch the noise off; a
    logarithm of zero where bounds meet; a variance on a grid; a refusal that looks at the gap and
    not the value; a discount that is 0 or infinite in floats."""
    for query, x, bounds, beta, distance, local in (
        *((sl.MEDIAN, [5] * 41, (0, 10), beta, 20, 5) for beta in (1, 100)),
        *((query, (3, 3), (3, 3), 1, 0, 0) for query in (sl.MEDIAN, sl.SUM, sl.VARIANCE)),
        (sl.VARIANCE, (0, 1, 2), (0, 2), 9, 0, Fraction(1, 2)),  # whole numbers reach 4/9
        (sl.MEDIAN, (1, 2, 3), FAR, 1, 1, 17 * 10**307 + 2),
        (sl.MEDIAN, (5,) * 5, (0, 10**400), 400, 2, 10**400 - 5),
        *((query, FIVES, (0, 10), beta, *at) for beta in MILD
          for query, at in ((sl.MEDIAN, (3, 10)), (sl.SUM, (1, 10)),
                            (sl.VARIANCE, (3, Fraction(200, 9))))),
        *((query, FIVES, (0, 10), beta, *at) for beta in HARSH
          for query, at in ((sl.MEDIAN, (1, 5)), (sl.SUM, (0, 5)),
                            (sl.VARIANCE, (0, Fraction(50, 9))))),
    ):  # fmt: skip
        found, best = ask(query, x, *bounds, beta), by_decimal(local, beta, distance)
        assert (found.distance, found.local, found.check()) == (distance, local, True), (query, x)
        assert best <= Decimal(found.value) <= Decimal(math.nextafter(float(best), math.inf))
        assert found.value > 0 or local == 0


NOT_WHOLE = "distance must be a whole number of at least 0"


# ruff: disable[E501]
@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        *(({"beta": beta}, error, text) for beta, error, text in (
            (0, ValueError, "beta must be above 0, got beta=0"), (-1.5, ValueError, "beta must be above 0, got beta=-1.5"),
            (math.nan, ValueError, "beta must be finite, got nan"), ("1", TypeError, "beta must be a number"))),
        *(({"bounds": bounds}, error, text) for bounds, error, text in (
            ((10, 0), ValueError, "bounds must rise"), ((0, math.inf), ValueError, "bounds must be finite"), (10, TypeError, "bounds must be a pair"),
            ((0, 5), ValueError, r"must lie within bounds=\(0, 5\), got a record 9"), ((2, 9), ValueError, "got a record 1"))),
        *(({"dataset": dataset}, error, text) for dataset, error, text in (
            ((), ValueError, "dataset must not be empty"), ((1, None), ValueError, "dataset must hold numbers, got None"),
            ((1.0, math.nan), ValueError, "dataset must be finite, got nan"), ("123", TypeError, "dataset must be a sequence"))),
        *(({"query": query}, ValueError, f"is proved, got {got}") for query, got in (
            (sl.STD, "std"), (sl.histogram([0, 1]), "histogram"), (max, "<built-in function max>"))),
        ({"query": sl.variance(ddof=1), "dataset": (1,)}, ValueError, "at least 2 records"),
        *(({"distance": t}, error, NOT_WHOLE) for t, error in ((-1, ValueError), (1.5, ValueError), ("1", TypeError))),
    ],
)  # fmt: skip
# ruff: enable[E501]
def test_errors_name_the_parameter_the_rule_and_the_value(change, error, text):
    """Catches bad input that is answered, or refused without saying why."""
    asked = {"query": sl.MEDIAN, "dataset": (1, 2, 9), "bounds": (0, 10), **change}
    function = sl.sensitivity_at_distance if "distance" in asked else sl.smooth_sensitivity
    if "distance" not in asked:
        asked.setdefault("beta", 1)
    with pytest.raises(error, match=text):
        function(asked.pop("query"), asked.pop("dataset"), **asked)


@pytest.mark.parametrize("query", [sl.MIN, sl.MEDIAN, sl.quantile(0.9)], ids=str)
@pytest.mark.parametrize("most", [0, 10**7])
def test_near_ties_are_settled_or_rounded_out(query, most, monkeypatch):
    """Catches a value below S* where gaps and discounts all but cancel, or far above it."""
    monkeypatch.setattr(quantile_ranks, "MOST_PAIRS", most)
    rng = random.Random(f"{query} {most}")
    for draw in range(42):
        n, beta = rng.randint(1, 9), rng.choice([0.6931471805599453, 1e-13, 1e-17, 0.1, 0.25])
        top = rng.choice([2, 64, 10**6, 2**60, 10**40])
        x = sorted(min(top, int(top / 2**i) + rng.randint(0, 1)) for i in range(n))
        x = rng.choice([x, [rng.choice([0, top // 2, top]) for _ in x]])
        if draw == 0:  # a whole number's hair
            x, top, beta = [861861430611353], 2**50, 0.267243407678327
        found, best = ask(query, x, 0, top, beta), best_of(profile_of(query, x, 0, top), beta)
        assert best <= Decimal(found.value), (x, top, beta)
        assert found.value <= float(best) * (1 + (1e-15 if most else 1e-11)), (x, top, beta)


@pytest.mark.parametrize(
    ("query", "bounds", "beta"),
    [(sl.MEDIAN, FAR, 0.1), (sl.VARIANCE, (-1e160, 1e160), 1), (sl.MIN, (0, 10**5000), 1)],
    ids=["median", "variance", "min"],
)  # fmt: skip
def test_what_is_beyond_the_largest_float_is_refused_by_name(query, bounds, beta):
    """Catches a bare OverflowError, and a refusal of what fits once it is discounted."""
    x = (1, 2, 3) if query is not sl.VARIANCE else (1, 2, 1e160)
    with pytest.raises(ValueError, match=r"the smooth sensitivity must be at most 1\.79\d*e\+308"):
        sl.smooth_sensitivity(query, x, bounds=bounds, beta=beta)
    assert sl.sensitivity_at_distance(query, x, bounds=bounds, distance=3) > 10**308


BITS = (-(2**63), 2**63 - 1)


@pytest.mark.parametrize(
    ("query", "x", "bounds"),
    [
        (sl.SUM, [0], (0, Fraction(1, 10**30))), (sl.quantile(Fraction(1, 10**30)), [3, 3], (3, 3)),
        (sl.MEDIAN, [*BITS], BITS), (sl.VARIANCE, [*BITS, 0], BITS),
        (sl.quantile(0.3), np.array([0, 2**64 - 1], dtype=np.uint64), (0, 2**64 - 1)),
    ],
)  # fmt: skip
def test_whole_numbers_of_more_than_64_bits(query, x, bounds):
    """Catches an overflow where records are 0 or at the ends of 64 bits, and factors are not."""
    form = sl.closed_form(query, bounds=bounds, size=len(x), relation=sl.Change(1))
    assert profile_of(query, x, *bounds)[-1] == form.value
    assert sl.smooth_sensitivity(query, x, bounds=bounds, beta=1).check()


@pytest.mark.parametrize("text", ["1e9999999", "-1e999999999", "1e-99999999"])
def test_a_beta_beyond_reason_is_refused_at_once(text):
    """Catches a few letters that stand for more digits than there is memory."""
    with pytest.raises(ValueError, match="must lie within 10 to the power of ±100,000, got De"):
        sl.smooth_sensitivity(sl.SUM, [1], bounds=(0, 2), beta=Decimal(text))


def test_a_result_too_long_to_print_has_a_repr():
    """Catches Python's refusal to write an int of more than 4,300 digits."""
    found = sl.smooth_sensitivity(sl.COUNT, [0], bounds=(0, 10**5000), beta=1)
    assert "<about 1e+5000>" in repr(found)
