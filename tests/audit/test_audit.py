"""Audits: planted errors are found, what holds is not accused, and the report can be trusted."""

import math
import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import combinations, combinations_with_replacement, permutations, product

import numpy as np
import pandas as pd
import pytest
from conftest import refused
from hypothesis import given, settings
from hypothesis import strategies as st

import sensitivity_lab as sl
from sensitivity_lab.audit.orderings import OrderedWalk, count_sequences, edits, orderings
from sensitivity_lab.audit.subject import Subject
from sensitivity_lab.problem import Problem
from sensitivity_lab.queries import as_query

DIGITS = sl.Universe.value_range([0, 1, 2, 3])
ONE_CHANGED = [sl.Change(1)]
ONE_MOVED = [sl.SymmetricDifference(1)]


def spread(dataset):
    return dataset[-1] - dataset[0]


def first(dataset):
    return dataset[0]


def audited(function, claim, sizes, relations=ONE_CHANGED, universe=DIGITS, **options):
    """A report that holds; a range of sizes is one that the neighbour's size lies in, too."""
    named = {"sizes_within" if isinstance(sizes, range) else "sizes": sizes}
    report = sl.audit(function, claim, universe, **named, relations=relations, **options)
    assert report.check()
    return report


# --- planted errors --------------------------------------------------------------------------


def test_an_error_by_a_factor():
    """Catches an audit that passes a claim of half the truth, or shows another pair than it says."""
    report = audited(spread, Fraction(3, 2), range(2, 5))
    assert [row.size for row in report.violations] == [2, 3, 4]
    smallest = report.violations[0]
    assert (smallest.dataset, smallest.neighbour) == ((0, 0), (0, 3))
    assert smallest.answers == (0, 3)
    assert report.worst.ratio == Fraction(1, 2)
    assert str(report).startswith("spread: too small by ×2 (rows: 3 too small)")


def test_an_error_by_one_record():
    """Catches a sensitivity divided by n + 1 instead of n: off by a little at every size."""
    report = audited(sl.MEAN, lambda k, size: Fraction(3 * k, size + 1), range(1, 6))
    assert [row.ratio for row in report.rows] == [Fraction(n, n + 1) for n in range(1, 6)]
    assert len(report.violations) == 5
    assert audited(sl.MEAN, lambda k, size: Fraction(3 * k, size), range(1, 6)).headline == "exact"


def test_an_error_at_size_1_only():
    """Catches an audit that starts where things have become regular."""
    report = audited(sl.MEAN, lambda size: Fraction(3, max(size, 2)), range(1, 6))
    (violation,) = report.violations
    assert (violation.size, violation.dataset, violation.neighbour) == (1, (0,), (3,))


def test_an_error_at_the_empty_dataset_only():
    """Catches an audit that never asks a query on the empty dataset that has a value there."""

    def mean_or_zero(dataset):
        return Fraction(sum(dataset), max(len(dataset), 1))

    query = sl.Query("mean_or_zero", mean_or_zero, smallest_size=0)
    report = audited(query, Fraction(2), range(4), ONE_MOVED)
    assert [(v.size, v.dataset, v.neighbour) for v in report.violations] == [
        (0, (), (3,)),
        (1, (3,), ()),
    ]
    assert audited(mean_or_zero, Fraction(2), range(1, 4), ONE_MOVED).violations == ()


def test_an_error_on_ties_only():
    """Catches a search for differences that never puts two equal records together."""

    def fooled_by_ties(dataset):
        return 5 if len(set(dataset)) < len(dataset) else 0

    report = audited(fooled_by_ties, 4, [2])
    (violation,) = report.violations
    assert (violation.dataset, violation.neighbour) == ((0, 0), (0, 1))


def test_an_error_in_one_order_only():
    """Catches an audit that calls a function with sorted records when its order was in question."""

    def fooled_by_order(sequence):
        return 7 if sequence == (2, 0, 1) else 0

    universe = sl.Universe.value_range([0, 1, 2])
    assert audited(fooled_by_order, 0, [3], universe=universe).headline == "exact"
    report = audited(fooled_by_order, 0, [3], universe=universe, order="any")
    (violation,) = report.violations
    assert (2, 0, 1) in (violation.dataset, violation.neighbour)
    assert violation.found == 7


def test_a_gap_by_order_alone():
    """Catches an audit that holds two orderings of one dataset to be one input."""

    def rises(sequence):
        return int(sequence[0] < sequence[1])

    population = sl.Universe.population([1, 2])
    report = audited(rises, 0, [2], universe=population, order="any")
    assert {report.worst.dataset, report.worst.neighbour} == {(1, 2), (2, 1)}
    assert report.violations
    # In place, one record of two cannot be changed at all here: no third record is left.
    with refused(ValueError, "feasible"):
        sl.audit(rises, 0, population, sizes=2, relations=[sl.Add(1)], order="kept")


# --- order -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dataset", [(), (0,), (0, 1, 1), (0, 0, 1, 1), (0, 1, 2, 3)])
def test_orderings(dataset):
    """Catches an ordering that is lost, doubled or out of turn."""
    assert list(orderings(dataset)) == sorted(set(permutations(dataset)))


@pytest.mark.parametrize(
    "universe", [DIGITS, sl.Universe.population([1, 2, 2]), sl.Universe.population([1, 1, 1, 2, 3])]
)
@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_count_sequences(universe, size):
    """Catches a budget that is settled with a wrong count."""
    copies = universe.copies(3)
    every = product(range(len(copies)), repeat=size)
    legal = [s for s in every if all(s.count(i) <= most for i, most in enumerate(copies))]
    assert count_sequences(universe, size) == len(legal)


def longest_common_subsequence(x, y):
    if not x or not y:
        return 0
    if x[-1] == y[-1]:
        return 1 + longest_common_subsequence(x[:-1], y[:-1])
    return max(longest_common_subsequence(x[:-1], y), longest_common_subsequence(x, y[:-1]))


def insert_delete(x, y):
    return len(x) + len(y) - 2 * longest_common_subsequence(x, y)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("sequence", [(), (0,), (0, 1), (1, 0, 1)])
def test_edits_are_the_insert_delete_ball(sequence, k):
    """Catches an edit that is forgotten; the other route is the longest common subsequence."""
    moves = sl.SymmetricDifference(k).moves
    feasible = [(r, a) for r, a in moves if r <= len(sequence)]
    found = edits(sequence, feasible, [9, 9], in_place=False)
    every = [s for n in range(len(sequence) + k + 1) for s in product((0, 1), repeat=n)]
    assert set(found) == {s for s in every if insert_delete(sequence, s) <= k}
    assert found == sorted(found)


@pytest.mark.parametrize("k", [1, 2])
def test_edits_in_place_are_the_hamming_ball(k):
    """Catches a change that moves other records from their places."""
    found = edits((0, 1, 2), sl.Change(k).moves, [9, 9, 9], in_place=True)
    every = product(range(3), repeat=3)
    assert found == [
        s for s in every if sum(a != b for a, b in zip(s, (0, 1, 2), strict=True)) <= k
    ]


def test_a_population_never_lends_a_record_twice():
    """Catches sequences that use a record more often than it exists."""
    assert edits((0, 1), [(0, 1)], [1, 2], in_place=False) == [(0, 1, 1), (1, 0, 1)]


@pytest.mark.parametrize("relation", [sl.SymmetricDifference(1), sl.SymmetricDifference(2),
                                      sl.Change(1), sl.Change(2), sl.AddRemove(1)])  # fmt: skip
@pytest.mark.parametrize("size", [[2], [3], range(1, 4)])
def test_kept_order_against_all_pairs(relation, size):
    """Catches a wrong maximum over sequences; the other route compares all pairs of sequences."""

    def weighted(sequence):
        return sum(place * record for place, record in enumerate(sequence, start=1))

    distance = insert_delete
    if isinstance(relation, sl.Change):

        def distance(x, y):
            return sum(a != b for a, b in zip(x, y, strict=True)) if len(x) == len(y) else 99

    least, most = (size[0], size[-1]) if isinstance(size, range) else (1, size[0] + relation.k)
    values = (0, 1, 4)
    every = [s for n in range(least, most + 1) for s in product(values, repeat=n)]
    exact_only = isinstance(relation, sl.AddRemove)
    report = audited(weighted, 0, size, [relation], sl.Universe.value_range(values), order="kept")
    for row in report.rows:
        gaps = [
            abs(weighted(x) - weighted(y))
            for x in every if len(x) == row.size
            for y in every
            if (distance(x, y) == relation.k if exact_only else distance(x, y) <= relation.k)
        ]  # fmt: skip
        assert row.exact == max(gaps)


@pytest.mark.parametrize("norm", [1, 2, math.inf])
def test_any_order_against_all_pairs(norm):
    """Catches a pair of orderings that is never compared, for numbers and for vectors."""

    def ends(sequence):
        return (sequence[0], 2 * sequence[-1])

    def steps(a, b):
        return [abs(x - y) for x, y in zip(a, b, strict=True)]

    length = {1: sum, 2: lambda s: math.hypot(*s), math.inf: max}[norm]
    pairs = [
        (x, y)
        for x in product((0, 1, 3), repeat=3)
        for y in product((0, 1, 3), repeat=3)
        if sl.change_one_distance(x, y) <= 1
    ]
    universe = sl.Universe.value_range([0, 1, 3])
    report = audited(ends, 1, [3], universe=universe, order="any", norm=norm)
    assert float(report.rows[0].exact) == max(length(steps(ends(x), ends(y))) for x, y in pairs)
    number = audited(first, 1, [3], universe=universe, order="any")
    assert number.rows[0].exact == max(abs(x[0] - y[0]) for x, y in pairs)


# --- verdicts --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "verdict", "ratio"),
    [
        (3, "exact", 1),
        (Fraction(3), "exact", 1),
        (Decimal(3), "exact", 1),
        (3.0, "exact", 1),
        (np.float32(3), "exact", 1),
        (3 * (1 + 1e-12), "exact", 1),
        (3 * (1 - 1e-12), "exact", 1),
        (3 * (1 + 1e-7), "loose", 1 + 1e-7),
        (3 * (1 - 1e-7), "too small", 1 - 1e-7),
        (3 + Fraction(1, 10**30), "loose", 1 + Fraction(1, 3 * 10**30)),
        (3 - Fraction(1, 10**30), "too small", 1 - Fraction(1, 3 * 10**30)),
        (5, "loose", Fraction(5, 3)),
        (math.inf, "loose", math.inf),
        (0, "too small", 0),
        (1e308, "loose", 1e308 / 3),
    ],
)
def test_verdicts(claim, verdict, ratio):
    """Catches a tolerance given to exact numbers, or withheld from rounded ones."""
    (row,) = audited(spread, claim, 2).rows
    assert (row.verdict, row.exact) == (verdict, 3)
    assert row.ratio == (pytest.approx(ratio, rel=1e-15) if type(ratio) is float else ratio)


@pytest.mark.parametrize(("claim", "verdict", "ratio"), [(0, "exact", 1), (1, "loose", math.inf)])
def test_verdicts_where_nothing_moves(claim, verdict, ratio):
    """Catches a division by a sensitivity of 0."""
    (row,) = audited(len, claim, 2).rows
    assert (row.exact, row.verdict, row.ratio) == (0, verdict, ratio)


def test_a_gap_without_bound():
    """Catches an output metric at infinity that is taken for a number, or for an error."""

    def sometimes_longer(dataset):
        return dataset * (1 + (dataset[0] == 0))

    options = {"output_metric": sl.change_one_distance}
    assert audited(sometimes_longer, 5, 2, **options).worst.ratio == 0
    assert audited(sometimes_longer, math.inf, 2, **options).headline == "exact"


numbers = st.integers(-6, 6)


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(numbers, min_size=2, max_size=4, unique=True),
    size=st.integers(1, 4),
    relation=st.builds(
        lambda family, k: family(k),
        st.sampled_from([sl.Add, sl.SymmetricDifference, sl.Change]),
        st.integers(1, 2),
    ),
    query=st.sampled_from([sl.SUM, sl.MEAN, sl.MEDIAN, sl.VARIANCE, sl.MAX]),
    off=st.fractions(-1, 1, max_denominator=50),
)
def test_too_small_means_less_than_the_sensitivity(values, size, relation, query, off):
    """Catches a verdict that differs from the comparison with `global_sensitivity`."""
    universe = sl.Universe.value_range(values)
    true = sl.global_sensitivity(query, universe, size=size, relation=relation, method="walk").value
    claim = max(true + off, 0)
    (row,) = audited(query, claim, size, [relation], universe).rows
    assert row.exact == true
    assert (row.verdict == "too small") == (claim < true)
    assert (row.verdict == "exact") == (claim == true)


@pytest.mark.parametrize("relation", [sl.SymmetricDifference(2), sl.AddRemove(1), sl.Remove(1)])
def test_rows_of_a_range_make_up_the_whole(relation):
    """Catches rows that let a neighbour leave the range, or lose pairs between two sizes."""
    rows = audited(sl.MEAN, 0, range(2, 5), [relation]).rows
    whole = sl.global_sensitivity(sl.MEAN, DIGITS, size=range(2, 5), relation=relation).value
    assert max(row.exact for row in rows if row.verdict != "infeasible") == whole
    assert all(2 <= len(row.neighbour) < 5 for row in rows if row.neighbour is not None)


def test_sizes_one_by_one_leave_the_neighbour_free():
    """Catches a list of sizes that is treated as a range."""
    row = audited(sl.MEAN, 0, [2], ONE_MOVED).rows[0]
    assert (row.exact, len(row.neighbour)) == (Fraction(3, 2), 1)
    ranged = audited(sl.MEAN, 0, range(2, 4), ONE_MOVED).rows[0]
    assert (ranged.exact, len(ranged.neighbour)) == (1, 3)


def test_infeasible_rows():
    """Catches a row that cannot be asked and stops the others, or that asks the claim."""
    report = audited(sl.MEAN, lambda k, size: Fraction(3 * k, size), range(4), [sl.Remove(1)])
    assert [row.verdict for row in report.rows] == ["infeasible", "infeasible", "exact", "exact"]
    assert "mean needs" in str(report.rows[0])
    table = report.to_frame()
    assert table["exact"].isna().tolist() == [True, True, False, False]
    assert table["ratio"].isna().tolist() == [True, True, False, False]


# --- other answers, other claims ---------------------------------------------------------------


def test_answers_that_are_datasets():
    """Catches an output metric that is not used: dropping the largest record moves two by a change."""

    def all_but_the_largest(dataset):
        return dataset[:-1]

    report = audited(
        all_but_the_largest, 1, range(1, 4), [sl.Change(1), *ONE_MOVED],
        output_metric=sl.symmetric_distance,
    )  # fmt: skip
    assert [row.exact for row in report.rows] == [0, 2, 2, 1, 1, 1]


def test_a_metric_on_numbers_agrees_with_the_norm():
    """Catches two routes to one number that differ."""
    relations = [sl.Change(2), sl.SymmetricDifference(2)]
    plain = audited(spread, 1, range(1, 5), relations)
    measured = audited(spread, 1, range(1, 5), relations, output_metric=lambda a, b: abs(a - b))
    assert plain.rows == measured.rows


@pytest.mark.parametrize("query", [sl.STD, sl.MEDIAN, sl.MIN], ids=str)
def test_a_standard_query_is_the_same_however_it_is_asked(query):
    """Catches a standard query measured by its square, or given records out of order."""
    plain = [row.found for row in audited(query, 1, range(1, 4)).rows]
    for options in ({"output_metric": lambda a, b: abs(a - b)}, {"order": "any"}):
        rows = audited(query, 1, range(1, 4), **options).rows
        assert [row.found for row in rows] == pytest.approx(plain)


def test_claims_as_functions():
    """Catches a claim that is given the wrong arguments."""

    def of_both(k, size):
        return Fraction(3 * k, size)

    def times(factor, size, k):
        return Fraction(factor * k, size)

    for claim in (
        of_both,
        lambda size, k: Fraction(3 * k, size),
        lambda size: Fraction(3, size),
        lambda *, size, top=3: Fraction(top, size),
        lambda **place: Fraction(3 * place["k"], place["size"]),
        partial(times, 3),
    ):
        assert audited(sl.MEAN, claim, range(2, 5)).headline == "exact"
    rows = audited(sl.SUM, lambda k: 18 * k, 1, [sl.Change(1), sl.Change(2)]).rows
    assert [row.claimed for row in rows] == [18, 36]
    assert [row.ratio for row in rows] == [6, 12]


def test_a_claim_of_the_size_is_given_the_size():
    """Catches a claim that is given k where it names the size: 5/1 is loose, 5/5 too small."""

    def mean(dataset):
        return sum(dataset) / len(dataset)

    report = audited(mean, lambda size: 5 / size, 5, universe=sl.Universe.value_range([0, 10]))
    assert (report.rows[0].claimed, report.headline) == (1.0, "too small by ×2")


@pytest.mark.parametrize(
    ("claim", "got"),
    [
        (lambda n: n, "of n"),
        (lambda n, k: k, "of n, k"),
        (lambda k, size, order: k, "of k, size, order"),
        (lambda: 3, "no names"),
        (lambda n=0: n, "of n=0"),
        (lambda *place: place[0], "of *place"),
        (eval("lambda k, /: k"), "of k"),
        ({1: 2}.__getitem__, "a function of"),  # what it says of itself depends on Python
        (float, "x=0"),
    ],
)
def test_claims_of_other_names_are_refused(claim, got):
    """Catches a claim whose parameters are filled by their place."""
    with refused(TypeError, "claim must be", "named k and size", got):
        sl.audit(never, claim, DIGITS, sizes=2, relations=ONE_CHANGED)


def test_missing_records_reach_a_function_that_takes_them():
    """Catches an audit that drops None."""

    def present(dataset):
        return sum(record is not None for record in dataset)

    universe = sl.Universe.value_range([1, None])
    query = sl.Query("present", present, takes_missing=True)
    for options in ({}, {"order": "any"}, {"order": "kept"}):
        assert audited(query, 0, 2, universe=universe, **options).worst.exact == 1


# --- the empty dataset ------------------------------------------------------------------------


def plain_mean(dataset):
    return sum(dataset) / len(dataset)


def mean_or_zero(dataset):
    return sum(dataset) / len(dataset) if dataset else 0.0


FIVE_OR_TEN = sl.Universe.value_range([5, 10])


def test_the_empty_neighbour_is_asked_about():
    """Catches a verdict that skips the one pair that breaks the claim: (10,) and nobody."""
    report = audited(mean_or_zero, 5, [1, 2, 3], ONE_MOVED, FIVE_OR_TEN)
    (violation,) = report.violations
    assert (violation.found, violation.dataset, violation.neighbour) == (10, (10,), ())
    assert report.headline == "too small by ×2"
    assert report.not_asked == ()


@pytest.mark.parametrize(
    "options", [{}, {"order": "any"}, {"output_metric": lambda a, b: abs(a - b)},
                {"order": "kept"}, {"method": "search", "trials": 50}],
)  # fmt: skip
def test_what_was_not_asked_is_named(options):
    """Catches a row, a headline or a report that is silent about the empty dataset."""
    report = audited(plain_mean, 5, [1, 2], ONE_MOVED, FIVE_OR_TEN, **options)
    why = "remove 1: leaves 0 records, where plain_mean raised ZeroDivisionError: division by zero"
    assert [row.not_asked for row in report.rows] == [(why,), ()]
    assert report.not_asked == (why,)
    assert report.headline.endswith("; the empty dataset was not asked")
    assert f"  not asked: {why}" in str(report)
    assert "Not asked in 1 row: remove 1." in report.scope
    assert why in report._repr_html_()
    assert report.to_frame()["not_asked"].tolist() == [why, ""]
    held = "no violation found" if options.get("method") else "held where asked"
    assert (report.rows[0].verdict, report.rows[0].exact) == (held, None)
    assert (report.headline.split(";")[0], "found" in report.to_frame()) == (held, True)
    with pytest.raises(AssertionError, match=r"(?s)remove 1: .*larger sizes.*allow_not_asked=True"):
        report.raise_if_too_small()
    report.raise_if_too_small(allow_not_asked=True)


def test_a_row_of_which_nothing_was_asked():
    """Catches a row that is called infeasible, or exact, where the function failed."""
    report = audited(plain_mean, 5, [0, 1], [sl.Change(1)], FIVE_OR_TEN)
    assert [row.verdict for row in report.rows] == ["not asked", "exact"]
    assert "size 0: not asked (" in str(report.rows[0])
    assert "(rows: 1 exact, 1 not asked)" in str(report)
    assert report.to_frame()["ratio"].isna().tolist() == [True, False]
    assert "NaN" not in report._repr_html_()
    with refused(ValueError, "no row is feasible", "plain_mean raised ZeroDivisionError"):
        sl.audit(plain_mean, 5, FIVE_OR_TEN, sizes=0, relations=ONE_CHANGED)


@pytest.mark.parametrize("order", ["any", "kept"])
def test_sequences_of_no_records(order):
    """Catches an order of the empty dataset that is lost, or asked about and not compared."""
    report = audited(len, 1, [0, 1], [*ONE_MOVED, sl.Change(1)], DIGITS, order=order)
    assert [row.exact for row in report.rows] == [1, 1, 0, 0]
    assert report.rows[0].neighbour == (0,)


# --- sizes ------------------------------------------------------------------------------------


def test_sizes_mean_the_same_in_every_form():
    """Catches a range of sizes that keeps the neighbour inside it, where a list does not."""
    forms = (3, [3], (3,), range(3, 4), np.array([3]), iter([3]))
    reports = [sl.audit(sl.MEAN, 1, DIGITS, sizes=sizes, relations=ONE_MOVED) for sizes in forms]
    assert all(report == reports[0] for report in reports)
    assert {len(row.neighbour) for row in reports[0].rows} == {2}
    assert reports[0].sizes == (3,)
    assert reports[0].sizes_within is None
    inside = sl.audit(sl.MEAN, 1, DIGITS, sizes_within=range(3, 4), relations=ONE_MOVED)
    assert inside.rows[0].found == 0
    assert (inside.sizes, inside.sizes_within) == (None, range(3, 4))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, ["exactly one of sizes and sizes_within"]),
        ({"sizes": 2, "sizes_within": range(3)}, ["exactly one of sizes and sizes_within"]),
        ({"sizes_within": [1, 2]}, ["sizes_within must be a range", "[1, 2]", "sizes="]),
        ({"sizes_within": 2}, ["sizes_within must be a range", "2"]),
        ({"size": 2}, ["unexpected keyword argument 'size'"]),
    ],
)
def test_sizes_are_given_once(given, words):
    """Catches sizes that are guessed at by their type."""
    with refused(TypeError, *words):
        sl.audit(never, 1, DIGITS, **given, relations=ONE_CHANGED)


# --- labels -----------------------------------------------------------------------------------


def by_ten(dataset):
    codes = pd.Series(dataset)
    return (codes % 10).groupby(codes // 10).sum()


def test_answers_are_compared_label_by_label():
    """Catches group 1 held against group 2 because both come first."""
    universe = sl.Universe.population([0, 0, 1, 1])

    def counts(dataset):
        return pd.Series(dataset).value_counts()

    for options in ({}, {"order": "any"}, {"method": "search", "trials": 100}):
        report = sl.audit(counts, 0, universe, sizes=3, relations=ONE_CHANGED, **options)
        assert (report.rows[0].found, report.check()) == (2, True)


@pytest.mark.parametrize("options", [{}, {"order": "any"}, {"order": "kept"},
                                     {"method": "search", "trials": 50}])  # fmt: skip
def test_answers_of_other_labels_are_compared_with_none(options):
    """Catches the total of shop 1 that passes for that of shop 2, and a key that counts nothing."""
    universe = sl.Universe.value_range([13, 23])
    report = sl.audit(by_ten, 6, universe, sizes=1, relations=ONE_CHANGED, **options)
    assert (report.rows[0].found, report.check()) == (6, True)


# --- noise ------------------------------------------------------------------------------------


def with_noise():
    generator = np.random.default_rng(0)
    return lambda dataset: float(sum(dataset) + generator.laplace())


def wrong_once():
    calls = iter(range(10**6))
    return lambda dataset: sum(dataset) + 50 * (next(calls) == 7)


@pytest.mark.parametrize("made", [with_noise, wrong_once])
@pytest.mark.parametrize("claim", [0, 1000])
@pytest.mark.parametrize(
    "options", [{}, {"order": "any"}, {"order": "kept"}, {"method": "search", "trials": 300},
                {"output_metric": lambda a, b: abs(a - b)}],
)  # fmt: skip
def test_noise_gets_no_verdict(made, claim, options):
    """Catches noise that is called too small, or loose, or exact."""
    with refused(ValueError, "function must be deterministic", "<lambda> answered"):
        sl.audit(made(), claim, DIGITS, sizes=3, relations=ONE_CHANGED, **options)


def test_noise_in_a_map_gets_no_verdict():
    """Catches a map with noise in it; the message names the dataset and both answers, short."""
    count = iter(range(10**6))

    def counted(dataset):
        return tuple(range(next(count), 400))

    with pytest.raises(
        ValueError, match=r"counted answered \(.*\) on \(.*\), then \(.*\)"
    ) as caught:
        sl.audit_map(
            counted, 1, [(0,) * 300, (1,)], distances=[999],
            input_metric=sl.symmetric_distance, output_metric=lambda a, b: abs(a[0] - b[0]),
        )  # fmt: skip
    assert len(str(caught.value)) < 800


def test_noise_of_another_shape_gets_no_verdict():
    """Catches answers of two lengths on one dataset that are blamed on two datasets."""
    calls = iter([*[2] * 11, 3, *[2] * 99])
    with refused(ValueError, "function must be deterministic", "(0, 0), then (0, 0, 0)"):
        sl.audit(lambda d: [0] * next(calls), 1, DIGITS, sizes=2, relations=ONE_CHANGED)


def test_noise_in_the_labels_gets_no_verdict():
    """Catches answers that are taken for one because their numbers are, whatever their labels."""
    labels = iter([*["ab"] * 11, "ac", *["ab"] * 99])
    with refused(ValueError, "function must be deterministic", "answered (1, 2)"):
        sl.audit(
            lambda d: pd.Series([1, 2], index=list(next(labels))), 1, DIGITS, sizes=2,
            relations=ONE_CHANGED,
        )  # fmt: skip


def test_noise_in_a_query_that_says_it_is_exact():
    """Catches trust in a word: `exact` says which records a function is given, not what it does."""
    calls = iter(range(10**6))
    query = sl.Query("restless", lambda d: next(calls) ** 2, 0, exact=True)
    with refused(ValueError, "function must be deterministic", "asked again"):
        sl.audit(query, 1, DIGITS, sizes=2, relations=ONE_CHANGED)


def test_answers_that_cannot_be_compared_by_equality():
    """Catches a deterministic map of tables that is taken for noise."""
    report = sl.audit(
        lambda dataset: pd.DataFrame({"v": list(dataset)}), 1, DIGITS, sizes=2,
        relations=ONE_CHANGED, output_metric=lambda a, b: abs(a["v"].sum() - b["v"].sum()),
    )  # fmt: skip
    assert (report.rows[0].found, report.check()) == (3, True)


# --- budgets ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"sizes": range(10**12)}, ["10,000 rows", "1,000,000,000,000 sizes"]),
        ({"sizes_within": range(10**30)}, ["10,000 rows", "over 10^18 sizes"]),
        ({"sizes": iter(int, 1)}, ["10,000 rows", "10,001 sizes"]),
        ({"sizes": range(1, 2000), "relations": [sl.Change(k) for k in range(1, 9)]},
         ["10,000 rows", "1,999 sizes × 8 relations"]),
        ({"sizes": range(1, 99), "relations": [sl.SymmetricDifference(900)]},
         ["20,000,000 moves", "406,351 moves"]),
        ({"sizes": 10**12, "method": "search"}, ["2,000,000,000,000 records", "20,000,000"]),
        ({"sizes": 10**12, "universe": sl.Universe.value_range([0])}, ["records", "20,000,000"]),
        ({"sizes": 10**12, "function": sl.SUM}, ["records", "20,000,000"]),
        ({"sizes": 9, "method": "search", "trials": 10**9}, ["1,000,000,000 pairs", "trials"]),
        ({"sizes": 10**6, "method": "search", "trials": 10**5}, ["records to read", "trials"]),
        ({"sizes": 9, "order": "any", "output_metric": max, "max_datasets": 10**6},
         ["pairs", "limit of 20,000,000"]),
    ],
)  # fmt: skip
def test_budgets(changed, words):
    """Catches work or memory without end, begun before it is counted."""
    options = {"function": never, "universe": DIGITS, "relations": ONE_CHANGED} | changed
    with refused(ValueError, *words):
        sl.audit(options.pop("function"), 1, options.pop("universe"), **options)


@pytest.mark.parametrize("relation", [sl.Change(1), sl.Change(2), sl.AddRemove(1), sl.AddRemove(2)])
@pytest.mark.parametrize("size", [2, 3])
def test_the_budget_of_edits_in_place(relation, size):
    """Catches a budget of "kept" that takes a change for an insertion; no edit is left uncounted."""
    question = Problem(sl.Query("len", len), DIGITS, size, relation, norm=1)
    walk = OrderedWalk(Subject.of(question.query, 1, None, DIGITS), "kept")
    edited = sum(
        1
        for removed, added in relation.moves
        for _ in combinations(range(size), removed)
        for _ in combinations(range(size - removed + added), added)
        for _ in product(range(4), repeat=added)
    )
    if isinstance(relation, sl.Change):  # what is replaced stands where it stood
        edited = sum(math.comb(size, changed) * 4**changed for changed, _ in relation.moves)
    assert walk.pairs(question) == 4**size * edited
    for sequence in product(range(4), repeat=size):
        in_place = isinstance(relation, sl.Change)
        assert len(edits(sequence, relation.moves, [9] * 4, in_place=in_place)) <= edited


# --- workers ----------------------------------------------------------------------------------

ROUTES = [{}, {"order": "any"}, {"order": "kept"}, {"output_metric": math.dist}]


def last_and_first(dataset):
    return dataset[-1], dataset[0]


@pytest.mark.parametrize("options", ROUTES)
def test_workers_give_the_same_report(options):
    """Catches blocks of answers that are lost or out of turn, on any route."""
    asked = (last_and_first, 1, [1, 2, 3], [*ONE_CHANGED, sl.AddRemove(1)])
    alone = audited(*asked, **options)
    with ThreadPoolExecutor(3) as threads:
        assert audited(*asked, **options, executor=threads) == alone


def test_processes_give_the_same_report():
    """Catches a subject that cannot be sent to another process."""
    sent = pickle.loads(pickle.dumps(Subject.of(as_query(last_and_first), 1, math.dist)))
    assert sent.answer((1, 2)) == (2, 1)
    assert sent.measure()((2, 1), (2, 4)) == 3
    with (
        refused(ValueError, "executor is a pool of processes", "lambda"),
        ProcessPoolExecutor(1) as pool,
    ):
        options = {"sizes": 2, "relations": ONE_CHANGED, "executor": pool}
        sl.audit(lambda dataset: 1, 1, DIGITS, output_metric=math.dist, **options)


@pytest.mark.parametrize("options", [*ROUTES, {"method": "search", "trials": 40}])
def test_progress_shows_a_bar(options, capsys):
    """Catches an audit that runs in silence where it was asked to show how far it is."""
    audited(last_and_first, 1, [2, 3], **options)
    assert capsys.readouterr().err == ""
    audited(last_and_first, 1, [2, 3], **options, progress=True)
    assert "100%" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("executor", "error", "words"),
    [
        (4, TypeError, ["executor must be", "4"]),
        (ThreadPoolExecutor, TypeError, ["executor must be made", "class"]),
    ],
)
@pytest.mark.parametrize("options", ROUTES)
def test_what_is_no_executor_is_refused(executor, error, words, options):
    """Catches an executor that is ignored, or met by its attributes."""
    with refused(error, *words):
        sl.audit(never, 1, DIGITS, sizes=2, relations=ONE_CHANGED, executor=executor, **options)


def test_a_search_takes_no_executor():
    """Catches an executor that is ignored."""
    with (
        ThreadPoolExecutor(1) as threads,
        refused(ValueError, "executor must be None for method='search'", "every other method"),
    ):
        options = {"method": "search", "executor": threads}
        sl.audit(never, 1, DIGITS, sizes=2, relations=ONE_CHANGED, **options)


# --- any kind of number -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "answer", "verdict"),
    [
        (Fraction(1, 10), 0.1, "exact"),
        (0.1, Fraction(1, 10), "exact"),
        (Decimal("0.1"), Fraction(1, 10), "exact"),
        (Decimal("0.1"), 0.1, "exact"),
        (0.1, Decimal("0.1"), "exact"),
        (Fraction(1, 3), Decimal(1) / 3, "exact"),
        (Fraction(1, 11), 0.1, "too small"),
        (np.float32(0.1), Fraction(1, 10), "exact"),
        (Decimal("0.2"), 0.1, "loose"),
        (2**60, float(2**60), "exact"),
        (2**60 - 1, 2**60, "too small"),
        (Decimal("Infinity"), 1, "loose"),
        (np.longdouble("1e400"), 1, "loose"),
        (5e-324, 1e-323, "too small"),
    ],
)
def test_a_claim_and_answers_of_two_arithmetics(claim, answer, verdict):
    """Catches a comparison that fails, or that rounds the exact one of two numbers."""
    report = audited(lambda d: answer if d[0] else 0 * answer, claim, 1)
    assert report.rows[0].verdict == verdict


class Shy(float):
    def __str__(self):
        return "much"

    __repr__ = __str__


@pytest.mark.parametrize(
    ("claim", "top", "headline"),
    [
        (1, 10**400, "too small by ×1e+400"),
        (10**400, 10**400, "exact"),
        (Decimal("1e400"), 2, "loose by ×5e+399"),
        (Decimal("1e400"), 0.5, "loose by ×2e+400"),
        (0.5, 10**400, "too small by ×2e+400"),
        (10**5000, 1, "loose by ×1e+5000"),
        (1, 10**5000, "too small by ×1e+5000"),
        (10**5000 + 1, 10**5000, "loose by ×(1 + 1e-5000)"),
        (Fraction(1, 10**400), 1, "too small by ×1e+400"),
        (math.inf, 10**5000, "loose"),
        (Shy(1.5), 3, "too small by ×2"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_numbers_that_no_float_holds(claim, top, headline):
    """Catches a report that cannot be written, or that takes a page."""
    report = audited(lambda d: top * d[0], claim, [1], universe=sl.Universe.value_range([0, 1]))
    assert report.headline == headline
    for text in (str(report), report._repr_html_(), str(report.rows[0]), str(report.snippet())):
        assert len(text) < 2000
    assert len(report.to_frame()) == 1


def test_records_that_python_does_not_write():
    """Catches a snippet that cannot be run, or no snippet at all."""
    universe = sl.Universe.value_range([0, 10**5000, Fraction(1, 10**5000)])
    report = audited(max, 1, [1], universe=universe)
    assert "(1e+5000) → 1e+5000" in str(report)
    assert "1e+5000" in report._repr_html_()
    names = {"print": lambda answer: shown.append(answer)}
    shown = []
    exec(str(report.snippet()), names)
    assert set(shown) == set(report.rows[0].answers)


# --- search ----------------------------------------------------------------------------------


def test_a_search_finds_and_proves():
    """Catches a search that claims a verdict it cannot have, or a pair that is none."""

    def middle(dataset):
        return dataset[len(dataset) // 2]

    universe = sl.Universe.value_range(range(100))
    relations = [sl.Change(1), sl.SymmetricDifference(3), sl.Add(2)]
    options = {"method": "search", "trials": 2000, "seed": 1}
    report = audited(middle, 20, 51, relations, universe, **options)
    assert {row.verdict for row in report.rows} == {"too small"}
    assert all(row.exact is None for row in report.rows)
    assert all(0 < row.found <= 99 for row in report.rows)
    clean = audited(middle, 99, 51, relations, universe, **options)
    assert {row.verdict for row in clean.rows} == {"no violation found"}
    assert clean.headline == "no violation found"
    assert "proves nothing" in str(clean)
    assert "found" in clean.to_frame().columns
    assert "exact" not in clean.to_frame().columns
    again = audited(middle, 99, 51, relations, universe, **options)
    assert clean.rows == again.rows


@pytest.mark.parametrize("universe", [DIGITS, sl.Universe.population([0, 0, 1, 2, 3, 3, 9])])
@pytest.mark.parametrize("query", [sl.MEAN, sl.STD, spread])
def test_a_search_never_passes_the_exact_number(universe, query):
    """Catches a pair that is no pair of neighbours; on a small universe it finds the maximum."""
    relations = [sl.Change(2), sl.SymmetricDifference(2), sl.Remove(1)]
    exact = audited(query, 1, 3, relations, universe)
    found = audited(query, 1, 3, relations, universe, method="search", trials=800)
    for row, other in zip(exact.rows, found.rows, strict=True):
        assert float(other.found) == pytest.approx(float(row.exact))


def test_a_search_measures_with_the_metric():
    """Catches a search that forgets the output metric."""
    report = audited(
        lambda dataset: dataset[:-1], 1, 9, method="search", trials=500,
        output_metric=sl.symmetric_distance,
    )  # fmt: skip
    assert report.worst.found == 2


# --- the report ------------------------------------------------------------------------------


def test_frame():
    """Catches a column that is renamed, or a number that is rounded on its way to the table."""
    table = audited(sl.MEAN, lambda k: Fraction(5, 3), [3], [sl.Change(1), sl.Change(2)]).to_frame()
    assert list(table.columns) == [
        "relation", "k", "size", "claimed", "exact", "ratio", "verdict", "dataset", "neighbour",
    ]  # fmt: skip
    assert table["exact"].tolist() == [1, 2]
    assert table["claimed"].tolist() == [Fraction(5, 3)] * 2
    assert table["ratio"].tolist() == pytest.approx([5 / 3, 5 / 6])
    assert table["verdict"].tolist() == ["loose", "too small"]
    assert table["neighbour"].tolist() == [(0, 0, 3), (0, 3, 3)]


def test_text():
    """Catches a report that hides its verdict, its witness or what it speaks of."""
    report = audited(sl.MEAN, Fraction(5, 3), 3)
    assert repr(report) == str(report)
    assert str(report).splitlines() == [
        "mean: loose by ×1.67 (rows: 1 loose)",
        "Change(1), size 3: loose by ×1.67, claimed 5/3, exact 1",
        "Held against all pairs from Universe.value_range([0, 1, 2, 3]), size 3,",
        'under Change(1); "exact" and "loose" speak of these.',
    ]
    assert str(audited(spread, 1.5, [2]).worst).splitlines() == [
        "Change(1), size 2: too small by ×2, claimed 1.5, exact 3",
        "  (0, 0) → 0",
        "  (0, 3) → 3",
    ]
    assert "… and 3 more" in str(audited(spread, 1, range(2, 9)))
    assert "×(1 + 1e-07)" in str(audited(spread, 3 * (1 + 1e-7), 2))
    assert "too small, claimed 0" in str(audited(spread, 0, 2))
    long = str(audited(sl.MAX, 1, 40, universe=sl.Universe.value_range([0, 5])))
    assert "(0 ×40) → 0" in long
    assert "(0 ×39, 5) → 5" in long
    vector = sl.Query("halves", lambda dataset: (Fraction(dataset[0], 2), dataset[0] / 7))
    assert "(3) → (3/2, 0.428571)" in str(audited(vector, 0, 1))


def test_html():
    """Catches a name that breaks the page, and a table without its verdict or its scope."""
    page = audited(sl.Query("<b>", spread), 1, range(0, 4))._repr_html_()
    assert "<b>" not in page
    assert "too small by ×3" in page
    assert "Change(1)" in page
    assert "(0, 0, 3)" in page
    assert "speak of these" in page
    assert "NaN" not in page


def test_snippet_shows_the_gap(capsys):
    """Catches a snippet that cannot be completed by defining the function."""
    report = audited(
        spread, 1, 2, universe=sl.Universe.value_range([Fraction(1, 2), np.float32(3)])
    )
    snippet = str(report.snippet())
    exec(snippet.replace("# define spread here", "def spread(x): return x[-1] - x[0]"), {})
    assert capsys.readouterr().out == "0\n2.5\n"
    nameless = audited(lambda dataset: dataset[-1], 1, 2).snippet()
    assert "function(dataset)" in nameless


@pytest.mark.parametrize("query", [sl.MEAN, sl.STD, sl.quantile(0.25)], ids=lambda q: q.name)
def test_snippet_of_a_standard_query_runs_as_it_is(query, capsys):
    """Catches a reader who is asked to define what the package has."""
    report = audited(query, 0.5, 2, universe=sl.Universe.value_range([0, Fraction(1, 2), 4]))
    exec(str(report.snippet()), {})
    assert capsys.readouterr().out == "".join(f"{answer}\n" for answer in report.rows[0].answers)
    assert "# define mean here" in audited(np.mean, 0.5, 2).snippet()


def test_raise_if_too_small():
    """Catches a library's test that stays green, or a failure that does not explain itself."""
    audited(spread, 3, range(1, 4)).raise_if_too_small()
    with pytest.raises(AssertionError) as caught:
        audited(spread, 2, range(1, 4)).raise_if_too_small()
    message = str(caught.value)
    for part in ("too small by ×1.5", "(0, 3) → 3", "dataset = (0, 0)"):
        assert part in message


def test_check_notices_what_changed():
    """Catches a `check` that says yes to everything."""
    shift = []

    def doubled_later(dataset):
        return dataset[0] * (1 + len(shift))

    report = sl.audit(doubled_later, 1, DIGITS, sizes=1, relations=ONE_CHANGED)
    assert report.check()
    shift.append(1)
    assert not report.check()


# --- what a report holds ----------------------------------------------------------------------


def test_the_report_holds_what_was_asked():
    """Catches a scope that is only text, or that leaves something out."""
    relations = [sl.Change(1), sl.Add(1)]
    report = audited(spread, 1, [1, 4], relations, sl.Universe.population([0, 1, 2, 3]))
    assert report.universe == sl.Universe.population([0, 1, 2, 3])
    assert (report.sizes, report.sizes_within) == ((1, 4), None)
    assert report.relations == (sl.Change(1), sl.Add(1))
    assert report.scope == (
        "Held against all pairs from Universe.population([0, 1, 2, 3]), sizes 1, 4, under "
        'Change(1), Add(1); "exact" and "loose" speak of these. '
        "Not feasible in 2 rows: change 1, add 1."
    )
    for options, words in (
        ({"order": "any"}, "in every order"),
        ({"order": "kept"}, "as sequences edited in place"),
        ({"output_metric": math.dist}, "measured by dist"),
        ({"output_metric": lambda a, b: 0}, "measured by output_metric"),
        ({"norm": 2}, "in L2"),
        ({"method": "search", "trials": 30}, "Search: 30 pairs a row, from"),
    ):
        assert words in audited(last_and_first, 1, 2, **options).scope
    assert "both sizes from 1 to 3" in audited(spread, 1, range(1, 4)).scope


def test_violations_come_smallest_first():
    """Catches violations in the order in which their sizes were named."""
    report = audited(spread, 1, [3, 2], [sl.Change(2), sl.Change(1)])
    assert [(row.size, row.k) for row in report.violations] == [(2, 1), (2, 2), (3, 1), (3, 2)]


@pytest.mark.parametrize(
    "options", [{}, {"order": "any"}, {"order": "kept"}, {"output_metric": math.dist},
                {"method": "search", "trials": 30}],
)  # fmt: skip
def test_reports_are_values(options):
    """Catches a report that cannot be kept, or that differs from another of the same content."""
    report = audited(
        last_and_first, 1, [1, 2], [sl.Change(1), sl.SymmetricDifference(1)], **options
    )
    again = pickle.loads(pickle.dumps(report))
    assert (again == report, hash(again) == hash(report), again.check()) == (True, True, True)
    assert str(again) == str(report)
    assert again.rows == report.rows
    other = audited(last_and_first, 2, [1, 2], [sl.Change(1), sl.SymmetricDifference(1)], **options)
    assert other != report
    assert len({*again.rows, *report.rows}) == len(report.rows)


def table_of(dataset):
    return pd.DataFrame({"v": list(dataset)})


def rows_apart(x, y):
    return sl.symmetric_distance(x["v"], y["v"])


def test_reports_over_tables_are_values():
    """Catches rows whose datasets have no hash and no truth: they are compared by content."""
    options = {"distances": [1, 2], "input_metric": rows_apart, "output_metric": rows_apart}
    tables = [table_of(d) for d in SMALL]
    report, other = (sl.audit_map(pd.DataFrame.copy, c, tables, **options) for c in (1, 2))
    again = pickle.loads(pickle.dumps(report))
    assert (again == report, hash(again) == hash(report), again.check()) == (True, True, True)
    assert again.rows[0] != report.rows[1]
    assert report != other


# --- maps ------------------------------------------------------------------------------------

SMALL = [d for n in range(4) for d in combinations_with_replacement((0, 1, 2), n)]


def doubled(dataset):
    return tuple(record for record in dataset for _ in range(2))


def test_map():
    """Catches a stability that is not the maximum over pairs within the distance."""
    options = {"input_metric": sl.symmetric_distance, "output_metric": sl.symmetric_distance}
    report = sl.audit_map(doubled, lambda d: 2 * d, SMALL, distances=[0, 1, 2, 3], **options)
    assert [row.exact for row in report.rows] == [0, 2, 4, 6]
    assert report.headline == "exact"
    assert report.check()
    table = report.to_frame()
    assert set(table["relation"]) == {"symmetric_distance"}
    assert table["k"].tolist() == [0, 1, 2, 3]
    wrong = sl.audit_map(doubled, 2, SMALL, distances=[2, 1], **options)
    assert [row.verdict for row in wrong.rows] == ["too small", "exact"]
    (violation,) = wrong.violations
    assert (violation.dataset, violation.neighbour) == ((), (0, 0))
    assert "20 inputs" in str(wrong)


def test_map_against_a_double_loop():
    """Catches pairs that are skipped; the inputs are vectors and the metrics are floats."""
    rng = np.random.default_rng(5)
    vectors = [tuple(v) for v in rng.integers(-3, 4, size=(30, 2)).tolist()]

    def manhattan(x, y):
        return abs(x[0] - y[0]) + abs(x[1] - y[1])

    def cut(v):
        return math.floor(v[0] / 2), min(v)

    report = sl.audit_map(
        cut, lambda d: d, vectors, distances=[1.5, 4], input_metric=manhattan,
        output_metric=math.dist,
    )  # fmt: skip
    for row in report.rows:
        gaps = [
            math.dist(cut(x), cut(y)) for x in vectors for y in vectors if manhattan(x, y) <= row.k
        ]
        assert row.exact == max(gaps)


def test_map_over_tables():
    """Catches a map that is asked about DataFrames and compares them with ==."""
    tables = [pd.DataFrame({"v": list(d)}) for d in SMALL]

    def rows_apart(x, y):
        return sl.symmetric_distance(x["v"], y["v"])

    report = sl.audit_map(
        lambda t: t[t["v"] > 0], lambda d: d, tables, distances=[1, 2],
        input_metric=rows_apart, output_metric=rows_apart,
    )  # fmt: skip
    assert report.headline == "exact"
    assert report.check()
    assert "exact" in report._repr_html_()


# --- breaking values -------------------------------------------------------------------------


def test_breaking_values():
    """Catches a value outside the bounds, one that is no number of the dtype, and one missing."""
    assert sl.breaking_values((0, 2**60), int) == [0, 1, 2**60 - 1, 2**60]
    assert {0, 255} <= set(sl.breaking_values((0, 255), "uint8"))  # the ends of the type itself
    found = sl.breaking_values((0.0, 1e17))
    assert {0.0, 5e-324, 2.0**53 - 1, 2.0**53, 1e17} <= set(found)
    assert math.nextafter(1e17, 0) in found
    assert all(type(v) is float and 0 <= v <= 1e17 for v in found)
    half = sl.breaking_values((-1, 4096), np.float16)
    assert {np.float16(2047), np.float16(2048), np.float16(4094)} <= set(half)
    assert all(type(v) is np.float16 and -1 <= v <= 4096 for v in half)
    beyond = sl.breaking_values((-128, 5), np.int8, outside=True, missing=True)
    assert beyond == [-128, -127, 0, 1, 4, 5, 6, 127, None]
    assert np.nextafter(1.0, 2.0) in sl.breaking_values((0, 1), outside=True)
    assert np.finfo(float).max in sl.breaking_values((0, 1), outside=True)


@pytest.mark.parametrize("wanted", [np.array([1, 2]), "yes", None, 1])
@pytest.mark.parametrize("what", ["outside", "missing"])
def test_breaking_values_want_true_or_false(what, wanted):
    """Catches numpy's own words for an array where a yes or a no is due."""
    with pytest.raises(TypeError, match=f"{what} must be True or False, got {what}="):
        sl.breaking_values((0, 1), **{what: wanted})


def test_breaking_values_find_an_overflow():
    """Catches a function that adds in 8 bits: 127 ones and one more."""

    def narrow_sum(dataset):
        return int(np.array(dataset, dtype=np.int8).sum(dtype=np.int8))

    universe = sl.Universe.value_range(sl.breaking_values((0, 1), np.int8))
    report = audited(narrow_sum, 1, range(126, 129), ONE_MOVED, universe)
    assert report.worst.exact == 255
    assert report.violations[0].dataset == (1,) * 127


# --- errors ----------------------------------------------------------------------------------


def never(dataset):
    raise AssertionError("asked before the errors were")


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"function": 3}, TypeError, ["function must be", "3"]),
        ({"claim": "1"}, TypeError, ["claim", "number of at least 0", "'1'"]),
        ({"claim": -1}, ValueError, ["claim", "at least 0", "-1"]),
        ({"claim": math.nan}, ValueError, ["claim", "at least 0", "nan"]),
        ({"claim": Decimal("NaN")}, ValueError, ["claim", "at least 0", "NaN"]),
        ({"claim": lambda k, size: -size}, ValueError, ["claim at k=1, size=2", "-2"]),
        ({"claim": lambda k, size: 1 / (size - 2)}, ValueError, ["claim failed at k=1, size=2", "Zero"]),
        ({"claim": lambda k: None}, TypeError, ["claim at k=1", "None"]),
        ({"universe": [1]}, TypeError, ["universe must be", "[1]"]),
        ({"sizes": []}, ValueError, ["sizes must not be empty"]),
        ({"sizes": -1}, ValueError, ["size", "-1"]),
        ({"sizes": 1.5}, ValueError, ["size", "1.5"]),
        ({"sizes": "2"}, TypeError, ["size", "'2'"]),
        ({"sizes": 0}, ValueError, ["no row is feasible", "size 0: never raised"]),
        ({"relations": sl.Change(1)}, TypeError, ["relations must be a list", "Change(1)"]),
        ({"relations": []}, ValueError, ["relations must not be empty"]),
        ({"relations": [1]}, TypeError, ["relation must be", "1"]),
        ({"norm": 3}, ValueError, ["norm", "3"]),
        ({"order": "some"}, ValueError, ["order must be", "'some'"]),
        ({"order": "any", "method": "sweep"}, ValueError, ["method", "order", "'sweep'"]),
        ({"output_metric": 1}, TypeError, ["output_metric", "1"]),
        ({"output_metric": max, "method": "sweep"}, ValueError, ["output_metric", "'sweep'"]),
        ({"method": "guess"}, ValueError, ["method", "'guess'"]),
        ({"method": "search", "trials": 0}, ValueError, ["trials", "0"]),
        ({"method": "search", "seed": -1}, ValueError, ["seed", "-1"]),
        ({"max_datasets": 0}, ValueError, ["max_datasets", "0"]),
        ({"max_datasets": 5}, ValueError, ["10 datasets", "limit of 5"]),
        ({"max_datasets": 5, "order": "any"}, ValueError, ["10 datasets", "limit of 5"]),
        ({"max_datasets": 12, "order": "any"}, ValueError, ["16 sequences", "limit of 12"]),
        ({"max_datasets": 12, "order": "kept"}, ValueError, ["16 sequences", "limit of 12"]),
        ({"max_datasets": 16, "order": "kept", "relations": [sl.Change(2)]}, ValueError,
         ["pairs", "limit of 320"]),
    ],
)  # fmt: skip
def test_errors(changed, error, words):
    """Catches bad input that is noticed only after the function was asked, or not at all."""
    options = {"function": never, "claim": 1, "universe": DIGITS, "sizes": 2,
               "relations": ONE_CHANGED}  # fmt: skip
    options |= changed
    with refused(error, *words):
        sl.audit(options.pop("function"), options.pop("claim"), options.pop("universe"), **options)


def test_a_function_that_fails_says_where():
    """Catches a failure inside an audit that does not name its dataset."""
    for options in ({}, {"order": "any"}, {"output_metric": abs}, {"method": "search"}):
        with refused(ValueError, "never", "dataset (", "AssertionError"):
            sl.audit(never, 1, DIGITS, sizes=1, relations=ONE_CHANGED, **options)


def test_an_order_that_changes_the_arithmetic():
    """Catches a least and a greatest answer chosen among ints and floats, where neither is widest:
    seen from c the float 2⁵³ + 2 is 2⁵⁴ away, rounded, and the int 2⁵³ + 1 is 2⁵⁴ + 2."""
    c = -(2**53 + 1)
    by_first = {1: 0, 2: 2**53 + 1, 3: 2.0**53 + 2}

    def mixed(sequence):
        return c if 4 in sequence else by_first[sequence[0]]

    universe = sl.Universe.population([1, 2, 3, 4])
    report = audited(mixed, 0, [3], universe=universe, order="any")
    assert report.rows[0].found == 2**54 + 2 > by_first[3] - c


def test_answers_of_two_shapes_are_refused():
    """Catches vectors of different lengths that are compared entry by entry."""
    with refused(ValueError, "one shape"):
        sl.audit(lambda s: s[: s[0]], 1, DIGITS, sizes=2, relations=ONE_CHANGED, order="any")


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"function": 3}, TypeError, ["function must be", "3"]),
        ({"inputs": []}, ValueError, ["inputs must not be empty"]),
        ({"distances": []}, ValueError, ["distances must not be empty"]),
        ({"distances": [-1]}, ValueError, ["distances", "-1"]),
        ({"input_metric": 1}, TypeError, ["input_metric", "1"]),
        (
            {"function": len, "inputs": [(1,)], "input_metric": lambda a: 0},
            ValueError,
            ["input_metric failed on (1,)"],
        ),
        (
            {"function": len, "input_metric": lambda a, b: 1},
            ValueError,
            ["input_metric must be 0", "got 1 on ()"],
        ),
        ({"output_metric": None}, TypeError, ["output_metric", "None"]),
        ({"claim": math.nan}, ValueError, ["claim", "nan"]),
        ({"claim": lambda d: -d}, ValueError, ["claim at distance=1", "-1"]),
        ({"inputs": iter(int, 1), "max_pairs": 10**6}, ValueError, ["pairs", "limit of 1,000,000"]),
        ({"distances": iter(int, 1)}, ValueError, ["distances", "10,000 rows"]),
        ({"max_pairs": 100}, ValueError, ["at least 120 pairs", "limit of 100"]),
    ],
)
def test_map_errors(changed, error, words):
    """Catches bad input that is noticed only after the function was asked, or not at all."""
    options = {"function": never, "claim": 1, "inputs": SMALL, "distances": [1],
               "input_metric": sl.symmetric_distance, "output_metric": sl.symmetric_distance}  # fmt: skip
    options |= changed
    with refused(error, *words):
        sl.audit_map(
            options.pop("function"), options.pop("claim"), options.pop("inputs"), **options
        )


def test_a_metric_that_is_none():
    """Catches an output metric that returns text or a negative number."""
    for metric, error in ((lambda a, b: "far", TypeError), (lambda a, b: -1, ValueError)):
        with refused(error, "output_metric", "at least 0"):
            sl.audit(first, 1, DIGITS, sizes=1, relations=ONE_CHANGED, output_metric=metric)


@pytest.mark.parametrize(
    ("bounds", "dtype", "error", "words"),
    [
        ((0, 300), np.int8, ValueError, ["bounds", "int8", "(0, 300)"]),
        ((0.5, 1), np.int8, ValueError, ["bounds", "int8", "0.5"]),
        ((0, math.nan), float, ValueError, ["bounds", "nan"]),
        ((0, math.inf), float, ValueError, ["bounds", "inf"]),
        ((0, 1e6), np.float16, ValueError, ["bounds", "float16"]),
        ((3, 1), float, ValueError, ["bounds must rise", "(3, 1)"]),
        ((0, 1), complex, TypeError, ["dtype", "complex"]),
        ((0, 1), bool, TypeError, ["dtype", "bool"]),
    ],
)
def test_breaking_values_errors(bounds, dtype, error, words):
    """Catches bounds that are bent to fit a dtype in silence."""
    with refused(error, *words):
        sl.breaking_values(bounds, dtype)
