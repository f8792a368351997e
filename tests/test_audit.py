"""Audits: planted errors are found, what holds is not accused, and the report can be trusted."""

import math
from decimal import Decimal
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sensitivity_lab as sl
from sensitivity_lab.sequences import count_sequences, edits, orderings
from tests.test_errors import refused

DIGITS = sl.Universe.value_range([0, 1, 2, 3])
ONE_CHANGED = [sl.Change(1)]
ONE_MOVED = [sl.SymmetricDifference(1)]


def spread(dataset):
    return dataset[-1] - dataset[0]


def first(dataset):
    return dataset[0]


def audited(function, claim, size, relations=ONE_CHANGED, universe=DIGITS, **options):
    report = sl.audit(function, claim, universe, size=size, relations=relations, **options)
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
    report = audited(sl.MEAN, lambda k, n: Fraction(3 * k, n + 1), range(1, 6))
    assert [row.ratio for row in report.rows] == [Fraction(n, n + 1) for n in range(1, 6)]
    assert len(report.violations) == 5
    assert audited(sl.MEAN, lambda k, n: Fraction(3 * k, n), range(1, 6)).headline == "exact"


def test_an_error_at_size_1_only():
    """Catches an audit that starts where things have become regular."""
    report = audited(sl.MEAN, lambda k, n: Fraction(3, max(n, 2)), range(1, 6))
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
        sl.audit(rises, 0, population, size=2, relations=[sl.Add(1)], order="kept")


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
    report = audited(sl.MEAN, lambda k, n: Fraction(3 * k, n), range(4), [sl.Remove(1)])
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

    for claim in (of_both, lambda k, n=0: Fraction(3 * k, n), lambda *a: Fraction(3 * a[0], a[1])):
        assert audited(sl.MEAN, claim, range(2, 5)).headline == "exact"
    rows = audited(sl.SUM, lambda k: 18 * k, 1, [sl.Change(1), sl.Change(2)]).rows
    assert [row.claimed for row in rows] == [18, 36]
    assert [row.ratio for row in rows] == [6, 12]
    assert audited(sl.SUM, float, 1, [sl.Change(1)]).rows[0].claimed == 1.0


def test_missing_records_reach_a_function_that_takes_them():
    """Catches an audit that drops None."""

    def present(dataset):
        return sum(record is not None for record in dataset)

    universe = sl.Universe.value_range([1, None])
    query = sl.Query("present", present, takes_missing=True)
    for options in ({}, {"order": "any"}, {"order": "kept"}):
        assert audited(query, 0, 2, universe=universe, **options).worst.exact == 1


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
        'Held against all pairs from Universe.value_range([0, 1, 2, 3]); "exact"',
        'and "loose" speak of these.',
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
    calls = []

    def restless(dataset):
        calls.append(dataset)
        return len(calls)

    report = sl.audit(restless, 1, DIGITS, size=1, relations=ONE_CHANGED)
    assert not report.check()


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
        ({"claim": lambda k, n: -n}, ValueError, ["claim at k=1, size=2", "-2"]),
        ({"claim": lambda k, n: 1 / (n - 2)}, ValueError, ["claim failed at k=1, size=2", "Zero"]),
        ({"claim": lambda k: None}, TypeError, ["claim at k=1", "None"]),
        ({"universe": [1]}, TypeError, ["universe must be", "[1]"]),
        ({"size": []}, ValueError, ["size must not be empty"]),
        ({"size": -1}, ValueError, ["size", "-1"]),
        ({"size": 1.5}, ValueError, ["size", "1.5"]),
        ({"size": "2"}, TypeError, ["size", "'2'"]),
        ({"size": 0}, ValueError, ["no row is feasible", "needs 1"]),
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
    options = {"function": never, "claim": 1, "universe": DIGITS, "size": 2,
               "relations": ONE_CHANGED}  # fmt: skip
    options |= changed
    with refused(error, *words):
        sl.audit(options.pop("function"), options.pop("claim"), options.pop("universe"), **options)


def test_a_function_that_fails_says_where():
    """Catches a failure inside an audit that does not name its dataset."""
    for options in ({}, {"order": "any"}, {"output_metric": abs}, {"method": "search"}):
        with refused(ValueError, "never", "dataset (", "AssertionError"):
            sl.audit(never, 1, DIGITS, size=1, relations=ONE_CHANGED, **options)


def test_answers_of_two_shapes_are_refused():
    """Catches vectors of different lengths that are compared entry by entry."""
    with refused(ValueError, "one shape"):
        sl.audit(lambda s: s[: s[0]], 1, DIGITS, size=2, relations=ONE_CHANGED, order="any")


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"function": 3}, TypeError, ["function must be", "3"]),
        ({"inputs": []}, ValueError, ["inputs must not be empty"]),
        ({"distances": []}, ValueError, ["distances must not be empty"]),
        ({"distances": [-1]}, ValueError, ["distances", "-1"]),
        ({"input_metric": 1}, TypeError, ["input_metric", "1"]),
        ({"output_metric": None}, TypeError, ["output_metric", "None"]),
        ({"claim": math.nan}, ValueError, ["claim", "nan"]),
        ({"claim": lambda d: -d}, ValueError, ["claim at distance=1", "-1"]),
        ({"max_pairs": 100}, ValueError, ["190 pairs", "limit of 100"]),
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
            sl.audit(first, 1, DIGITS, size=1, relations=ONE_CHANGED, output_metric=metric)


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
