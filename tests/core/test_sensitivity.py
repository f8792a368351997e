"""What a result holds, and what happens on the way to it."""

import decimal
import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from functools import partial, reduce
from itertools import count, product

import numpy as np
import pytest
from conftest import ABSENCES, METHODS, STANDARD, smallest_size
from routes import CHECKED, checks_find_what_is_false, travels

import sensitivity_lab as sl
from sensitivity_lab import definition as oracle
from sensitivity_lab import problem
from sensitivity_lab.methods import walk
from sensitivity_lab.numbers.gap import arithmetics

DRIVING = sl.Universe.value_range([1, 2, 3])
ONE = sl.Change(1)
BY_EACH = pytest.mark.parametrize("method", METHODS)


def asked(query, universe, size, relation=ONE, **options):
    return sl.global_sensitivity(query, universe, size=size, relation=relation, **options)


def listening(asked):
    """The sum of a dataset, which is noted."""

    def total(x):
        asked.append(x)
        return sum(x)

    return total


@pytest.mark.parametrize(
    ("relation", "sizes"),
    [
        (ONE, [6]),
        (sl.Add(1), [6, 7]),
        (sl.AddRemove(2), [4, 6, 8]),
        (sl.SymmetricDifference(2), range(4, 9)),
    ],
)
@BY_EACH
def test_each_dataset_is_answered_once(relation, sizes, method):
    """Catches a query that is asked twice about one dataset, and a count that is not the truth."""
    told = []
    r = asked(listening(told), ABSENCES, 6, relation, method=method)
    assert told[-2:] == list(r.witness)  # asked again: noise would answer otherwise
    assert len(told) - 2 == len(set(told)) == r.datasets == sum(math.comb(10, n) for n in sizes)


@pytest.mark.parametrize(
    ("query", "size", "relation", "named"),
    [
        (sl.MEAN, 6, ONE, []), (sl.SUM, 1, sl.AddRemove(1), []),
        (sl.MEAN, 1, sl.AddRemove(1), ["remove 1"]),
        (sl.variance(ddof=1), 2, sl.AddRemove(1), ["remove 1"]),
        (sl.MEAN, 9, sl.AddRemove(2), ["add 2"]),
        (sl.MEAN, 10, sl.SymmetricDifference(1), ["add 1"]),
        (sl.MEAN, 10, sl.Change(2), ["change 1", "change 2"]),
    ],
)  # fmt: skip
@BY_EACH
def test_infeasible_directions_are_named(query, size, relation, named, method):
    """Catches a direction that is dropped in silence."""
    r = asked(query, ABSENCES, size, relation, method=method)
    assert [text.split(":")[0] for text in r.infeasible] == named
    assert all(text in r._repr_html_() for text in named)


@BY_EACH
def test_sparse_ranges_are_sizes_too(method):
    """Catches a stepped range that is taken for all sizes between its ends."""
    odd = range(1, 6, 2)
    for ask in (
        partial(asked, sl.COUNT, DRIVING, odd, method=method),
        partial(sl.closed_form, sl.COUNT, bounds=(1, 3), size=odd),
    ):
        assert ask(relation=sl.SymmetricDifference(3)).value == 2
        with pytest.raises(ValueError, match="feasible"):
            ask(relation=sl.Add(1))


@BY_EACH
@pytest.mark.parametrize("values", [[0.5, 1.5, 2.5], [1, 2, 3], [*map(Decimal, ("0.1", "0.2", 3))]])
def test_callables_get_the_callers_own_numbers(values, method):
    """Catches Fractions, or numpy scalars, handed to a function that was written for floats."""
    seen = set()

    def last(x):
        seen.update(map(type, x))
        assert isinstance(x, tuple)
        assert list(x) == sorted(x)
        return x[-1]

    r = asked(last, sl.Universe.population(values), 2, method=method)
    assert seen == {type(values[0])}
    assert type(r.value) is (Fraction if seen == {Decimal} else type(values[0]))


@pytest.mark.parametrize("method", ["walk", "auto"])
@pytest.mark.parametrize("others", [10**400, (1, 10**400)], ids=lambda x: str(x)[:9])
def test_arithmetics_that_do_not_meet_are_refused(method, others):
    """Catches a bare TypeError or OverflowError from the depths."""
    own = (0, 0.5) if isinstance(others, tuple) else 0.5
    universe = sl.Universe.population([0, 1, 2])
    with pytest.raises(ValueError, match=r"query must answer in one arithmetic, got .* and "):
        asked(lambda x: own if 0 in x else others, universe, 1, method=method)
    with pytest.raises(ValueError, match="scalars of one arithmetic"):  # which the walk compares
        asked(lambda x: Fraction(1, 3) if 0 in x else 0.5, universe, 1, method="sweep")


@pytest.mark.parametrize("relation", [ONE, sl.Add(1)], ids=str)
def test_a_vector_whose_floats_come_late_is_walked(relation):
    """Catches a sweep in L1 whose sums of floats are ordered otherwise than the walk's."""

    def tenths(x):  # whole numbers on the first dataset, or on all of the first size
        whole = 0 in x if relation == ONE else len(x) == 1
        return (0, 0, 0) if whole else tuple(x[-1] / 10 for _ in range(3))

    universe = sl.Universe.population([0, 1, 2, 3])
    swept, walked = (asked(tenths, universe, 1, relation, method=m) for m in ("auto", "walk"))
    assert (swept.method, swept.value, swept.witness) == ("walk", walked.value, walked.witness)


@BY_EACH
def test_a_whole_number_is_at_home_among_floats(method):
    """Catches a sweep that is refused to a float query with one special case."""
    universe = sl.Universe.population([0.5, 1.5, 4.0])
    r = asked(lambda x: 0 if len(x) > 1 else x[0], universe, 1, sl.Add(1), method=method)
    assert (r.value, r.method) == (4.0, "walk" if method == "walk" else "sweep")
    # 2⁵³ less −(2⁵³ − 1) is exact among ints, and rounded up among floats
    assert arithmetics([2**53, 0.5]) == {"exact", "float"}
    assert arithmetics([2**52, 0.5]) == {"float"}


@BY_EACH
def test_numbers_out(method):
    """Catches an int that comes back as Fraction(1, 1), a rational as a float."""
    kinds = {sl.SUM: {int}, sl.COUNT: {int}, sl.STD: {float}}
    for query in (sl.SUM, sl.MEAN, sl.COUNT, sl.STD, sl.VARIANCE):
        value = asked(query, sl.Universe.population([0, 1, 4]), 2, method=method).value
        assert type(value) in kinds.get(query, {int, Fraction}), query
    whole = asked(sl.MEAN, sl.Universe.population([0, 2, 4]), 2, method=method).value
    assert type(whole) is int


# -- the empty dataset -----------------------------------------------------------------------------


def mean(x):
    return Fraction(sum(x), len(x))


def mean_or(empty):
    """A mean with an answer of its own on the empty dataset."""
    answer = lambda x: mean(x) if x else empty  # noqa: E731
    answer.__name__ = f"mean_or_{empty}"
    return answer


@BY_EACH
@pytest.mark.parametrize("size", [0, 1, 2, range(3)], ids=str)
@pytest.mark.parametrize(
    "relation", [kind(1 + (kind is sl.SymmetricDifference)) for kind in STANDARD], ids=str
)
@pytest.mark.parametrize(
    "function", [mean, mean_or(0), mean_or(math.nan), len, lambda x: (sum(x), len(x))]
)
def test_the_empty_dataset_is_asked_about(function, relation, size, method):
    """Catches an empty neighbour skipped though the function answers, or asked though not."""
    universe = sl.Universe.population([-7, 2, 3])
    least = smallest_size(function)
    pairs = oracle.population_pairs([-7, 2, 3], size, relation.kind, relation.k)
    expected = oracle.greatest(function, least, pairs)
    if expected is None:
        with pytest.raises(ValueError, match="feasible"):
            asked(function, universe, size, relation, method=method)
        return
    r = asked(function, universe, size, relation, method=method)
    assert r.value == expected.value
    assert r.witness in expected.witnesses
    assert r.check()
    assert bool(r.not_asked) == (any(not (x and y) for x, y in pairs) and least == 1)


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (mean, "mean raised ZeroDivisionError: Fraction(0, 0)"),
        (mean_or(math.nan), "mean_or_nan answered nan"),
        (mean_or(None), "mean_or_None answered None"),
        (lambda x: float(np.mean(x)), "<lambda> answered nan"),  # and a warning
        (lambda x: 1 // len(x[:1]), "<lambda> raised ZeroDivisionError"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_what_is_not_asked_is_named(function, what):
    """Catches a direction dropped in silence, and a warning about a question that nobody asked."""
    local = partial(sl.local_sensitivity, function, universe=DRIVING)
    for r in (asked(function, DRIVING, 1, sl.AddRemove(1)), local((2,), relation=sl.AddRemove(1))):
        (text,) = r.not_asked
        assert text.startswith(f"remove 1: leaves 0 records, where {what}")
        assert r.infeasible == ()
        assert text in repr(r)
        assert "not asked" in r._repr_html_()
    with pytest.raises(ValueError, match=rf"no direction .*: remove 1: .*, where {what[:6]}"):
        asked(function, DRIVING, 1, sl.Remove(1))
    with pytest.raises(ValueError, match=rf"no direction .*: size 0: {what[:6]}"):
        local((), relation=sl.Add(1))


class OperationalError(Exception):
    """A lost connection, as every database module calls it (PEP 249)."""


def endless():
    return endless()


def failing(error, cause=None):
    def fail():
        raise error from cause

    return fail


@pytest.mark.parametrize(
    "fail",
    [
        lambda: bytearray(2**62),
        failing(TimeoutError("no answer in time")),
        failing(ConnectionResetError("lost")),
        failing(RuntimeError("Query interrupted")),
        endless,
        failing(ValueError("query failed"), OperationalError("server closed the connection")),
    ],
    ids=["memory", "time", "connection", "interrupted", "recursion", "database"],
)
def test_a_machine_that_fails_on_the_empty_dataset_is_no_answer(fail):
    """Catches a direction left out, since memory or time ran out."""

    def total(dataset):
        return sum(dataset) if dataset else fail()

    for ask in (
        lambda: asked(total, DRIVING, 1, sl.AddRemove(1)),
        lambda: sl.local_sensitivity(total, (2,), DRIVING, relation=sl.AddRemove(1)),
    ):
        with pytest.raises(ValueError, match="query total failed on the empty dataset") as refused:
            ask()
        assert not isinstance(refused.value, sl.Infeasible)


def test_the_empty_dataset_is_tried_only_where_it_is_reached():
    """Catches a function that is called on nothing though no neighbour is empty, or with a size."""

    def guarded(x):
        assert x
        return x[0]

    assert asked(guarded, DRIVING, 2, sl.Remove(1)).not_asked == ()
    assert asked(guarded, DRIVING, range(1, 3), sl.Add(1)).not_asked == ()
    r = asked(sl.Query("first", guarded, smallest_size=1), DRIVING, 1, sl.AddRemove(1))
    assert r.infeasible == ("remove 1: leaves 0 records, first needs at least 1",)
    assert r.not_asked == ()
    with pytest.raises(ValueError, match="answers of one shape"):
        asked(lambda x: x, DRIVING, 1, sl.Remove(1))


@BY_EACH
def test_missing_records_only_for_those_that_take_them(method):
    """Catches None handed to a function that cannot take it, or refused to one that can."""
    missing = sl.Universe.population([1, 5, None])
    known = sl.Query("known", lambda x: sum(v is not None for v in x), takes_missing=True)
    r = asked(known, missing, 2, method=method)
    assert (r.value, r.check()) == (1, True)
    assert None in r.witness[0] + r.witness[1]
    for query in (sl.MEAN, lambda x: len(x)):
        with pytest.raises((ValueError, TypeError), match=r"None|missing"):
            asked(query, missing, 2, method=method)
        with pytest.raises((ValueError, TypeError), match=r"None|missing"):
            sl.local_sensitivity(query, (1, 5), missing, relation=ONE)


# -- what it costs ---------------------------------------------------------------------------------


@BY_EACH
def test_max_datasets_is_asked_first(method):
    """Catches a run that starts and cannot end; the text says how many and what to do."""
    calls, many = [], sl.Universe.population(range(60))
    for universe, size, options in ((many, 30, {}), (ABSENCES, 6, {"max_datasets": 209})):
        with pytest.raises(ValueError, match=r"[\d,]{3,}.*max_datasets"):
            asked(calls.append, universe, size, method=method, **options)
    with pytest.raises(ValueError, match="max_datasets"):  # 10¹³ neighbours
        sl.local_sensitivity(calls.append, range(30), many, relation=sl.Change(10))
    assert not calls
    assert asked(sl.MEAN, ABSENCES, 6, max_datasets=210, method="sweep").datasets == 210


def test_few_datasets_of_many_records():
    """Catches an hour to count the pairs of a walk."""
    one = sl.Universe.value_range([7])
    with pytest.raises(ValueError, match="steps to count the pairs to walk exceed the limit"):
        asked(len, one, 250_000, sl.Remove(2), method="walk")


def test_progress_goes_to_stderr_at_once_or_late(monkeypatch, capsys):
    """Catches a bar in a printed output, one that was refused, and minutes of silence."""
    for late, method in product((problem.LATE, 0), METHODS):
        monkeypatch.setattr(problem, "LATE", late)
        for progress, shown in ((None, late == 0), (False, False), (True, True)):
            asked(sl.MEAN, ABSENCES, 6, method=method, progress=progress)
            printed, bar = capsys.readouterr()
            assert (printed, bool(bar)) == ("", shown)


@pytest.fixture
def steps(monkeypatch):
    """A clock on which each look takes a hundredth of a second: seconds are steps."""
    for module in (problem, walk):
        monkeypatch.setattr(module, "monotonic", count(0, 0.01).__next__)


def slowly(dataset):
    return sum(dataset)


@pytest.mark.usefixtures("steps")
@pytest.mark.parametrize("method", ["sweep", "walk", "near"])
def test_a_run_that_is_cut_short_has_a_lower_bound_and_no_answer(method):
    """Catches seconds that pass, an answer of half the datasets, and a pair that is none."""
    universe, options = sl.Universe.population(range(40)), {"relation": sl.Change(1)}
    ask = {"size": 3, "method": method}
    run = partial(sl.global_sensitivity, slowly, universe, **options)
    if method == "near":
        run, ask = partial(sl.local_sensitivity, slowly, range(20), universe, **options), {}
        run.keywords["relation"] = sl.Change(2)
    with pytest.raises(TimeoutError, match="were over before slowly was answered") as cut:
        run(seconds=1, **ask)
    here, there = cut.value.witness
    assert abs(slowly(here) - slowly(there)) == cut.value.at_least > 0
    assert (Counter(here) - Counter(there)).total() <= run.keywords["relation"].k
    assert len(here) == len(there) == (20 if method == "near" else 3)
    assert method != "near" or here == tuple(range(20))


@pytest.mark.usefixtures("steps")
def test_seconds_are_checked_and_enough_of_them_change_nothing():
    for wrong, kind in ((0, ValueError), (math.inf, ValueError), ("1", TypeError)):
        with pytest.raises(kind, match="seconds must be"):
            asked(sl.MEAN, ABSENCES, 6, seconds=wrong)
    assert asked(sl.MEAN, ABSENCES, 6, seconds=600) == asked(sl.MEAN, ABSENCES, 6)
    relations = [sl.Change(1), sl.Change(2)]
    with pytest.raises(TimeoutError, match="before all 2 questions were answered"):
        sl.sweep([slowly], {"days": ABSENCES}, size=5, relations=relations, seconds=0.1)
    with pytest.raises(TimeoutError, match=r"at least \d+\.\d+, by pairs") as cut:
        asked(lambda x: [slowly(x) / 3, len(x)], ABSENCES, 5, norm=2, seconds=0.1)
    assert isinstance(cut.value.at_least, float)


def results():
    """A result of every kind, made anew."""
    people = sl.Universe.population([0, 1, 2, 10], name="people")
    short = sl.Universe.value_range([0, 0.5, 1])
    standard = [
        sl.COUNT, sl.SUM, sl.MEAN, sl.MEDIAN, sl.MIN, sl.MAX, sl.VARIANCE, sl.STD,
        sl.count_distinct, sl.quantile(0.1), sl.variance(ddof=1), sl.std(ddof=1),
        sl.histogram([0, 5, 10]), sl.count_where(bool),
    ]  # fmt: skip
    return [
        *(asked(query, people, 3) for query in standard),
        *(sl.local_sensitivity(query, (0, 1, 2), people, relation=ONE) for query in standard),
        *(sl.closed_form(query, bounds=(0, 1), size=3, relation=ONE) for query in standard),
        *(kind(2) for kind in STANDARD),
        people, short, sl.Query("own", max), *standard,
    ]  # fmt: skip


def test_results_travel_and_are_equal_by_content():
    """Catches a result that no pool takes, that differs from itself asked again, or has no hash."""
    travels(zip(results(), results(), strict=True))


@pytest.mark.parametrize("query", CHECKED, ids=str)
def test_check_finds_a_false_witness(query):
    """Catches a check that believes: a value, a pair or a record may be false."""
    checks_find_what_is_false(query, records=10, method="walk")


# -- Decimals are Fractions from the answer on -----------------------------------------------------

LONG = {
    "30 digits": ["1" * 30 + ".00", "0.00"],
    "38 digits": ["9" * 38, "-" + "9" * 38, "0." + "1" * 37],
    "far exponents": ["1E+400", "-3.00000000000000000000000000000000001", "1E-400", "0E-9999"],
}
WIDE = decimal.Context(prec=2000)
LONG_ANSWERS = {  # in Decimals, and in Fractions of the records that there are
    "number": (lambda x: reduce(WIDE.add, x), lambda x, _: sum(map(Fraction, x))),
    "vector": (
        lambda x: (reduce(WIDE.add, x), WIDE.minus(x[0])),
        lambda x, _: (sum(map(Fraction, x)), -Fraction(x[0])),
    ),
    "keyed": (
        lambda x: {str(record): record for record in x},
        lambda x, records: tuple(Fraction(record) * (record in x) for record in records),
    ),
}


@pytest.mark.parametrize("norm", [1, math.inf])
@pytest.mark.parametrize("answer", LONG_ANSWERS)
@pytest.mark.parametrize("values", LONG)
@pytest.mark.parametrize("prec", [5, 28])
def test_decimals_are_subtracted_exactly(prec, values, answer, norm):
    """Catches a gap rounded to the caller's Decimal context, maybe below the truth."""
    records, (function, exactly) = [*map(Decimal, LONG[values])], LONG_ANSWERS[answer]
    universe, pairs = sl.Universe.value_range(records), oracle.range_pairs(records, 2, "Change", 1)
    right = oracle.greatest(lambda x: exactly(x, records), 0, pairs, norm).value
    for method in ("auto", "walk"):
        with decimal.localcontext(prec=prec):
            found = asked(function, universe, 2, norm=norm, method=method)
            assert found.check()
        assert Fraction(found.value) == right
        assert isinstance(found.value, (int, Fraction))


@BY_EACH
@pytest.mark.parametrize("vector", [False, True])
def test_decimals_and_fractions_are_one_arithmetic(vector, method):
    """Catches a Decimal that is not made a Fraction, and one that a function does not receive."""
    tenth, seen = Decimal("0.1"), set()

    def answer(x):
        seen.update(map(type, x))
        number = tenth if x[0] else Fraction(1, 3)
        return (number, 1) if vector else number

    found = asked(answer, sl.Universe.value_range([Decimal(0), Decimal(1)]), 1, method=method)
    assert (found.value, type(found.value)) == (Fraction(7, 30), Fraction)
    assert seen == {Decimal}
    mixed = asked(lambda x: tenth if x[0] else 0.5, sl.Universe.value_range([0, 1]), 1)
    assert mixed.value == 0.4  # a float, as of a Fraction and a float


def test_long_doubles_are_read_exactly():
    """Catches an answer of numpy's longdouble that is rounded to a float without a word."""
    step = np.finfo(np.longdouble).eps
    found = asked(lambda x: np.longdouble(1) + step * x[0], sl.Universe.population([0, 1]), 1)
    assert found.value == Fraction(*step.as_integer_ratio()) > 0


@pytest.mark.parametrize(
    ("size", "relation", "said"),
    [
        (3, sl.AddRemove(1), "relation=AddRemove(1), for a public size 3)"),
        (3, sl.SymmetricDifference(1), "for a public size 3)"),
        (3, ONE, "relation=Change(1))"),
        (range(1, 5), sl.Add(1), "for datasets of 1 to 4 records)"),
        (range(3, 4), ONE, "for datasets of 3 records)"),
        (range(1, 4, 2), sl.Add(2), "for datasets of 1 to 3 records, in steps of 2)"),
    ],
)
def test_a_result_says_for_which_sizes_it_is(size, relation, said):
    """Catches the number of one size given for all, where records come and go."""
    school = sl.Universe.population([1, 2, 3, 10])
    found = asked(sl.MEAN, school, size, relation)
    assert repr(found).endswith(said)
    for_all = "a public size 3; if it is not public, ask for all: size=range(…)"
    assert (for_all in found._repr_html_()) == ("public" in said)
    local = sl.local_sensitivity(sl.MEAN, (1, 2), school, relation=relation)
    assert repr(local).endswith(f"relation={relation})")
