"""Bad input: the text names the parameter, the rule and the value, and comes before any work."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from conftest import METHODS, SCHOOL, refused
from sensitivity_book.theory.gradient import discrete_gradient, operator_norm

import sensitivity_lab as sl
from sensitivity_lab.methods.lattice import Evaluations, Lattice
from sensitivity_lab.methods.workers import block_edges


@pytest.mark.parametrize("make", [sl.Universe.population, sl.Universe.value_range])
@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ([], ValueError, ["empty", "[]"]),
        (np.array([]), ValueError, ["empty"]),
        ([1.0, math.nan], ValueError, ["finite", "nan"]),
        ([1, math.inf], ValueError, ["finite", "inf"]),
        (np.array([1.0, -math.inf]), ValueError, ["finite", "-inf"]),
        (pd.Series([1.0, None]), ValueError, ["finite", "nan"]),
        ([Decimal("NaN")], ValueError, ["finite", "NaN"]),
        ([Decimal("Infinity")], ValueError, ["finite", "Infinity"]),
        (np.array([1, np.nan], dtype=np.float32), ValueError, ["finite", "nan"]),
        ([1, "2"], TypeError, ["number", "'2'"]),
        (["1", 2], TypeError, ["number", "'1'"]),
        ("123", TypeError, ["number", "'123'"]),
        (7, TypeError, ["number", "7"]),
        ([[1, 2], [3, 4]], TypeError, ["hashable", "[1, 2]"]),
        ([pd.NaT], TypeError, ["equal", "NaT", "None"]),
        (pd.DataFrame({"a": []}), ValueError, ["empty", "without rows"]),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), ValueError, ["different names", "'a'"]),
        (np.zeros((2, 2)), ValueError, ["one-dimensional", "(2, 2)"]),
        ([None, None], ValueError, ["at least one number", "None"]),
    ],
)
def test_universe(make, values, error, words):
    """Catches a universe that holds what no exact arithmetic can."""
    with refused(error, *words):
        make(values)


@pytest.mark.parametrize(
    "relation", [sl.Add, sl.Remove, sl.AddRemove, sl.SymmetricDifference, sl.Change]
)
@pytest.mark.parametrize(
    ("k", "error"),
    [(0, ValueError), (-1, ValueError), (1.5, ValueError), (math.nan, ValueError), ("1", TypeError),
     (None, TypeError), (True, (TypeError, ValueError))],
)  # fmt: skip
def test_k(relation, k, error):
    """Catches a distance of no record, or of half a record."""
    with refused(error, "k must be a whole number of at least 1", f"got k={k!r}"):
        relation(k)


@pytest.mark.parametrize("q", [1.2, -0.1, Fraction(3, 2), Decimal("1.01")])
def test_quantile_outside(q):
    """Catches a percentage given for a fraction."""
    with refused(ValueError, "q must lie in [0, 1]", f"got q={q}"):
        sl.quantile(q)


@pytest.mark.parametrize(
    ("q", "error"), [(math.nan, ValueError), ("half", (TypeError, ValueError)), (None, TypeError)]
)
def test_quantile_no_number(q, error):
    """Catches text or NaN taken for a fraction."""
    with refused(error, "q must", str(q)):
        sl.quantile(q)


@pytest.mark.parametrize("edges", [[], [1], [2, 1], [1, 1, 2]])
def test_histogram_edges(edges):
    """Catches bins that are empty, or that overlap."""
    with refused(ValueError, "edges must", "rising", str(edges)):
        sl.histogram(edges)


@pytest.mark.parametrize("make", [sl.variance, sl.std])
@pytest.mark.parametrize(("ddof", "error"), [(-1, ValueError), (0.5, ValueError), ("1", TypeError)])
def test_ddof(make, ddof, error):
    """Catches a divisor that no variance has."""
    with refused(error, "ddof must be a whole number of at least 0", f"got ddof={ddof!r}"):
        make(ddof=ddof)


class Counting:
    """A callable that counts its calls: it must see none when the input is bad."""

    def __init__(self):
        self.calls = 0

    def __call__(self, dataset):
        self.calls += 1
        return sum(dataset)


OPTIONS = {"size": 2, "relation": sl.Change(1)}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"size": 5}, ValueError, ["size", "at most 4", "got size=5"]),
        ({"size": -1}, ValueError, ["size", "at least 0", "got size=-1"]),
        ({"size": 2.5}, ValueError, ["size", "whole number", "got size=2.5"]),
        ({"size": "2"}, TypeError, ["size", "'2'"]),
        ({"size": None}, TypeError, ["size", "None"]),
        ({"size": True}, (TypeError, ValueError), ["size", "True"]),
        ({"size": range(2, 2)}, ValueError, ["size", "range(2, 2)"]),
        ({"size": range(2, 7)}, ValueError, ["size", "at most 4", "6"]),
        ({"size": range(-1, 2)}, ValueError, ["size", "-1"]),
        ({"relation": "Change"}, TypeError, ["relation", "'Change'"]),
        ({"relation": sl.Change}, TypeError, ["relation", "Change"]),
        ({"relation": None}, TypeError, ["relation", "None"]),
        ({"norm": 3}, ValueError, ["norm", "1, 2", "3"]),
        ({"norm": "L1"}, (TypeError, ValueError), ["norm", "'L1'"]),
        ({"method": "guess"}, ValueError, ["method", "walk", "'guess'"]),
        ({"method": None}, (TypeError, ValueError), ["method", "None"]),
        ({"max_datasets": 0}, ValueError, ["max_datasets", "0"]),
        ({"max_datasets": 1}, ValueError, ["max_datasets", "at least", "limit of 1"]),
        ({"relation": sl.Add(3)}, ValueError, ["feasible", "Add(3)"]),
        ({"relation": sl.Remove(3)}, ValueError, ["feasible", "Remove(3)"]),
        ({"relation": sl.AddRemove(3)}, ValueError, ["feasible", "AddRemove(3)"]),
    ],
)
def test_global_sensitivity(method, options, error, words):
    """Catches bad input that is found out late: the query is never asked."""
    query = Counting()
    with refused(error, *words):
        sl.global_sensitivity(query, SCHOOL, **(OPTIONS | {"method": method} | options))
    assert query.calls == 0


@pytest.mark.parametrize(
    ("query", "universe", "words"),
    [
        ("mean", SCHOOL, ["query", "callable", "'mean'"]),
        (3, SCHOOL, ["query", "callable", "3"]),
        (sl.MEAN, [1, 2, 3, 10], ["universe", "[1, 2, 3, 10]"]),
        (sl.MEAN, None, ["universe", "None"]),
    ],
)
def test_what_is_asked(query, universe, words):
    """Catches a list passed for a universe, or a name for a query."""
    with refused(TypeError, *words):
        sl.global_sensitivity(query, universe, **OPTIONS)
    with refused(TypeError, *words):
        sl.local_sensitivity(query, (1, 2), universe, relation=sl.Change(1))


@pytest.mark.parametrize(
    ("dataset", "error", "words"),
    [
        ((1, 4), ValueError, ["dataset", "universe", "4"]),
        ((1, 1), ValueError, ["dataset", "1", "2"]),
        ((1, math.nan), ValueError, ["finite", "nan"]),
        ((1, "2"), TypeError, ["number", "'2'"]),
        ("12", TypeError, ["dataset", "'12'"]),
        (5, TypeError, ["dataset", "5"]),
    ],
)
def test_local_dataset(dataset, error, words):
    """Catches a dataset that the universe does not hold."""
    query = Counting()
    with refused(error, *words):
        sl.local_sensitivity(query, dataset, SCHOOL, relation=sl.Change(1))
    assert query.calls == 0


@pytest.mark.parametrize("relation", [sl.Remove(3), sl.Add(3)])
def test_local_with_no_feasible_direction(relation):
    """Catches a zero, or a bare max() error, where there is no neighbour at all."""
    query = Counting()
    with refused(ValueError, "feasible", str(relation)):
        sl.local_sensitivity(query, (1, 2), SCHOOL, relation=relation)
    assert query.calls == 0


def fails_on_ten(dataset):
    if 10 in dataset:
        raise ZeroDivisionError("no tens")
    return sum(dataset)


def of_changing_length(dataset):
    return list(dataset)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("query", "error", "words"),
    [
        (fails_on_ten, ValueError, ["fails_on_ten", "ZeroDivisionError", "no tens", ", 10)"]),
        (
            lambda x: math.nan if 10 in x else 0.0,
            ValueError,
            ["<lambda>", "finite", "nan", ", 10)"],
        ),
        (
            lambda x: np.float64(-math.inf) if 10 in x else 0.0,
            ValueError,
            ["finite", "inf", ", 10)"],
        ),
        (lambda x: [0, math.nan] if 10 in x else [0, 0], ValueError, ["finite", "nan", ", 10)"]),
        (lambda x: "many", TypeError, ["number or a vector", "'many'", "(1, 2)"]),
        (lambda x: None, TypeError, ["number or a vector", "None", "(1, 2)"]),
        (lambda x: {"a": "b"}, TypeError, ["number or a vector", "'b'", "(1, 2)"]),
        (lambda x: ["a"], TypeError, ["number or a vector", "(1, 2)"]),
        (lambda x: 1j, TypeError, ["number or a vector", "1j", "(1, 2)"]),
    ],
)
def test_query_that_fails(method, query, error, words):
    """Catches a failure that does not say on which dataset."""
    with refused(error, *words):
        sl.global_sensitivity(query, SCHOOL, **OPTIONS, method=method)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "query", [of_changing_length, lambda x: len(x) if len(x) == 2 else [len(x)]]
)
@pytest.mark.parametrize("size", [2, range(1, 4)])
def test_vector_whose_length_changes(method, query, size):
    """Catches a comparison of vectors of different lengths, within one size or between sizes."""
    with refused(ValueError, "length"):
        sl.global_sensitivity(query, SCHOOL, size=size, relation=sl.AddRemove(1), method=method)


def test_query_on_too_few_records():
    """Catches a division by zero that does not say why."""
    with refused(ValueError, "query variance(ddof=1)", "at least 2 records", "got 1"):
        sl.variance(ddof=1)((5,))


def test_predicate():
    """Catches a threshold passed where a predicate is wanted."""
    with refused(TypeError, "predicate", "5"):
        sl.count_where(5)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"relations": []}, ValueError, ["relations", "[]"]),
        ({"relations": [1]}, TypeError, ["relation", "1"]),
        ({"queries": []}, ValueError, ["queries", "[]"]),
        ({"queries": ["mean"]}, TypeError, ["query", "'mean'"]),
        ({"columns": {}}, ValueError, ["columns", "{}"]),
        ({"columns": {"a": [1, 2]}}, TypeError, ["universe", "[1, 2]"]),
        ({"size": 9}, ValueError, ["size", "at most 4", "9"]),
    ],
)
def test_sweep(options, error, words):
    """Catches bad input in a table, before the first row is computed."""
    query = Counting()
    given = {
        "queries": [query],
        "columns": {"a": SCHOOL},
        "size": 2,
        "relations": [sl.Change(1)],
    } | options
    with refused(error, *words):
        sl.sweep(given.pop("queries"), given.pop("columns"), **given)
    assert query.calls == 0


def test_sweep_finds_the_last_bad_relation_before_the_first_row():
    """Catches work that is thrown away."""
    query = Counting()
    with refused(TypeError, "relation", "'x'"):
        sl.sweep([query], {"a": SCHOOL}, size=2, relations=[sl.Change(1), "x"])
    assert query.calls == 0


# --- budgets: refused before any work, with the true number --------------------------------

PAIR = sl.Universe.value_range([0, 1])
MANY = sl.Universe.population(range(20_000))


@pytest.mark.parametrize("sizes", [range(1, 10**12), range(10**12, 0, -1), range(0, 2**62, 3)])
def test_more_sizes_than_can_be_listed(sizes):
    """Catches a plan that is built size by size before anything is asked: minutes, then no memory."""
    query = Counting()
    ask = {"size": sizes, "relations": [sl.Change(1)]}
    calls = [
        lambda: sl.global_sensitivity(query, PAIR, size=sizes, relation=sl.Change(1)),
        lambda: sl.closed_form(sl.MEAN, bounds=(0, 1), size=sizes, relation=sl.Change(1)),
        lambda: sl.sweep([query], {"a": PAIR}, **ask),
        lambda: sl.compare([sl.MEAN], {"a": PAIR}, **ask),
    ]
    for call in calls:
        with refused(ValueError, "at most 2,000,000 sizes × moves", "2 moves of Change(1)"):
            call()
    with refused(ValueError, "999,999,999,999 sizes"):
        sl.global_sensitivity(query, PAIR, size=range(1, 10**12), relation=sl.Change(1))
    with refused(ValueError, "1e+5000 sizes"):
        sl.closed_form(sl.MEAN, bounds=(0, 1), size=range(1, 10**5000), relation=sl.Change(1))
    with refused(ValueError, "size must be at most 9223372036854775807"):
        sl.global_sensitivity(query, PAIR, size=range(1, 10**30), relation=sl.Change(1))
    assert query.calls == 0


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("walk", "400,000,000 records in the datasets to walk exceed the limit of 200,000,000"),
        ("auto", "400,000,000 records in the datasets to walk exceed the limit of 200,000,000"),
        ("sweep", "400,000,000 cells in the table of the sweep exceed the limit of 100,000,000"),
    ],
)
def test_few_datasets_of_many_records(method, words):
    """Catches a refusal that speaks of 40,000,000 datasets where there are 20,001."""
    query = Counting()
    with refused(ValueError, words):
        sl.global_sensitivity(query, MANY, size=20_000, relation=sl.Remove(1), method=method)
    assert query.calls == 0
    found = sl.global_sensitivity(sl.SUM, MANY, size=20_000, relation=sl.Remove(1))
    assert (found.value, found.method) == (19_999, "solver")


def test_datasets_too_long_to_be_read():
    """Catches a sweep of 900,001 datasets of 900,000 records each, which has no end."""
    found = sl.global_sensitivity(sl.SUM, PAIR, size=900_000, relation=sl.Change(2))
    assert (found.value, found.method) == (2, "solver")
    with refused(ValueError, "810,000,900,000 records in the datasets to answer"):
        sl.global_sensitivity(sl.SUM, PAIR, size=900_000, relation=sl.Change(2), method="sweep")
    dataset = range(10_000)
    few = sl.global_sensitivity(  # 51 datasets of 50 records: as many as are allowed
        sum, PAIR, size=50, relation=sl.Change(1), max_datasets=51, method="walk"
    )
    assert few.value == 1
    ask = {"relation": sl.Change(1)}
    with refused(ValueError, "records in the neighbours to walk", "200,000,000"):
        sl.local_sensitivity(sum, dataset, sl.Universe.population(range(10_010)), **ask)
    found = sl.local_sensitivity(sl.MAX, dataset, sl.Universe.population(range(10_010)), **ask)
    assert (found.value, found.method) == (10, "solver")


def test_a_sweep_reads_in_pieces_that_fit_in_memory():
    """Catches 131,072 datasets at once whatever their length: 200 GB here."""
    pieces = list(Lattice(PAIR.copies(200_000), largest=200_000).chunks(200_000))
    assert sum(piece.stop - piece.start for piece in pieces) == 200_001
    assert max(piece.stop - piece.start for piece in pieces) * 200_000 < 2**23
    edges = block_edges(200_001, 200_000, executor=None)
    assert (edges[0], edges[-1]) == (0, 200_001)
    assert max(b - a for a, b in pairwise(edges)) * 200_000 < 2**23


def test_the_walk_makes_no_table(monkeypatch):
    """Catches a walk, the reference, that leans on the sweep's lattice or its evaluations."""

    def is_built(*given):
        pytest.fail(f"built from {given}")

    monkeypatch.setattr("sensitivity_lab.methods.sweep.lattice_of", is_built)
    monkeypatch.setattr(Lattice, "__init__", is_built)
    monkeypatch.setattr(Evaluations, "__init__", is_built)
    ask = {"relation": sl.Change(1), "method": "walk"}
    assert sl.global_sensitivity(sl.SUM, SCHOOL, size=2, **ask).value == 9
    assert sl.local_sensitivity(sl.SUM, (1, 2), SCHOOL, **ask).value == 9
    assert sl.sweep([sl.SUM], {"a": SCHOOL}, size=2, relations=[sl.Change(1)], method="walk").shape
    with pytest.raises(pytest.fail.Exception, match="built from"):
        sl.global_sensitivity(sl.SUM, SCHOOL, size=2, relation=sl.Change(1), method="sweep")


@pytest.mark.parametrize("value", [np.array([1, 2]), "yes", None, 2.5], ids=str)
@pytest.mark.parametrize("name", ["progress", "max_datasets"])
def test_how_it_is_run(name, value):
    """Catches numpy's "truth value is ambiguous", and a yes or no that is read into a word."""
    query, run = Counting(), {name: value}
    calls = [
        lambda: sl.global_sensitivity(query, SCHOOL, **OPTIONS, **run),
        lambda: sl.local_sensitivity(query, (1, 2), SCHOOL, relation=sl.Change(1), **run),
        lambda: sl.sweep([query], {"a": SCHOOL}, size=2, relations=[sl.Change(1)], **run),
        lambda: sl.compare([sl.SUM], {"a": SCHOOL}, size=2, relations=[sl.Change(1)], **run),
    ]
    for call in calls:
        with refused((TypeError, ValueError), f"{name} must be"):
            call()
    assert query.calls == 0


# --- numbers at the ends of the floats -----------------------------------------------------


def far_ends(x):
    return 1e308 if x[0] else -1e308


def far_vectors(x):
    return (far_ends(x), 0.5)


def far_sum(x):
    return (1e308 * x[0], 1e308 * x[0])


@pytest.mark.parametrize("method", ["auto", "walk"])
@pytest.mark.parametrize(
    ("function", "norm"),
    [
        (far_ends, 1),
        (far_vectors, 1),
        (far_vectors, 2),
        (far_vectors, math.inf),
        (far_sum, 1),
    ],
)
@pytest.mark.filterwarnings("error")
def test_answers_further_apart_than_their_numbers_reach(function, norm, method):
    """Catches a sensitivity of infinity, with a warning of numpy's, between two finite answers."""
    ask = {"relation": sl.Change(1), "norm": norm}
    with refused(ValueError, "query must give answers whose distance", "scale them down"):
        sl.global_sensitivity(function, PAIR, size=1, **ask, method=method)
    with refused(ValueError, "query must give answers whose distance"):
        sl.local_sensitivity(function, (0,), PAIR, **ask)
    exactly = sl.global_sensitivity(
        lambda x: Fraction(far_ends(x)), PAIR, size=1, relation=sl.Change(1), method=method
    )
    assert exactly.value == 2 * Fraction(1e308)
    euclidean = sl.global_sensitivity(far_sum, PAIR, size=1, relation=sl.Change(1), norm=2)
    assert euclidean.value == 1e308 * math.sqrt(2)


@pytest.mark.parametrize("norm", [1, 2])
def test_decimals_further_apart_than_their_context_reaches(norm):
    """Catches decimal.Overflow, and a gap of infinity: Decimals are subtracted beyond any context."""
    far = {0: Decimal("-9e99"), 1: Decimal("9e99")}
    for answer in (lambda x: far[x[0]], lambda x: (far[x[0]], 1)):
        with localcontext(Emax=99):
            found = sl.global_sensitivity(answer, PAIR, size=1, relation=sl.Change(1), norm=norm)
        assert float(found) == 1.8e100


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("text", ["1e999999", "-1e-999999999"])
def test_decimals_beyond_reason_are_no_answer(text, norm):
    """Catches a Fraction of a thousand million digits, which no memory can hold."""
    with refused(
        ValueError, "must return numbers within 10 to the power of ±100,000", f"{text[-5:]}"
    ):
        sl.global_sensitivity(
            lambda x: (Decimal(text), 1), PAIR, size=1, relation=sl.Change(1), norm=norm
        )


def test_a_step_between_floats_is_finite():
    """Catches a gradient with -inf in it, and two arithmetics that do not meet."""
    with refused(ValueError, "query must give answers whose distance", "scale them down"):
        discrete_gradient(
            lambda x: (-1e308) ** (len(x) % 2) * 1e308 ** (1 - len(x) % 2), (0,), PAIR
        )
    with refused(ValueError, "query must answer in one arithmetic", "float to Decimal"):
        discrete_gradient(lambda x: Decimal(1) if len(x) % 2 else 0.5, (0,), PAIR)


class Hostile:
    """Fails, in an error of its own, at whatever it is asked."""

    def __getattr__(self, name):
        raise ZeroDivisionError(name)

    def _fail(self, *_):
        raise KeyError("mine")

    __repr__ = __str__ = __iter__ = __len__ = __bool__ = __eq__ = __float__ = __index__ = _fail
    __hash__ = object.__hash__


class Callable_(Hostile):
    def __call__(self, dataset):
        return 0


HOSTILE = {
    "relation": lambda it: sl.global_sensitivity(sl.MEAN, PAIR, size=1, relation=it),
    "relations": lambda it: sl.sweep([sl.MEAN], {"a": PAIR}, size=1, relations=it),
    "records": sl.Universe.population,
    "dataset": sl.MEAN,
    "edges": sl.histogram,
    "predicate": sl.count_where,
    "q": sl.quantile,
    "matrix": operator_norm,
    "dtype": lambda it: sl.breaking_values((0, 1), it),
    "sizes": lambda it: sl.audit(sl.MEAN, 1, PAIR, sizes=it, relations=[sl.Change(1)]),
    "x": lambda it: sl.symmetric_distance(it, (1,)),
    "answer": lambda it: sl.global_sensitivity(lambda x: it, PAIR, size=1, relation=sl.Change(1)),
    "inputs": lambda it: sl.audit_map(len, 1, it, distances=[1], input_metric=len, output_metric=len),
}  # fmt: skip


@pytest.mark.parametrize("what", HOSTILE)
def test_what_fails_at_everything_is_refused_in_our_words(what):
    """Catches the bare error of a value that cannot be listed, compared or written."""
    with pytest.raises((TypeError, ValueError), match=what):
        HOSTILE[what](Hostile())


def test_a_formula_of_numbers_too_long_to_print():
    """Catches Python's refusal to write over 4,300 digits, out of a repr."""
    found = sl.closed_form(sl.SUM, bounds=(0, 10**5000), size=1, relation=sl.Add(1))
    assert repr(found).startswith("ClosedForm(value=<about 1e+5000>, status='exact', formula=")


def test_many_reasons_are_counted():
    """Catches a message of pages: a reason for every move of a large k."""
    ask = {"size": range(300), "relation": sl.Add(1)}
    with pytest.raises(ValueError, match=r"and [0-9,]+ more$") as refusal:
        sl.global_sensitivity(sl.Query("q", len, smallest_size=299), PAIR, **ask)
    assert len(str(refusal.value)) < 500


def test_a_predicate_that_fails_is_named_with_the_record():
    """Catches a bare ZeroDivisionError out of the sweep, the solver and the gradient."""
    failing, universe = sl.count_where(lambda v: 1 / v), sl.Universe.value_range([0, 1])
    calls = [
        lambda: discrete_gradient(failing, (1,), universe),
        lambda: sl.local_sensitivity(failing, (1,), universe, relation=sl.Change(1)),
    ]
    for method in ("sweep", "walk", "solver"):
        ask = {"size": 2, "relation": sl.Change(1), "method": method}
        calls.append(partial(sl.global_sensitivity, failing, universe, **ask))
    for call in calls:
        with refused(ValueError, "predicate failed on 0: ZeroDivisionError: division by zero"):
            call()


def test_a_function_without_a_name_that_can_be_read():
    """Catches the error of an attribute in place of an answer."""
    ask = {"size": 1, "relation": sl.Change(1)}
    assert sl.global_sensitivity(Callable_(), PAIR, **ask).query.name == "Callable_"
    assert sl.count_where(Callable_()).name == "count_where(Callable_)"


@pytest.mark.parametrize("span", [np.timedelta64(3, "ns"), np.array(np.timedelta64(3, "ns"))])
def test_a_span_of_time_is_no_answer(span):
    """Catches 3 ns in an array, of which numpy makes the number 3."""
    with refused(TypeError, "must return a number or a vector", "dataset (0,)"):
        sl.global_sensitivity(lambda x: span, PAIR, size=1, relation=sl.Change(1))


@pytest.mark.parametrize("ends", [(0, 10**400), (-1e308, 1e308), (0, Fraction(1, 10**400))])
@pytest.mark.parametrize("query", [sl.SUM, sl.MEAN, sl.MEDIAN, sl.VARIANCE], ids=str)
def test_a_table_of_numbers_beyond_the_floats(query, ends):
    """Catches an OverflowError where the formula is attained and the ratio is 1."""
    ask = {"size": 2, "relations": [sl.Change(1)]}
    universe = sl.Universe.value_range(ends)
    table = sl.compare([query], {"a": universe}, **ask)
    assert table["ratio"].tolist() == [1.0]
    assert (
        sl.sweep([query], {"a": universe}, **ask)["sensitivity"].tolist()
        == table["closed_form"].tolist()
    )
    known = sl.Universe.population([0, 1])
    loose = sl.compare([query], {"a": known}, **ask, bounds=(0, 10**400))
    assert loose["ratio"].tolist() == [math.inf]


def test_the_columns_of_a_comparison(capsys):
    """Catches columns in another order, and a bar that nobody asked for."""
    table = sl.compare([sl.MEAN], {"a": SCHOOL}, size=2, relations=[sl.Change(1)])
    assert list(table.columns) == [
        "column", "query", "relation", "k", "sensitivity", "closed_form", "status", "ratio",
        "dataset", "neighbour", "method",
    ]  # fmt: skip
    assert capsys.readouterr() == ("", "")
