"""Every formula against exact enumeration, and against the textbook's simple cases."""

import math
import re
from fractions import Fraction
from itertools import product

import pytest
from conftest import MONOTONE, ROOT, SPREADS, a_third, intervals
from conftest import STANDARD as RELATIONS

import sensitivity_lab as sl
from sensitivity_lab.proved.scatter.family import Variance

PROOFS = (ROOT / "book" / "proofs.md").read_text(encoding="utf-8")
QUERIES = [*MONOTONE, *SPREADS, sl.count_distinct]
# They need more records than are enumerated here to bring out their worst.
UNUSUAL_QUANTILES = (Fraction(9, 10), Fraction(1, 3))


def is_spread(query):
    return isinstance(query.proved, Variance)


def grid(query, low, high):
    """Both ends; for spreads also every mean that shared records split in half can have."""
    if query is sl.count_distinct:
        return [low, low + 1, high]
    middles = {low + Fraction((high - low) * (c // 2), c) for c in (2, 3, 5)}
    return sorted({low, high} | (middles if is_spread(query) else set()))


def ask_both(query, bounds, relation, sizes, **known):
    """The enumerated sensitivity and the closed form; None where no direction is feasible."""
    values = grid(query, *bounds)
    try:
        found = sl.global_sensitivity(
            query, sl.Universe.value_range(values), size=sizes, relation=relation
        )
    except sl.Infeasible:
        with pytest.raises(sl.Infeasible):
            sl.closed_form(query, bounds=bounds, relation=relation, **known)
        return None, None
    if query is sl.count_distinct:
        known["values"] = len(values)
    return found, sl.closed_form(query, bounds=bounds, relation=relation, **known)


def assert_attained(form, query, relation):
    dataset, neighbour = form.witness
    assert relation.are_neighbours(dataset, neighbour)
    assert float(abs(query(dataset) - query(neighbour))) == pytest.approx(float(form), abs=1e-12)


def questions(query, known):
    """Sizes to enumerate, what the closed form is told of them, and k."""
    if known:
        largest = 8 if is_spread(query) else 10
        for size in range(query.smallest_size, 7):
            for k in range(1, min(4, largest - size) + 1):
                yield size, {"size": size}, k
    elif getattr(query.proved, "q", 0) not in UNUSUAL_QUANTILES:
        for least, k in product(range(query.smallest_size, 5), (1, 2, 3)):
            yield (
                range(least, least + 2 * k + (3 if is_spread(query) else 7)),
                {"min_size": least},
                k,
            )


@pytest.mark.parametrize("known", [True, False], ids=["size", "at least m"])
@pytest.mark.parametrize("query", QUERIES, ids=str)
@pytest.mark.parametrize("family", RELATIONS, ids=lambda family: family.__name__)
def test_formulas_agree_with_enumeration(query, family, known):
    """Catches a wrong formula, a false witness, a bound called exact, a supremum that a larger size exceeds."""
    for bounds, (sizes, told, k) in product(
        intervals(query), a_third(list(questions(query, known)))
    ):
        found, form = ask_both(query, bounds, family(k), sizes, **told)
        if found is None:
            continue
        assert form.status == "exact"
        assert float(form) == float(found), (bounds, told, k, form)
        if form.witness is not None:
            assert min(map(len, form.witness)) >= told.get("min_size", 0)
            assert not known or len(form.witness[0]) == sizes
            assert_attained(form, query, family(k))


def widest_in_words(c, a, b, ddof):
    """D of the variance on [0, 1], a sum over everything that the theorem leaves open."""
    higher, lower = c + a, c + b
    if a >= b:  # the lower side is constant
        return max(Fraction(i * (higher - i), higher * (higher - ddof)) for i in range(a + 1))
    return max(
        Fraction((i + j) * (higher - i - j), higher * (higher - ddof))
        - (Fraction(j * (c - j), c * (lower - ddof)) if c else 0)
        for i in range(a + 1)
        for j in range(c + 1)
    )


@pytest.mark.parametrize("ddof", [0, 1, 2, 3])
def test_at_least_m_records_are_decided_by_the_shares_with_the_fewest(ddof):
    """Catches a share of thm-sizes-mixed, with a < b above all, that is wider than its formula."""
    shares = 0
    for k in range(1, 9):
        for least in range(ddof + 1, 15):
            if ddof == 3 and k == 1:  # the one step that the theorem leaves out
                continue
            form = sl.closed_form(
                sl.variance(ddof=ddof), bounds=(0, 1), min_size=least,
                relation=sl.SymmetricDifference(k),
            )  # fmt: skip
            gaps = [
                widest_in_words(c, a, b, ddof)
                for a in range(k + 1)
                for b in range(k + 1 - a)
                for c in range(max(0, least - min(a, b)), least + 4)
            ]
            assert (form.value, form.status) == (max(gaps), "exact"), (k, least)
            assert min(map(len, form.witness)) >= least
            assert_attained(form, sl.variance(ddof=ddof), sl.SymmetricDifference(k))
            shares += len(gaps)
    assert shares > 5_000


@pytest.mark.parametrize("ddof", [0, 1, 2, 3])
def test_the_deviation_is_the_root_of_the_variance_with_at_least_m_records(ddof):
    """Catches a share that counts for one of them only."""
    for k, least in [(2, 4), (3, 4), (4, 9), (7, 5), (40, 100), (100, 40)]:
        ask = {"bounds": (-2, 3), "min_size": least, "relation": sl.SymmetricDifference(k)}
        deviation = sl.closed_form(sl.std(ddof=ddof), **ask)
        variance = sl.closed_form(sl.variance(ddof=ddof), **ask)
        assert deviation.status == variance.status == "exact"
        assert deviation.value == pytest.approx(math.sqrt(variance.value), rel=1e-15)


def test_a_ddof_of_4_and_more_has_only_a_bound():
    """Catches a formula called exact where three records that join five do more: 9/10 over 4/5."""
    values, relation = sl.Universe.value_range([0, Fraction(2, 5), 1]), sl.SymmetricDifference(3)
    sizes = range(5, 9)
    query = sl.variance(ddof=4)
    found = sl.global_sensitivity(query, values, size=sizes, relation=relation, method="sweep")
    form = sl.closed_form(query, bounds=(0, 1), min_size=5, relation=relation)
    fewest = max(
        widest_in_words(max(0, 5 - b), a, b, 4)
        for a in range(1, 4)
        for b in range(min(a, 3 - a) + 1)
    )
    assert (found.value, fewest) == (Fraction(9, 10), Fraction(4, 5))
    assert form.status == "upper bound"
    assert form.value >= found.value


@pytest.mark.parametrize("q", [0.9, 0.1, Fraction(1, 3), Fraction(6, 7)])
@pytest.mark.parametrize("family", RELATIONS, ids=lambda family: family.__name__)
def test_quantiles_of_unknown_size(q, family):
    """R·min(1, k·max(q, 1 − q)); its witness has enough records to bring it out."""
    query = sl.quantile(q)
    for k in (1, 2, 4):
        form = sl.closed_form(query, bounds=(-1, 4), min_size=3, relation=family(k))
        share = (
            1 if family is sl.Change else min(1, k * max(Fraction(str(q)), 1 - Fraction(str(q))))
        )
        assert form.value == 5 * share
        assert_attained(form, query, family(k))


def test_formulas_of_the_textbooks():
    """The simple cases, written out a second time from the literature."""
    R, n, m = 6, 5, 4

    def at(query, relation, **known):
        return sl.closed_form(query, bounds=(-2, 4), relation=relation, **known).value

    for k in (1, 2, 3):
        f, c = k // 2, -(-k // 2)
        mixed = R * max(Fraction(k, m + k), Fraction(c, max(0, m - f) + c))
        spread = Fraction(R * R * m * k, (m + k) ** 2)
        j = min(k, n // 2)
        assert at(sl.COUNT, sl.SymmetricDifference(k), min_size=0) == k
        assert at(sl.SUM, sl.AddRemove(k), size=n) == 4 * k
        assert at(sl.SUM, sl.Change(k), size=n) == k * R
        assert at(sl.MEAN, sl.Change(k), size=n) == Fraction(k * R, n)
        assert at(sl.MEAN, sl.Add(k), size=n) == Fraction(k * R, n + k)
        assert at(sl.MEAN, sl.SymmetricDifference(k), min_size=m) == mixed
        assert at(sl.VARIANCE, sl.SymmetricDifference(k), min_size=m) == spread
        assert at(sl.VARIANCE, sl.Change(k), size=n) == Fraction(R * R * j * (n - j), n * n)
        assert at(sl.variance(ddof=1), sl.Change(k), size=n) == Fraction(
            R * R * j * (n - j), n * (n - 1)
        )
    assert at(sl.VARIANCE, sl.SymmetricDifference(1), min_size=m) == Fraction(36 * m, (m + 1) ** 2)
    assert at(sl.variance(ddof=1), sl.SymmetricDifference(1), min_size=m) == Fraction(36, m + 1)
    assert at(sl.MEDIAN, sl.Change(1), size=5) == R
    assert at(sl.MEDIAN, sl.Change(1), size=6) == Fraction(R, 2)
    assert at(sl.MEDIAN, sl.SymmetricDifference(1), min_size=m) == Fraction(R, 2)
    assert at(sl.MEAN, sl.SymmetricDifference(2), min_size=1) == R  # and not 2R/3


def test_the_midpoint_that_a_grid_can_miss():
    """Sample variance, n = 2, three more: 6 on the interval [0, 4], 4.8 on its two ends."""
    relation = sl.Add(3)
    form = sl.closed_form(sl.variance(ddof=1), bounds=(0, 4), size=2, relation=relation)
    assert form.value == 6
    ends, middle = sl.Universe.value_range([0, 4]), sl.Universe.value_range([0, 2, 4])
    on_ends = sl.global_sensitivity(sl.variance(ddof=1), ends, size=2, relation=relation)
    with_middle = sl.global_sensitivity(sl.variance(ddof=1), middle, size=2, relation=relation)
    assert (on_ends.value, with_middle.value) == (Fraction(24, 5), 6)


PREDICATE = sl.count_where(lambda value: value > 1)
BINS = [
    (sl.histogram([0, 1, 2, 3]), [0, 1, 2]),  # every value in its own bin
    (sl.histogram([0, 2, 4]), [1, 2]),
    (sl.histogram([0, 5]), [1, 7]),  # one bin, and values outside it
    (sl.histogram([0, 5]), [1, 4]),  # one bin holds all
    (sl.histogram([10, 20]), [0, 3]),  # no bin is reached
    (sl.histogram([0, 1, 3]), [3, 4]),  # the last edge belongs to the last bin
    (PREDICATE, [0, 3]),
]


@pytest.mark.parametrize("norm", [1, 2, math.inf])
@pytest.mark.parametrize("family", RELATIONS, ids=lambda family: family.__name__)
@pytest.mark.parametrize(("query", "values"), BINS)
def test_counts_in_bins_agree_with_enumeration(norm, family, query, values):
    """Catches a wrong norm, bins that the bounds do not reach, a predicate treated as a count of records."""
    universe = sl.Universe.value_range(values)
    for size, k in product((1, 2, 4), (1, 2, 3)):
        if family is sl.Remove and k > size:
            continue
        ask = {"size": size, "relation": family(k), "norm": norm}
        found = sl.global_sensitivity(query, universe, **ask)
        form = sl.closed_form(query, bounds=(values[0], values[-1]), **ask)
        assert form.value == found.value
        if query is PREDICATE:
            assert form.witness is None
        else:
            assert family(k).are_neighbours(*form.witness)


def test_the_interval_is_more_than_its_grid():
    """On an interval there are always new values to add: distinct values grow without bound."""
    form = sl.closed_form(sl.count_distinct, bounds=(0, 1), size=3, relation=sl.Add(5))
    assert form.value == 5
    assert_attained(form, sl.count_distinct, sl.Add(5))
    assert sl.closed_form(sl.count_distinct, bounds=(2, 2), size=3, relation=sl.Add(5)).value == 0


def test_populations_make_formulas_upper_bounds():
    """On a population copies run out, so a formula can be loose, never too small."""
    school = sl.Universe.population([1, 2, 3, 4, 5, 6, 7, 8, 15, 20])
    table = sl.compare(
        [query for query in QUERIES if query is not sl.count_distinct],
        {"days": school},
        size=6,
        relations=[family(k) for family in RELATIONS for k in (1, 2, 3, 4)],
    )
    assert set(table["status"]) == {"upper bound"}
    assert (table["ratio"] >= 1).all()
    assert (table["ratio"] > 1).any()


def test_comparing_ranges_and_callables():
    """A range attains its formulas; a function of one's own has none."""
    dice = sl.Universe.value_range([1, 2, 3, 4, 5, 6])

    def span(dataset):
        return dataset[-1] - dataset[0]

    table = sl.compare([sl.SUM, span], {"dice": dice}, size=3, relations=[sl.Change(1)])
    assert table["closed_form"].tolist() == [5, None]
    assert table["status"].tolist() == ["exact", None]
    assert table["ratio"].iloc[0] == 1
    loose = sl.compare(
        [sl.COUNT, sl.SUM], {"dice": dice}, size=3, relations=[sl.Change(1)], bounds=(0, 10)
    )
    assert loose["ratio"].tolist() == [1, 2]  # 0 against 0 is exact; 10 against 5


@pytest.mark.parametrize("family", RELATIONS, ids=lambda family: family.__name__)
@pytest.mark.parametrize("pinned", [True, False])
def test_every_family_has_words(family, pinned):
    """Catches a query or relation whose formula cannot be printed."""
    predicate = sl.count_where(bool)
    for query in [*QUERIES, predicate, sl.histogram([0, 1, 2])]:
        words = query.proved.words(norm=1)
        text, where = words.text(family(2), pinned=pinned), words.where
        assert text
        assert all(re.search(rf"\b{name}\b", where) for name in re.findall(r"\b(\w)\(", text))
        assert f":label: thm-{words.proof}\n" in PROOFS


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"bounds": (3, 0), "size": 2}, ValueError, r"bounds must rise, got bounds=\(3, 0\)"),
        ({"bounds": 3, "size": 2}, TypeError, r"bounds must be a pair \(L, U\), got 3"),
        ({"bounds": (0, math.inf), "size": 2}, ValueError, "bounds must be finite, got inf"),
        ({"bounds": (0, 1)}, ValueError, "give either size or min_size, got size=None"),
        ({"bounds": (0, 1), "size": 2, "min_size": 2}, ValueError, "give either size or min_size"),
        ({"bounds": (0, 1), "size": 0}, ValueError, "size must be a whole number of at least 1"),
        ({"bounds": (0, 1), "min_size": 0}, ValueError, "min_size must be a whole number"),
        ({"bounds": (0, 1), "size": 2, "norm": 3}, ValueError, "norm must be 1, 2 or infinity"),
        ({"bounds": (0, 1), "size": 2, "values": 0}, ValueError, "values must be a whole number"),
    ],
)
def test_formulas_refuse_what_they_do_not_cover(arguments, error, text):
    """Catches a formula used outside its conditions."""
    with pytest.raises(error, match=text):
        sl.closed_form(sl.MEAN, relation=sl.Change(1), **arguments)


def test_only_standard_queries_and_feasible_directions_have_formulas():
    with pytest.raises(TypeError, match="query must be a standard query, got <built-in"):
        sl.closed_form(max, bounds=(0, 1), size=2, relation=sl.Change(1))
    with pytest.raises(ValueError, match=r"no direction of Remove\(2\) is feasible at size=2"):
        sl.closed_form(sl.MEAN, bounds=(0, 1), size=2, relation=sl.Remove(2))
    with pytest.raises(TypeError, match="relation must be"):
        sl.closed_form(sl.MEAN, bounds=(0, 1), size=2, relation=sl.Change)
