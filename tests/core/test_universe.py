"""What a universe takes in, how it counts, what it gives out."""

import copy
import pickle
import tracemalloc
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import combinations, combinations_with_replacement, count, product

import numpy as np
import pandas as pd
import pytest

import sensitivity_lab as sl
from sensitivity_lab.numbers.exact import exact_number


def asked(query, universe, size=1, **options):
    return sl.global_sensitivity(query, universe, size=size, relation=sl.Change(1), **options)


@pytest.mark.parametrize(
    "values",
    [
        [3, 1, 2], (3, 1, 2), {1, 2, 3}, range(1, 4), iter([3, 1, 2]), np.array([3, 1, 2]),
        np.array([3, 1, 2], dtype=np.uint8), np.array([3.0, 1, 2]),
        np.array([3, 1, 2], dtype=object), np.array([1, 2, 3], dtype=np.float32),
        pd.Series([3, 1, 2]), pd.Series([3, 1, 2], dtype="Int64"), pd.Index([3, 1, 2]),
        [Decimal(3), Fraction(1), 2.0], [np.float64(3), np.int8(1), 2],
    ],
    ids=lambda values: type(values).__name__,
)  # fmt: skip
def test_takes_any_sequence_of_numbers(values):
    """Catches a container or a kind of number that is not understood."""
    universe = sl.Universe.population(values)
    assert list(universe.datasets(size=2)) == [(1, 2), (1, 3), (2, 3)]
    assert asked(sl.MEAN, universe, 2).value == 1


@pytest.mark.parametrize(
    "records", [[1, 2, 3, 4], [1, 1, 1, 2, 2, 3], [5] * 4, [1, 1, 2, 2, 3, 3], [7, 5, 6]]
)
def test_datasets_are_those_of_labelled_records(records):
    """Catches a dataset of more copies than there are, one missed or out of order."""
    known, free = sl.Universe.population(records), sl.Universe.value_range(records)
    for size in range(len(records) + 1):
        of_records = sorted({tuple(sorted(chosen)) for chosen in combinations(records, size)})
        of_values = list(combinations_with_replacement(sorted(set(records)), size))
        for universe, expected in ((known, of_records), (free, of_values)):
            assert list(universe.datasets(size)) == expected
            assert universe.count(size) == len(expected)


def test_counts_need_no_enumeration():
    """Catches a count that builds what it counts: these would not end."""
    assert sl.Universe.population(range(100)).count(size=50) == 100891344545564193334812497256
    assert sl.Universe.value_range(range(1000)).count(size=3) == 167167000
    copies = [value for value in range(20) for _ in range(value % 4 + 1)]
    ways = [1]
    for limit in Counter(copies).values():  # the generating function, term by term
        longer = [0] * (len(ways) + limit)
        for (i, way), extra in product(enumerate(ways), range(limit + 1)):
            longer[i + extra] += way
        ways = longer
    universe = sl.Universe.population(copies)
    assert [universe.count(size) for size in range(0, 51, 10)] == ways[::10]


def test_a_million_records_stay_an_array():
    """Catches a universe that makes a Python object of each record on the way in."""
    records = np.arange(1_000_000) % 1000
    tracemalloc.start()
    universe = sl.Universe.population(records)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6  # a copy takes 8 MB; a list of a million ints, 36 MB
    assert len(universe.values) == 1000
    assert universe.count(size=2) == 1000 * 1001 // 2
    assert len(repr(universe)) < 120


def test_the_given_array_may_change_afterwards():
    """Catches a universe that follows later changes to the caller's array."""
    records = np.array([1, 2, 3])
    universe = sl.Universe.population(records)
    records[0] = 99
    assert universe.values == (1, 2, 3)


def test_repr_and_name():
    """Catches a repr that hides the kind or runs to pages, and a Series' name that is lost."""
    assert repr(sl.Universe.population([2, 1, 2])) == "Universe.population([1, 2, 2])"
    years = pd.Series([1, 2], name="school_year")
    assert repr(sl.Universe.population(years)) == "Universe.population([1, 2], name='school_year')"
    assert repr(sl.Universe.value_range([0.5, 1])) == "Universe.value_range([0.5, 1])"
    long = repr(sl.Universe.population(range(100_000)))
    assert "100,000" in long
    assert len(long) < 120
    assert sl.Universe.population(years).name == "school_year"
    assert sl.Universe.population(years, name="year").name == "year"
    assert sl.Universe.population([1, 2]).name is None


@pytest.mark.parametrize(
    "given", [[0.5, 1.5], [Decimal("0.5"), Decimal("1.5")], [Fraction(1, 2), Fraction(3, 2)],
              np.array([1, 2]), np.array([19.99, 20], dtype=np.float32)]
)  # fmt: skip
def test_values_come_back_as_the_caller_gave_them(given):
    """Catches a witness in Fractions or np.int64, or float32(19.99) shown as 19.989999771118164."""
    universe = sl.Universe.population(given)
    kind = int if isinstance(given[0], np.int64) else type(given[0])
    for method in ("walk", "sweep"):
        dataset, neighbour = asked(sl.SUM, universe, method=method).witness
        assert sorted(dataset + neighbour) == list(given)
        assert set(map(type, dataset + neighbour)) == {kind}
    assert universe.indices(list(given)) == universe.indices(given) == (0, 1)


KINDS = {
    "ints": [3, 1, 2, 2],
    "floats": [0.1, 3.0, 1 / 3],
    "float32": np.array([19.99, 1, 1], dtype=np.float32),
    "mixed": [Fraction(1, 3), Decimal("0.5"), 2, 2],
    "huge": [10**30, 1],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("make", [sl.Universe.population, sl.Universe.value_range])
@pytest.mark.parametrize(
    "travel", [lambda u: u, lambda u: pickle.loads(pickle.dumps(u)), copy.deepcopy]
)
def test_its_arrays_are_read_only(kind, make, travel):
    """Catches an array that a caller can write to: the next answer would be of other records."""
    universe = travel(make(KINDS[kind]))
    arrays = [universe.sorted_records, universe.source.sorted_scaled]
    arrays += [universe.scaled, universe.counts, universe.source.held, universe.source.different]
    for shown in arrays:
        for array in shown if isinstance(shown, tuple) else (shown,):
            assert not isinstance(array, np.ndarray) or not array.flags.writeable
    universe.copies(2)[0] = universe.most_copies(2)[0] = 99
    assert universe.copies(2)[0] <= 2


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("make", [sl.Universe.population, sl.Universe.value_range])
def test_equal_by_content(kind, make):
    """Catches two universes of the same records that differ: by order, by a copy, by a journey."""
    universe = make(KINDS[kind], name="years")
    shuffled = make(list(reversed(list(KINDS[kind]))), name="years")
    for other in (shuffled, pickle.loads(pickle.dumps(universe)), copy.deepcopy(universe)):
        assert universe == other
        assert hash(universe) == hash(other)
    assert universe != make(KINDS[kind], name="days")
    assert universe != make([*KINDS[kind], 7], name="years")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ([1, 2], np.array([2, 1], dtype=np.int8), True),
        ([1, 2], np.array([2, 1], dtype=np.uint8), True),
        ([1, 2], [1.0, 2.0], False),
        ([1, 2], [True, 2], False),
        ([0.0, 1.0], [-0.0, 1.0], False),
        ([Decimal("1.0"), 2], [Decimal("1.00"), 2], False),
        ([0.5, 1.5], np.array([0.5, 1.5], dtype=np.float32), False),
        ([0.5, 1.5], [np.float64(0.5), 1.5], False),
        ([1, 2, 2], [1, 1, 2], False),
        ([1, 2, None], [None, 1, 2], True),
        ([1, 2, 3], [1, 2, 4], False),
    ],
    ids=str,
)
def test_what_functions_can_tell_apart_is_not_equal(one, other, same):
    """Catches a cache that hands the answers of one universe to another that looks like it."""
    one, other = sl.Universe.population(one), sl.Universe.population(other)
    assert (one == other) is same
    assert not same or hash(one) == hash(other)
    assert one != [1, 2]
    kinds = sl.Query(
        "kinds", lambda x: len(str(x[0])) + 10 * len(repr(type(x[0]))), takes_missing=True
    )
    found = [asked(kinds, u).witness for u in (one, other, one)]
    assert repr(found[0]) == repr(found[2])


def adversaries(dtype):
    """Floats around powers of two and ten, the ends of the dtype, and any bits at all."""
    info = np.finfo(dtype)
    powers = [2.0**i for i in range(-20, 15)] + [10.0**i for i in range(-4, 5)]
    near = np.array([*powers, 0.3, 19.99, 1 / 3, 16777217, 9007199254740993, 1e22, 1e23]).astype(
        dtype
    )
    near = near[np.isfinite(near)]
    ends = [info.max, info.min, info.tiny, info.smallest_subnormal, 0, -0.0, 65504]
    whole = {2: np.uint16, 4: np.uint32, 8: np.uint64}[np.dtype(dtype).itemsize]
    bits = np.random.default_rng(17).integers(0, np.iinfo(whole).max, 300, dtype=whole).view(dtype)
    found = np.concatenate(
        [near, np.nextafter(near, dtype(0)), np.nextafter(near, info.max), ends, bits]
    )
    return found[np.isfinite(found)].astype(dtype)


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_the_fast_scaling_equals_the_exact_numbers(dtype):
    """Catches a float that is scaled by its neighbour's text, or by its binary fraction."""
    found = adversaries(dtype)
    tame = found[(np.abs(found) > 1e-4) & (np.abs(found) < 1e4)]  # scaled in 64 bits or few more
    for some in [found, tame, *np.split(tame, range(7, len(tame), 7))]:
        universe = sl.Universe.population(some)
        expected = sorted(map(exact_number, some))
        whole, scale = universe.source.sorted_scaled
        assert [Fraction(int(n), scale) for n in whole] == expected
        assert list(universe.exact_values) == sorted(set(expected))
        assert list(map(type, universe.exact_values)) == [
            int if v.denominator == 1 else Fraction for v in sorted(set(expected))
        ]


@pytest.mark.parametrize(
    "universe", [sl.Universe.population([1, 2, 2]), sl.Universe.value_range([1, 2])]
)
@pytest.mark.parametrize("size", [None, range(2, 6), -1, 1.5, "2"])
def test_public_methods_check_what_they_get(universe, size):
    """Catches numpy's own words for a size that is none."""
    wrong = partial(pytest.raises, (TypeError, ValueError))
    for call in (universe.copies, universe.count, lambda n: universe.count_at_least(n, 5)):
        with wrong(match="size must be a whole number of at least 0"):
            call(size)
    with wrong(match="limit must be a whole number of at least 0"):
        universe.count_at_least(2, size)
    assert sl.Universe.value_range([1]).copies(10**30) == [10**30]
    assert sl.Universe.population([1, 1]).copies(10**30) == [2]


@pytest.mark.parametrize("endless", [range(10**12), range(10**30), iter(range(10**12)), [1] * 2000])
@pytest.mark.parametrize(
    "call", [sl.Universe.population, sl.Universe.value_range, sl.histogram, sl.MEAN,
             sl.Universe.value_range([1]).indices]
)  # fmt: skip
def test_more_records_than_fit_are_refused_before_they_are_listed(call, endless, monkeypatch):
    """Catches memory that runs out while an endless sequence is listed."""
    monkeypatch.setattr("sensitivity_lab.numbers.exact.MOST_LISTED", 1000)
    with pytest.raises(ValueError, match=r"must have at most 1,000 entries, got [0-9,]+$"):
        call(endless)


def test_thousands_of_values_of_which_one_comes_twice():
    """Catches Python's RecursionError where values have different numbers of copies."""
    universe = sl.Universe.population([*range(1500), 5])
    assert sum(1 for _ in universe.datasets(1)) == universe.count(1) == 1500
    assert next(universe.datasets(1501)) == tuple(sorted([*range(1500), 5]))
    found = sl.local_sensitivity(len, (1,), universe, relation=sl.Change(1), method="walk")
    assert found.value == 0


def test_a_dataset_too_large_to_build_is_refused():
    """Catches a MemoryError out of itertools."""
    with pytest.raises(ValueError, match="size must be at most 20,000,000 to build datasets"):
        sl.Universe.value_range([1, 2]).datasets(10**12)


def test_an_iterator_without_an_end_is_refused(monkeypatch):
    """Catches a generator that is listed for ever."""
    monkeypatch.setattr("sensitivity_lab.numbers.exact.MOST_DRAWN", 1000)
    for call in (sl.Universe.population, sl.histogram, sl.SUM):
        with pytest.raises(ValueError, match="at most 1,000 entries, got more, from what has no"):
            call(count())
    assert sl.Universe.population(n for n in range(1000)).records == 1000


def test_strangers_and_too_many_copies_are_refused_in_arrays_too():
    """Catches a fast membership that forgives: a value between two others, one copy too many."""
    for records in ([10, 20, 20, 30], [10.0, 20.0, 20.0, 30.0], [Fraction(10), 20, 20, 30]):
        universe = sl.Universe.population(records)
        kind = type(records[0])
        assert universe.indices([kind(30), kind(20), kind(10), kind(20)]) == (0, 1, 1, 2)
        for dtype in (int, float, np.float32):
            given = np.array([30, 20], dtype=dtype)
            assert universe.indices(given) == universe.indices(tuple(given)) == (1, 2)
        for no_dataset in (np.array([[10, 20]]), np.ma.masked_array([10, 20], [0, 1])):
            with pytest.raises((TypeError, ValueError), match=r"dataset .*must"):
                universe.indices(no_dataset)
        for stranger in (5, 15, 35):
            with pytest.raises(ValueError, match="dataset must hold values of the universe, got"):
                universe.indices([kind(10), kind(stranger)])
        with pytest.raises(ValueError, match=r"at most 2 records of value 20.*, got 3"):
            universe.indices([kind(20)] * 3)
