"""What a result holds, and what happens on the way to it."""

import copy
import dataclasses
import decimal
import math
import pickle
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from itertools import product

import numpy as np
import pandas as pd
import pytest
from conftest import ABSENCES, METHODS, smallest_size
from sensitivity_book.theory.gradient import discrete_gradient

import sensitivity_lab as sl
from sensitivity_lab import definition as oracle
from sensitivity_lab.methods.lattice import Lattice
from sensitivity_lab.numbers.gap import arithmetics

DRIVING = sl.Universe.value_range([1, 2, 3])


@pytest.mark.parametrize("method", METHODS)
def test_the_first_example(method):
    """Catches any change to the example that the whole book starts from."""
    r = sl.global_sensitivity(sl.MEAN, ABSENCES, size=6, relation=sl.Change(1), method=method)
    assert r.value == Fraction(19, 6)
    assert float(r) == 19 / 6
    dataset, neighbour = r.witness
    assert (dataset, neighbour) == ((1, 2, 3, 4, 5, 6), (2, 3, 4, 5, 6, 20))
    assert r.check()
    assert r.method == ("walk" if method == "walk" else r.method)
    assert (r.query, r.relation, r.universe) == (sl.MEAN, sl.Change(1), ABSENCES)
    assert (r.size, r.norm, r.infeasible) == (6, 1, ())


@pytest.mark.parametrize(
    ("relation", "datasets"),
    [
        (sl.Change(1), math.comb(10, 6)),
        (sl.Add(1), math.comb(10, 6) + math.comb(10, 7)),
        (sl.AddRemove(2), math.comb(10, 4) + math.comb(10, 6) + math.comb(10, 8)),
        (sl.SymmetricDifference(2), sum(math.comb(10, n) for n in range(4, 9))),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_each_dataset_is_answered_once(relation, datasets, method):
    """Catches a query that is asked twice about one dataset, and a count that is not the truth."""
    asked = []

    def total(x):
        asked.append(x)
        return sum(x)

    r = sl.global_sensitivity(total, ABSENCES, size=6, relation=relation, method=method)
    assert len(asked) == len(set(asked)) == r.datasets == datasets


def test_a_table_answers_a_dataset_once_for_all_relations():
    """Catches a table that asks anew for each relation, or disagrees with the single call."""
    asked = []

    def total(x):
        asked.append(x)
        return sum(x)

    relations = [sl.AddRemove(1), sl.AddRemove(2), sl.Change(1), sl.Change(2)]
    table = sl.sweep([total], {"days": ABSENCES}, size=6, relations=relations)
    assert len(asked) == len(set(asked)) == sum(math.comb(10, n) for n in range(4, 9))
    assert list(table.columns) == [
        "column", "query", "relation", "k", "sensitivity", "dataset", "neighbour", "method",
    ]  # fmt: skip
    for row in table.itertuples():
        r = sl.global_sensitivity(
            total, ABSENCES, size=6, relation=getattr(sl, row.relation)(row.k), method="walk"
        )
        assert (row.sensitivity, (row.dataset, row.neighbour)) == (r.value, r.witness)


class Unhashable:
    """A function that is equal to others of its kind, and so has no hash."""

    __name__ = "unhashable"

    def __init__(self):
        self.asked = []

    def __eq__(self, other):
        return isinstance(other, Unhashable)

    __hash__ = None

    def __call__(self, x):
        self.asked.append(x)
        return sum(x)


def test_a_table_builds_one_lattice_for_a_universe(monkeypatch):
    """Catches a lattice for each query or relation, and queries that are looked up by a hash.

    Universes that are equal share a lattice, which holds positions alone; each is asked for itself.
    """
    built = []
    build = Lattice.__init__

    def counted(lattice, copies, largest):
        built.append(largest)
        build(lattice, copies, largest)

    monkeypatch.setattr(Lattice, "__init__", counted)
    one, other = Unhashable(), Unhashable()
    columns = {name: sl.Universe.population([1, 2, 5, 11, 17, 17]) for name in "ab"}
    relations = [sl.Change(1), sl.AddRemove(1), sl.AddRemove(2)]
    table = sl.sweep([one, other], columns, size=3, relations=relations, method="sweep")
    assert built == [5]  # also by no other test: lattices of few values are kept
    assert [found.method for found in table.itertuples()] == ["sweep"] * 12
    asked = sum(columns["a"].count(size) for size in range(1, 6))
    assert len(one.asked) == len(other.asked) == 2 * asked


def test_a_table_names_what_is_infeasible():
    """Catches one infeasible row that takes the whole table down, or that shows a number."""
    table = sl.sweep(
        [sl.MEAN, sl.SUM],
        {"a": sl.Universe.population([1, 2, 4])},
        size=2,
        relations=[sl.Remove(2)],
    )
    assert table["sensitivity"].tolist() == [None, 6]
    assert table["method"][0] == "infeasible"


@pytest.mark.parametrize(
    ("query", "size", "relation", "named"),
    [
        (sl.MEAN, 1, sl.AddRemove(1), ["remove 1"]),
        (sl.SUM, 1, sl.AddRemove(1), []),
        (sl.variance(ddof=1), 2, sl.AddRemove(1), ["remove 1"]),
        (sl.MEAN, 9, sl.AddRemove(2), ["add 2"]),
        (sl.MEAN, 10, sl.SymmetricDifference(1), ["add 1"]),
        (sl.MEAN, 10, sl.Change(2), ["change 1", "change 2"]),
        (sl.MEAN, 6, sl.Change(1), []),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_infeasible_directions_are_named(query, size, relation, named, method):
    """Catches a direction that is dropped in silence."""
    r = sl.global_sensitivity(query, ABSENCES, size=size, relation=relation, method=method)
    assert len(r.infeasible) == len(named)
    for text, expected in zip(r.infeasible, named, strict=True):
        assert expected in text
    for text in named:
        assert text in r._repr_html_()


def test_at_most_relations_accept_any_k():
    """Catches an at-most relation that is refused because its largest step is not possible."""
    universe = sl.Universe.population([1, 2, 4])
    assert sl.global_sensitivity(sl.MEAN, universe, size=3, relation=sl.Change(9)).value == 0
    r = sl.global_sensitivity(sl.MEAN, universe, size=2, relation=sl.SymmetricDifference(99))
    assert r.value == Fraction(5, 2)  # (1, 2) and (4,)


@pytest.mark.parametrize("method", METHODS)
def test_size_as_a_range_binds_both_sizes(method):
    """Catches a range that binds the dataset alone: with 3 records or more, one removal needs 4."""
    pinned = sl.global_sensitivity(
        sl.MEAN, DRIVING, size=3, relation=sl.SymmetricDifference(1), method=method
    )
    ranged = sl.global_sensitivity(
        sl.MEAN, DRIVING, size=range(3, 6), relation=sl.SymmetricDifference(1), method=method
    )
    assert (pinned.value, ranged.value) == (Fraction(2, 3), Fraction(2, 4))
    assert all(len(found) in range(3, 6) for found in ranged.witness)


@pytest.mark.parametrize("method", METHODS)
def test_sparse_ranges_are_sizes_too(method):
    """Catches a stepped range that is taken for all sizes between its ends."""
    r = sl.global_sensitivity(
        sl.COUNT, DRIVING, size=range(1, 6, 2), relation=sl.SymmetricDifference(3), method=method
    )
    assert r.value == 2
    with pytest.raises(ValueError, match="feasible"):
        sl.global_sensitivity(
            sl.COUNT, DRIVING, size=range(1, 6, 2), relation=sl.Add(1), method=method
        )


@pytest.mark.parametrize("method", METHODS)
def test_callables_get_the_callers_own_numbers(method):
    """Catches Fractions, or numpy scalars, handed to a function that was written for floats."""
    for values in ([0.5, 1.5, 2.5], [1, 2, 3], [Decimal("0.1"), Decimal("0.2"), Decimal(3)]):
        seen = set()

        def last(x, seen=seen):
            seen.update(map(type, x))
            assert isinstance(x, tuple)
            assert list(x) == sorted(x)
            return x[-1]

        r = sl.global_sensitivity(
            last, sl.Universe.population(values), size=2, relation=sl.Change(1), method=method
        )
        assert seen == {type(values[0])}
        assert type(r.value) is type(values[0])


@pytest.mark.parametrize("method", METHODS)
def test_a_callables_arithmetic_is_its_own(method):
    """Catches a float answer that is rounded again, or made a fraction."""
    universe = sl.Universe.population([0.1, 0.2, 0.7])
    r = sl.global_sensitivity(
        lambda x: float(np.sum(x)), universe, size=2, relation=sl.Change(1), method=method
    )
    assert r.value == (0.2 + 0.7) - (0.1 + 0.2)


@pytest.mark.parametrize("method", ["walk", "auto"])
def test_answers_in_two_arithmetics_are_compared_pair_by_pair(method):
    """Catches extremes that stand for all: 5/3 − 0.0 is rounded up, 5/3 − 0 is not."""
    universe = sl.Universe.population([-2, -1, 0, 2, 3])

    def thirds(x):
        return Fraction(sum(x)) / 3 if len(x) > 2 else float(sum(x)) / 7

    ask = {"size": 3, "relation": sl.SymmetricDifference(2)}
    r = sl.global_sensitivity(thirds, universe, **ask, method=method)
    assert (r.value, r.witness, r.method) == (5 / 3, ((0, 2, 3), (0,)), "walk")
    assert r.check()
    with pytest.raises(ValueError, match="scalars of one arithmetic"):
        sl.global_sensitivity(thirds, universe, **ask, method="sweep")


@pytest.mark.parametrize("method", ["walk", "auto"])
@pytest.mark.parametrize(
    "others", [Decimal("0.1"), 10**400, (1, Decimal("0.1")), (1, 10**400)], ids=lambda x: str(x)[:9]
)
def test_arithmetics_that_do_not_meet_are_refused(method, others):
    """Catches a bare TypeError or OverflowError from the depths."""
    own = (0, 0.5) if isinstance(others, tuple) else 0.5

    def either(x):
        return own if 0 in x else others

    with pytest.raises(ValueError, match=r"query must answer in one arithmetic, got .* and "):
        sl.global_sensitivity(
            either, sl.Universe.population([0, 1, 2]), size=1, relation=sl.Change(1), method=method
        )


@pytest.mark.parametrize("relation", [sl.Change(1), sl.Add(1)], ids=str)
def test_a_vector_whose_floats_come_late_is_walked(relation):
    """Catches a sweep in L1 whose sums of floats are ordered otherwise than the walk's."""

    def tenths(x):  # whole numbers on the first dataset, or on all of the first size
        whole = 0 in x if relation == sl.Change(1) else len(x) == 1
        return (0, 0, 0) if whole else tuple(x[-1] / 10 for _ in range(3))

    universe = sl.Universe.population([0, 1, 2, 3])
    ask = {"size": 1, "relation": relation}
    swept, walked = (
        sl.global_sensitivity(tenths, universe, **ask, method=method) for method in ("auto", "walk")
    )
    assert swept.method == "walk"
    assert (swept.value, swept.witness) == (walked.value, walked.witness)


@pytest.mark.parametrize("method", METHODS)
def test_a_whole_number_is_at_home_among_floats(method):
    """Catches a sweep that is refused to a float query with one special case."""
    universe = sl.Universe.population([0.5, 1.5, 4.0])
    r = sl.global_sensitivity(
        lambda x: 0 if len(x) > 1 else x[0], universe, size=1, relation=sl.Add(1), method=method
    )
    assert (r.value, r.method) == (4.0, "walk" if method == "walk" else "sweep")
    # 2⁵³ less −(2⁵³ − 1) is exact among ints, and rounded up among floats
    assert arithmetics([2**53, 0.5]) == {"exact", "float"}
    assert arithmetics([2**52, 0.5]) == {"float"}


def mean(x):
    return Fraction(sum(x), len(x))


def mean_or_zero(x):
    return mean(x) if x else 0


def mean_or_nan(x):
    return mean(x) if x else math.nan


def mean_or_none(x):
    return mean(x) if x else None


def numpy_mean(x):
    return float(np.mean(x))  # of nothing: NaN, and a warning


def sum_and_count(x):
    return (sum(x), len(x))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [0, 1, 2, range(3)], ids=str)
@pytest.mark.parametrize(
    "relation",
    [sl.Add(1), sl.Remove(1), sl.AddRemove(1), sl.SymmetricDifference(2), sl.Change(1)],
    ids=str,
)
@pytest.mark.parametrize("function", [mean, mean_or_zero, mean_or_nan, len, sum_and_count])
def test_the_empty_dataset_is_asked_about(function, relation, size, method):
    """Catches an empty neighbour that is skipped though the function answers, or asked though not."""
    universe = sl.Universe.population([-7, 2, 3])
    least = smallest_size(function)
    pairs = oracle.population_pairs([-7, 2, 3], size, type(relation).__name__, relation.k)
    expected = oracle.greatest(function, least, pairs)
    ask = {"size": size, "relation": relation, "method": method}
    if expected is None:
        with pytest.raises(ValueError, match="feasible"):
            sl.global_sensitivity(function, universe, **ask)
        return
    r = sl.global_sensitivity(function, universe, **ask)
    assert r.value == expected.value
    assert r.witness in expected.witnesses
    missed = any(not (x and y) for x, y in pairs) and least == 1
    assert bool(r.not_asked) == missed
    assert r.check()


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (mean, "mean raised ZeroDivisionError: Fraction(0, 0)"),
        (mean_or_nan, "mean_or_nan answered nan"),
        (mean_or_none, "mean_or_none answered None"),
        (numpy_mean, "numpy_mean answered nan"),
        (lambda x: 1 // len(x[:1]), "<lambda> raised ZeroDivisionError"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_what_is_not_asked_is_named(function, what):
    """Catches a direction dropped in silence, and a warning about a question that nobody asked."""
    ask = {"size": 1, "relation": sl.AddRemove(1)}
    for r in (
        sl.global_sensitivity(function, DRIVING, **ask),
        sl.local_sensitivity(function, (2,), DRIVING, relation=sl.AddRemove(1)),
    ):
        (text,) = r.not_asked
        assert text.startswith(f"remove 1: leaves 0 records, where {what}")
        assert r.infeasible == ()
        assert r.not_asked[0] in repr(r)
        assert "not asked" in r._repr_html_()
    with pytest.raises(ValueError, match=rf"no direction .*: remove 1: .*, where {what[:6]}"):
        sl.global_sensitivity(function, DRIVING, size=1, relation=sl.Remove(1))
    with pytest.raises(ValueError, match=rf"no direction .*: size 0: {what[:6]}"):
        sl.local_sensitivity(function, (), DRIVING, relation=sl.Add(1))


class OperationalError(Exception):
    """A lost connection, as every database module calls it (PEP 249)."""


def no_connection():
    try:
        raise OperationalError("server closed the connection")
    except OperationalError as error:
        raise ValueError("query failed") from error


def endless():
    return endless()


@pytest.mark.parametrize(
    "fail",
    [
        lambda: bytearray(2**62),
        lambda: (_ for _ in ()).throw(TimeoutError("no answer in time")),
        lambda: (_ for _ in ()).throw(ConnectionResetError("lost")),
        lambda: (_ for _ in ()).throw(RuntimeError("Query interrupted")),
        endless,
        no_connection,
    ],
    ids=["memory", "time", "connection", "interrupted", "recursion", "database"],
)
def test_a_machine_that_fails_on_the_empty_dataset_is_no_answer(fail):
    """Catches a direction that is left out, and a verdict without it, since memory or time ran out."""

    def total(dataset):
        return sum(dataset) if dataset else fail()

    ask = {"relation": sl.AddRemove(1)}
    for asked in (
        lambda: sl.global_sensitivity(total, DRIVING, size=1, **ask),
        lambda: sl.local_sensitivity(total, (2,), DRIVING, **ask),
        lambda: sl.audit(total, 100, DRIVING, sizes=1, relations=[sl.AddRemove(1)]),
    ):
        with pytest.raises(ValueError, match="query total failed on the empty dataset") as refused:
            asked()
        assert not isinstance(refused.value, sl.Infeasible)


def test_the_empty_dataset_is_tried_only_where_it_is_reached():
    """Catches a function that is called on nothing though no neighbour is empty, or with a size."""

    def guarded(x):
        assert x
        return x[0]

    for ask in (
        {"size": 2, "relation": sl.Remove(1)},
        {"size": range(1, 3), "relation": sl.Add(1)},
    ):
        assert sl.global_sensitivity(guarded, DRIVING, **ask).not_asked == ()
    first = sl.Query("first", guarded, smallest_size=1)
    r = sl.global_sensitivity(first, DRIVING, size=1, relation=sl.AddRemove(1))
    assert r.infeasible == ("remove 1: leaves 0 records, first needs at least 1",)
    assert r.not_asked == ()
    with pytest.raises(ValueError, match="answers of one shape"):
        sl.global_sensitivity(lambda x: x, DRIVING, size=1, relation=sl.Remove(1))


@pytest.mark.parametrize("method", METHODS)
def test_the_empty_dataset_counts_where_the_query_has_a_value(method):
    """Catches an empty dataset that is left out although a sum of nothing is 0."""
    universe = sl.Universe.population([-7, 2])
    ask = {"size": 1, "relation": sl.Remove(1), "method": method}
    r = sl.global_sensitivity(sl.SUM, universe, **ask)
    assert (r.value, r.witness) == (7, ((-7,), ()))
    zero = {"size": 0, "relation": sl.Add(2), "method": method}
    assert sl.global_sensitivity(sl.COUNT, universe, **zero).value == 2


MISSING = sl.Universe.population([1, 5, None])


@pytest.mark.parametrize("method", METHODS)
def test_missing_records_only_for_those_that_take_them(method):
    """Catches None handed to a function that cannot take it, or refused to one that can."""
    ask = {"size": 2, "relation": sl.Change(1), "method": method}
    known = sl.Query("known", lambda x: sum(v is not None for v in x), takes_missing=True)
    r = sl.global_sensitivity(known, MISSING, **ask)
    assert r.value == 1
    assert None in r.witness[0] + r.witness[1]
    assert r.check()
    for query in (sl.MEAN, lambda x: len(x)):
        with pytest.raises((ValueError, TypeError), match=r"None|missing"):
            sl.global_sensitivity(query, MISSING, **ask)
        with pytest.raises((ValueError, TypeError), match=r"None|missing"):
            sl.local_sensitivity(query, (1, 5), MISSING, relation=sl.Change(1))


@pytest.mark.parametrize("method", METHODS)
def test_max_datasets_is_asked_first(method):
    """Catches a run that starts and cannot end; the text says how many and what to do."""
    calls = []
    universe = sl.Universe.population(range(60))
    with pytest.raises(ValueError, match=r"[\d,]{5,}.*max_datasets"):
        sl.global_sensitivity(calls.append, universe, size=30, relation=sl.Change(1), method=method)
    with pytest.raises(ValueError, match=r"max_datasets"):
        sl.global_sensitivity(
            calls.append, ABSENCES, size=6, relation=sl.Change(1), max_datasets=209, method=method
        )
    assert not calls
    r = sl.global_sensitivity(
        sl.MEAN, ABSENCES, size=6, relation=sl.Change(1), max_datasets=210, method="sweep"
    )
    assert r.datasets == 210


def test_max_datasets_binds_local_sensitivity():
    """Catches a local sensitivity that starts on 10¹³ neighbours."""
    with pytest.raises(ValueError, match="max_datasets"):
        sl.local_sensitivity(
            max, range(30), sl.Universe.population(range(60)), relation=sl.Change(10)
        )


def test_check_finds_a_false_witness():
    """Catches a check that always says yes."""
    r = sl.global_sensitivity(sl.MEAN, ABSENCES, size=6, relation=sl.Change(1))
    other = ((1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5, 7))
    far = ((1, 2, 3, 4, 5, 6), (3, 4, 5, 6, 15, 20))
    assert r.check()
    assert not dataclasses.replace(r, value=Fraction(10, 3)).check()
    assert not dataclasses.replace(r, witness=other).check()
    assert not dataclasses.replace(r, witness=far, value=sl.MEAN(far[1]) - sl.MEAN(far[0])).check()


def test_check_on_roots_and_norms():
    """Catches a check that compares squares with roots, or in the wrong norm."""
    r = sl.global_sensitivity(sl.STD, ABSENCES, size=6, relation=sl.AddRemove(2))
    assert r.check()
    histogram = sl.histogram([0, 5, 10, 25])
    for norm in (1, 2, math.inf):
        r = sl.global_sensitivity(histogram, ABSENCES, size=6, relation=sl.Change(1), norm=norm)
        assert r.check()
        assert r.value == {1: 2, 2: math.sqrt(2), math.inf: 1}[norm]


@pytest.mark.parametrize(
    "query",
    [sl.MEAN, sl.COUNT, sl.STD, sl.MEDIAN, sl.VARIANCE, sl.quantile(0.25), sl.std(ddof=1), sl.MIN,
     sl.quantile(Fraction(1, 3)), sl.histogram([0, 1, 2]), sl.histogram([0, Fraction(1, 2), 2]), sl.count_distinct],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize(
    "values", [[0, 1, 2], [0.5, 0.1, 1], [Fraction(1, 3), 1, 2], [Decimal("0.1"), Decimal(2), Decimal(3)]],
    ids=str,
)  # fmt: skip
def test_snippet_runs_and_proves_the_value(query, values, capsys):
    """Catches a snippet that lacks an import, or prints something else than it claims."""
    r = sl.global_sensitivity(
        query, sl.Universe.value_range(values), size=2, relation=sl.SymmetricDifference(2)
    )
    names = {}
    exec(str(r.snippet()), names)
    capsys.readouterr()
    a, b = names["query"](names["dataset"]), names["query"](names["neighbour"])
    if isinstance(a, tuple):
        assert sum(abs(x - y) for x, y in zip(a, b, strict=True)) == r.value
    else:
        assert float(abs(a - b)) == pytest.approx(float(r), rel=1e-15)
    assert repr(r.snippet()) == str(r.snippet())
    assert str(r.value) in r.snippet()


def test_snippet_of_a_callable_says_where_it_goes():
    """Catches a snippet that cannot be completed by filling in the one marked line."""

    def spread(x):
        return x[-1] - x[0]

    snippet = sl.global_sensitivity(spread, DRIVING, size=2, relation=sl.Change(1)).snippet()
    assert "spread" in snippet
    lines = snippet.splitlines()
    place = next(i for i, line in enumerate(lines) if line.startswith("#") and "spread" in line)
    filled = "\n".join([*lines[:place], "query = lambda x: x[-1] - x[0]", *lines[place + 1 :]])
    exec(filled, {})


class Share(Fraction):
    """A kind of number that is neither Python's nor numpy's."""

    def __repr__(self):
        return f"Share({self.numerator}, {self.denominator})"


class Swap(sl.Relation):
    """A relation of a user's own."""

    at_most, phrase, moves = True, "swapped", ((0, 0), (1, 1))


@pytest.mark.parametrize("exact", [True, False])
def test_snippet_knows_a_standard_query_by_more_than_its_name(exact):
    """Catches a snippet that disproves itself: another's function under a standard name."""
    first = sl.Query("mean", lambda x: x[0], exact=exact)
    snippet = sl.global_sensitivity(first, ABSENCES, size=2, relation=sl.Change(1)).snippet()
    assert "sl.MEAN" not in snippet
    assert "# define query here: mean" in snippet


def test_snippet_says_where_other_parts_come_from():
    """Catches a snippet whose numbers or relation are no names where it is pasted."""
    shares = sl.Universe.value_range([Share(1, 2), Share(1, 3), np.float32(0.1)])
    r = sl.global_sensitivity(sl.quantile(0.25), shares, size=2, relation=Swap(1))
    assert f"from {__name__} import Share\n" in r.snippet()
    place = "# define Swap here"
    assert place in r.snippet()
    exec(str(r.snippet()).replace(place, f"from {__name__} import Swap"), {})


def results():
    """A result of every kind, made anew."""
    people = sl.Universe.population([0, 1, 2, 10], name="people")
    long = sl.Universe.population(np.arange(5000) / 2)
    short = sl.Universe.value_range([0, 0.5, 1])
    one = sl.Change(1)
    standard = [
        sl.COUNT, sl.SUM, sl.MEAN, sl.MEDIAN, sl.MIN, sl.MAX, sl.VARIANCE, sl.STD, sl.count_distinct,
        sl.quantile(0.1), sl.variance(ddof=1), sl.std(ddof=1), sl.histogram([0, 5, 10]), sl.count_where(bool),
    ]  # fmt: skip
    smoothed = [sl.COUNT, sl.SUM, sl.MEAN, sl.MEDIAN, sl.MIN, sl.MAX, sl.VARIANCE, sl.quantile(0.1)]
    return [
        *(sl.global_sensitivity(query, people, size=3, relation=one) for query in standard),
        *(sl.local_sensitivity(query, (0, 1, 2), people, relation=one) for query in standard),
        sl.global_sensitivity(sl.MEAN, long, size=2500, relation=one, method="solver"),
        sl.global_sensitivity(sl.count_where(bool), long, size=2500, relation=one, method="solver"),
        sl.global_sensitivity(sl.MEAN, short, size=10**12, relation=sl.AddRemove(1), method="solver"),
        *(sl.smooth_sensitivity(q, [0.5, 1, 3], bounds=(0, 4), beta=1) for q in smoothed),
        *(sl.closed_form(query, bounds=(0, 1), size=3, relation=one) for query in standard),
        *(discrete_gradient(query, (0, 1, 2), people) for query in standard),
        *(kind(2) for kind in (sl.Add, sl.Remove, sl.AddRemove, sl.SymmetricDifference, sl.Change)),
        people, short, sl.Query("own", max), *standard,
    ]  # fmt: skip


def test_results_travel_and_are_equal_by_content():
    """Catches a result that no pool takes, that differs from itself asked again, or has no hash."""
    for found, again in zip(results(), results(), strict=True):
        for other in (again, pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
            assert other == found, found
            assert hash(other) == hash(found), found
        if hasattr(found, "witness") and found.witness and isinstance(found, sl.Sensitivity):
            assert found == dataclasses.replace(found, witness=found.witness)
            assert found != dataclasses.replace(found, value=found.value + 1)


def test_results_that_differ_are_not_equal():
    """Catches equality that looks at a part: the smooth sensitivity of another dataset."""
    ask = {"bounds": (0, 4), "beta": 1}
    assert sl.smooth_sensitivity(sl.COUNT, [1, 2], **ask) != sl.smooth_sensitivity(
        sl.COUNT, [1, 3], **ask
    )
    long = sl.Universe.population(range(5000))
    ask = {"size": 2500, "relation": sl.Change(1), "method": "solver"}
    mean, lowest = (
        sl.global_sensitivity(query, long, **ask).witness for query in (sl.MEAN, sl.MIN)
    )
    assert mean != lowest
    assert mean == tuple(mean)
    assert hash(mean) == hash(tuple(mean))


def test_a_witness_too_long_to_build_is_refused():
    """Catches memory that runs out where a result of a million million records is looked at."""
    bits = sl.Universe.value_range([0, 1])
    found = sl.global_sensitivity(
        sl.MEAN, bits, size=10**12, relation=sl.Change(1), method="solver"
    )
    assert found.value == Fraction(1, 10**12)
    reason = "built up to 20,000,000 records, got 1,000,000,000,000; its `removed` and `added` show"
    for look in (found.check, found.snippet, lambda: found.witness[0], lambda: list(found.witness)):
        with pytest.raises(ValueError, match=reason):
            look()
    with pytest.raises(ValueError, match="records, got 999,999,999,999; its"):
        _ = found.witness.common
    assert {found.witness.removed, found.witness.added} == {(0,), (1,)}
    assert "1,000,000,000,000 records" in repr(found)
    assert "(1)" in found._repr_html_()


@pytest.mark.parametrize(
    "query", [sl.MEAN, sl.STD, sl.histogram([0, 0.5, 900]), sl.count_where(bool)], ids=str
)
def test_check_of_a_long_witness(query):
    """Catches a check that is quick because it believes: a value, a pair or a record may be false."""
    universe = sl.Universe.population(np.arange(4000) / 4)
    ask = {"relation": sl.Change(1), "method": "solver"}
    local = sl.local_sensitivity(query, universe.values[:2000], universe, **ask)
    for found in (sl.global_sensitivity(query, universe, size=2000, **ask), local):
        assert found.check()
        assert not dataclasses.replace(found, value=found.value + 1).check()
        assert not dataclasses.replace(found, witness=(found.witness[0],) * 2).check()
        dataset, neighbour = found.witness
        apart = tuple(sorted(set(universe.values) - set(dataset)))
        assert not dataclasses.replace(found, witness=(dataset, apart)).check()
        with pytest.raises(ValueError, match=r"values of the universe, got 0\.1"):
            dataclasses.replace(found, witness=(dataset, (*neighbour[1:], 0.1))).check()


def test_the_repr_of_a_long_result_is_short():
    """Catches 1,200 records of each side in one line."""
    universe = sl.Universe.population(range(1300))
    shared = universe.values[:1200]
    ask = {"relation": sl.Add(1), "method": "walk"}
    found = sl.local_sensitivity(sl.MEAN, shared, universe, **ask)
    assert len(repr(found)) < 600
    assert "1,180 more" in repr(found)
    found = sl.global_sensitivity(
        sl.MEAN, universe, size=1200, relation=sl.Change(99), method="solver"
    )
    assert len(repr(found)) < 2000


def test_other_results_have_a_table_too():
    """Catches a smooth sensitivity or a closed form without a page of its own."""
    smooth = sl.smooth_sensitivity(sl.MEDIAN, (1, 2, 3, 4, 9), bounds=(0, 10), beta=1)._repr_html_()
    assert all(
        part in smooth for part in ("2.20728", "median", "6, at distance 1", "0, 10", "beta")
    )
    form = sl.closed_form(sl.MEAN, bounds=(0, 1), size=4, relation=sl.Change(1))._repr_html_()
    assert all(part in form for part in ("1/4 = 0.25 (exact)", "min(k, n)·R/n", "Proofs"))


def test_repr():
    """Catches a repr that hides the value, the witness or the question."""
    r = sl.global_sensitivity(sl.MEAN, ABSENCES, size=6, relation=sl.Change(1))
    for part in ("19, 6", "(2, 3, 4, 5, 6, 20)", "mean", "Change", r.method):
        assert part in repr(r)


def test_repr_html():
    """Catches a table that hides a fraction's size, or that lets a name break the page."""
    r = sl.global_sensitivity(
        sl.Query("<b>mean</b>", sl.MEAN), ABSENCES, size=6, relation=sl.AddRemove(5)
    )
    page = r._repr_html_()
    assert "<b>" not in page
    assert "&lt;b&gt;mean" in page
    assert "AddRemove(5)" in page
    assert "exactly" in page
    plain = sl.global_sensitivity(sl.MEAN, ABSENCES, size=6, relation=sl.Change(1))._repr_html_()
    for part in ("19/6", "3.167", "(2, 3, 4, 5, 6, 20)", "at most"):
        assert part in plain


def test_result_is_frozen():
    """Catches a result that can be edited after the fact."""
    r = sl.global_sensitivity(sl.MEAN, ABSENCES, size=6, relation=sl.Change(1))
    with pytest.raises(dataclasses.FrozenInstanceError):
        r.value = 0


@pytest.mark.parametrize("method", METHODS)
def test_numbers_out(method):
    """Catches an int that comes back as Fraction(1, 1), or a rational that comes back as a float."""
    ask = {"size": 2, "relation": sl.Change(1), "method": method}
    for query, kind in [
        (sl.SUM, int), (sl.MEAN, Fraction), (sl.COUNT, int), (sl.STD, float), (sl.VARIANCE, Fraction),
    ]:  # fmt: skip
        universe = sl.Universe.population([0, 1, 4])
        value = sl.global_sensitivity(query, universe, **ask).value
        assert type(value) is kind or (type(value) is int and value.denominator == 1), query
    whole = sl.global_sensitivity(sl.MEAN, sl.Universe.population([0, 2, 4]), **ask).value
    assert type(whole) is int


def test_std_is_correctly_rounded():
    """Catches a difference of two rounded roots: √(2/9) against √(8/9) and worse."""
    universe = sl.Universe.population([10**8 + n for n in (0, 1, 3, 7)])
    r = sl.global_sensitivity(sl.STD, universe, size=3, relation=sl.Change(1))
    a, b = (sl.VARIANCE(found) for found in r.witness)
    roots = [(Decimal(v.numerator) / Decimal(v.denominator)).sqrt() for v in (a, b)]
    assert r.value == float(abs(roots[0] - roots[1]))


def test_local_sensitivity_of_the_readme():
    """Catches any change to the second example, and a dataset that must be sorted first."""
    r = sl.local_sensitivity(sl.MEAN, (6, 5, 4, 3, 2, 1), ABSENCES, relation=sl.AddRemove(1))
    assert r.value == Fraction(33, 14)
    assert r.witness == ((1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5, 6, 20))
    assert r.check()


@pytest.mark.parametrize("workers", [1, 3])
def test_executor_gives_the_same_answer(workers):
    """Catches blocks that are lost, repeated or put together in another order."""

    def mad(x):
        middle = float(np.median(x))
        return float(np.median([abs(v - middle) for v in x]))

    ask = {"size": 6, "relation": sl.SymmetricDifference(2)}
    alone = sl.global_sensitivity(mad, ABSENCES, **ask)
    with ThreadPoolExecutor(workers) as pool:
        shared = sl.global_sensitivity(mad, ABSENCES, **ask, executor=pool)
    assert (alone.value, alone.witness) == (shared.value, shared.witness)


def test_progress_goes_to_stderr(capsys):
    """Catches a progress bar in a notebook's printed output, or one that nobody asked for."""
    for method in (*METHODS, "solver"):
        sl.global_sensitivity(sl.MEAN, ABSENCES, size=6, relation=sl.Change(1), method=method)
        assert capsys.readouterr() == ("", "")
        sl.global_sensitivity(
            sl.MEAN, ABSENCES, size=6, relation=sl.Change(1), method=method, progress=True
        )
        printed, progress = capsys.readouterr()
        assert printed == ""
        assert progress


# --- answers with labels -------------------------------------------------------------------

KINDS = {1: "odd", 2: "even", 3: "odd", 4: "even"}


def by_kind(x):
    """The sum of each kind, the largest first: the order of the labels is the dataset's."""
    sums = pd.Series({"odd": 0, "even": 0})
    for value in x:
        sums[KINDS[value]] += value
    return sums.sort_values(ascending=False, kind="stable")


def by_number(x):
    return by_kind(x).rename({"odd": 7, "even": 2.5})


def by_position(x):
    """Labels that are 0 and 1, in either order; the default labels where that is the order."""
    sums = by_kind(x).rename({"even": 0, "odd": 1})
    return sums if x[0] % 2 else pd.Series([sums[0], sums[1]])


def by_pair(x):
    sums = by_kind(x)
    return sums.set_axis(pd.MultiIndex.from_tuples([(name, 1) for name in sums.index]))


def by_label_or_none(x):
    return by_kind(x).rename({"odd": math.nan})


@pytest.mark.parametrize("function", [by_kind, by_number, by_position, by_pair, by_label_or_none])
@pytest.mark.parametrize("norm", [1, 2, math.inf])
def test_answers_are_compared_label_by_label(function, norm):
    """Catches labels that are dropped, on any route: 7 of one kind beside 7 of the other."""
    universe = sl.Universe.population(list(KINDS))
    ask = {"relation": sl.Change(1), "norm": norm}

    def plainly(x):
        return tuple(sum(v for v in x if KINDS[v] == kind) for kind in ("odd", "even"))

    expected = oracle.greatest(
        plainly, 0, oracle.population_pairs(list(KINDS), 2, "Change", 1), norm
    )
    for method in ("walk", "auto"):
        r = sl.global_sensitivity(function, universe, size=2, **ask, method=method)
        assert float(r) == pytest.approx(float(expected.value))
        assert r.witness in expected.witnesses
        assert r.check()
    local = sl.local_sensitivity(function, r.witness[0], universe, **ask)
    assert local.value == r.value
    if norm == 1:
        steps = discrete_gradient(function, (1, 2), universe)
        assert steps.norm(1) == 4
        row = sl.audit(
            function, 0, universe, sizes=2, relations=[sl.Change(1)], method="search", trials=50
        ).rows[0]
        assert row.found == r.value


def twice_the_same(x):
    return pd.Series([1, 2], index=["a", "a"])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("function", "words"),
    [
        (
            lambda x: by_kind(x) if 1 in x else list(by_kind(x)),
            r"labels \('even', 'odd'\) and a vect",
        ),
        (lambda x: by_kind(x) if 1 in x else 0, r"labels \('even', 'odd'\) and a number"),
        (twice_the_same, r"must label each number once: label 'a' comes twice on dataset"),
    ],
)
def test_labels_beside_none_are_refused(function, words, method):
    """Catches labels that are compared by position, within a size or between two."""
    ask = {"size": range(1, 3), "relation": sl.AddRemove(1), "method": method}
    with pytest.raises((ValueError, TypeError), match=words):
        sl.global_sensitivity(function, sl.Universe.population([1, 2, 3]), **ask)
    pairs = {"sizes": [1, 2], "relations": [sl.SymmetricDifference(2)]}
    for route in ({"method": "search", "trials": 50}, {"order": "any"}):
        with pytest.raises((ValueError, TypeError), match=r"one shape|label|vector"):
            sl.audit(function, 0, sl.Universe.population([1, 2, 3]), **pairs, **route)


def test_what_a_sweep_passes_on_its_way_is_counted():
    """Catches half a minute for a proved number: few datasets at both ends, many between them."""
    universe = sl.Universe.value_range([-2, 0, 4, 9])
    found = sl.global_sensitivity(sl.MEAN, universe, size=4, relation=sl.Add(116))
    assert (found.value, found.method) == (Fraction(319, 30), "solver")


def test_few_datasets_of_many_records():
    """Catches a step of NumPy for every place of one, and an hour to count the pairs of a walk."""
    one, ask = sl.Universe.value_range([7]), {"size": 250_000, "relation": sl.Remove(2)}
    assert sl.global_sensitivity(sl.MAX, one, **ask).method == "solver"
    with pytest.raises(ValueError, match="steps to count the pairs to walk exceed the limit"):
        sl.global_sensitivity(len, one, **ask, method="walk")


# -- Decimals are subtracted exactly ---------------------------------------------------------------

LONG = {
    "30 digits": ["1" * 30 + ".00", "0.00"],
    "38 digits": ["9" * 38, "-" + "9" * 38, "0." + "1" * 37],
    "far exponents": ["1E+400", "-3.00000000000000000000000000000000001", "1E-400", "0E-9999"],
}
WIDE = decimal.Context(prec=2000)
LONG_ANSWERS = {
    "number": lambda x: reduce(WIDE.add, x),
    "vector": lambda x: (reduce(WIDE.add, x), WIDE.minus(x[0])),
    "keyed": lambda x: {str(record): record for record in x},
}


def fractions_apart(a, b, norm):
    """The distance of two answers in Fractions, key by key."""
    a, b = (
        dict(enumerate(each)) if isinstance(each, tuple) else each if isinstance(each, dict) else {0: each}
        for each in (a, b)
    )  # fmt: skip
    steps = [abs(Fraction(a.get(key, 0)) - Fraction(b.get(key, 0))) for key in {*a, *b}]
    return max(steps) if norm == math.inf else sum(steps)


@pytest.mark.parametrize("norm", [1, math.inf])
@pytest.mark.parametrize("answer", LONG_ANSWERS)
@pytest.mark.parametrize("values", LONG)
@pytest.mark.parametrize("prec", [5, 28])
def test_decimals_are_subtracted_exactly(prec, values, answer, norm):
    """Catches a gap that is rounded to the caller's Decimal context, and may fall below the truth."""
    records, function = sorted(map(Decimal, LONG[values])), LONG_ANSWERS[answer]
    universe = sl.Universe.value_range(records)
    right = max(
        fractions_apart(function(tuple(sorted((a, b)))), function(tuple(sorted((a, c)))), norm)
        for a, b, c in product(records, repeat=3)
    )
    for method in ("auto", "walk"):
        with decimal.localcontext(prec=prec):
            ask = {"relation": sl.Change(1), "norm": norm, "method": method}
            found = sl.global_sensitivity(function, universe, size=2, **ask)
            assert found.check()
            audited = sl.audit(
                function, found.value, universe, sizes=[2], relations=[sl.Change(1)], norm=norm
            )
        assert Fraction(found.value) == right
        assert isinstance(found.value, Decimal)
        assert audited.headline == "exact"
        assert audited.worst.found == found.value


def test_roots_and_steps_of_decimals_are_exact():
    """Catches an L2 gap, or a step of a gradient, that is rounded to the caller's context."""
    big = Decimal("1" * 30)
    universe = sl.Universe.value_range([Decimal(0), big])
    with decimal.localcontext(prec=5):
        pair = sl.global_sensitivity(
            lambda x: (x[0], x[0]), universe, size=1, relation=sl.Change(1), norm=2
        )
        steps = discrete_gradient(lambda x: max(x, default=Decimal(0)), (), universe)
    assert pair.value == float(Fraction(2 * int(big) ** 2)) ** 0.5
    assert steps.forward == (0, big)


def test_decimals_beyond_a_million_digits_are_refused():
    """Catches an answer whose digits are dropped where even the widest arithmetic ends."""
    universe = sl.Universe.value_range([0, 1])
    tiny = Decimal((0, (1,) * 1_000_001, -1_000_000))
    with pytest.raises(ValueError, match="whose distance its own numbers can hold"):
        sl.global_sensitivity(
            lambda x: tiny if x[0] else Decimal(10), universe, size=1, relation=sl.Change(1)
        )


def test_long_doubles_are_read_exactly():
    """Catches an answer of numpy's longdouble that is rounded to a float without a word."""
    step = np.finfo(np.longdouble).eps
    found = sl.global_sensitivity(
        lambda x: np.longdouble(1) + step * x[0],
        sl.Universe.population([0, 1]),
        size=1,
        relation=sl.Change(1),
    )
    assert found.value == Fraction(*step.as_integer_ratio()) > 0


def test_a_result_says_for_which_sizes_it_is():
    """Catches the number of one size given for all, where records come and go."""
    school = sl.Universe.population([1, 2, 3, 10])

    def said(size, relation):
        return repr(sl.global_sensitivity(sl.MEAN, school, size=size, relation=relation))

    assert said(3, sl.AddRemove(1)).endswith("relation=AddRemove(1), for a public size 3)")
    assert said(3, sl.SymmetricDifference(1)).endswith("for a public size 3)")
    assert said(3, sl.Change(1)).endswith("relation=Change(1))")
    assert said(range(1, 5), sl.Add(1)).endswith("for datasets of 1 to 4 records)")
    assert said(range(3, 4), sl.Change(1)).endswith("for datasets of 3 records)")
    assert said(range(1, 4, 2), sl.Add(2)).endswith(
        "for datasets of 1 to 3, in steps of 2, records)"
    )
    at_one = sl.local_sensitivity(sl.MEAN, (1, 2), school, relation=sl.AddRemove(1))
    assert repr(at_one).endswith("relation=AddRemove(1))")
    card = sl.global_sensitivity(sl.MEAN, school, size=3, relation=sl.AddRemove(1))._repr_html_()
    assert "a public size 3; if it is not public, ask for all: size=range(…)" in card
