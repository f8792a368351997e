"""Bad input: the text names the parameter, the rule and the value, and comes before any work."""

import math
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from itertools import pairwise
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from conftest import METHODS, SCHOOL, Rude, refused

import sensitivity_lab as sl
from sensitivity_lab.methods.sweep import Lattice
from sensitivity_lab.methods.workers import block_edges

PAIR = sl.Universe.value_range([0, 1])
MANY = sl.Universe.population(range(20_000))
CHANGE = {"relation": sl.Change(1)}
TABLE = {"size": 2, "relations": [sl.Change(1)]}
TEN = {"size": 20_000, "relation": sl.Remove(1)}
EITHER = (TypeError, ValueError)


# --- what is refused: the call, from a query that must not be asked; the error; its words ---------


def asked(query=None, universe=SCHOOL, **options):
    ask = {"size": 2, **CHANGE, **options}
    return lambda own: sl.global_sensitivity(own if query is None else query, universe, **ask)


def asked_of(dataset, query=None, universe=SCHOOL, **options):
    ask = {"dataset": dataset, **CHANGE, **options}
    return lambda own: sl.local_sensitivity(
        own if query is None else query, universe=universe, **ask
    )


def in_a_table(make=sl.sweep, queries=None, columns=None, **options):
    columns = {"a": SCHOOL} if columns is None else columns
    ask = {**TABLE, **options}
    return lambda own: make([own] if queries is None else queries, columns, **ask)


def made(make, *given, **named):
    return lambda _: make(*given, **named)


def records_of(make, values):
    return lambda _: make(values).values


def formula(query=sl.MEAN, **options):
    ask = {"bounds": (0, 1), "size": 2, **CHANGE, **options}
    return lambda _: sl.closed_form(query, **ask)


# ruff: disable[E501]
NO_UNIVERSE = [
    *((values, ValueError, ["must not be empty", word]) for values, word in (
        ([], "[]"), (np.array([]), ""))),
    *((values, ValueError, ["finite", word]) for values, word in (
        ([1, math.inf], "inf"), (pd.Series([1.0, None]), "nan"), ([Decimal("NaN")], "NaN"), (np.array([1, np.nan], dtype=np.float32), "nan"))),
    *((values, TypeError, ["number", word]) for values, word in (
        ([1, "2"], "'2'"), ("123", "'123'"), (7, "7"), ([("law", 1), 3], "got ('law', 1)"), (["law", math.nan], "got 'law'"))),
    *((values, TypeError, ["must be hashable and comparable", ""]) for values in ([[1, 2], [3, 4]], [{"s": 1}])),
    *((values, TypeError, ["must equal themselves", word]) for values, word in (
        ([pd.NaT], "NaT"), (np.array(["2024-01-01", "NaT"], dtype="M8[D]"), "None"))),
    (np.zeros((2, 2)), ValueError, ["one-dimensional", "(2, 2)"]),
    ([None, None], ValueError, ["at least one number", "got only None"]),
]  # fmt: skip
# ruff: enable[E501]
NO_DISTANCE = [
    (0, ValueError),
    (1.5, ValueError),
    (math.nan, ValueError),
    ("1", TypeError),
    (True, EITHER),
]
# ruff: disable[E501]
NO_OPTIONS = [
    *(({"size": size}, ValueError, ["size", *words]) for size, words in (
        (5, ["at most 4", "got size=5"]), (-1, ["at least 0", "got size=-1"]), (2.5, ["whole number", "got size=2.5"]),
        (range(2, 2), ["range(2, 2)"]), (range(2, 7), ["at most 4", "6"]), (range(-1, 2), ["-1"]))),
    *(({name: value}, EITHER, [name, repr(value)]) for name, value in (
        ("size", "2"), ("size", None), ("size", True), ("relation", "Change"), ("relation", None))),
    ({"norm": 3}, ValueError, ["norm", "1, 2", "3"]),
    ({"max_datasets": 0}, ValueError, ["max_datasets", "0"]),
    ({"max_datasets": 1}, ValueError, ["max_datasets", "at least", "limit of 1"]),
    *(({"relation": one}, ValueError, ["feasible", str(one)]) for one in (sl.Add(3), sl.Remove(3), sl.AddRemove(3))),
]  # fmt: skip
# ruff: enable[E501]
FAR_TOO_MANY = [range(1, 10**12), range(10**12, 0, -1), range(0, 2**62, 3)]
SIZES_AND_MOVES = ["at most 2,000,000 sizes × moves", "2 moves of Change(1)"]
# ruff: disable[E501]
REFUSED = [
    *((records_of(make, values), error, [what, *words]) for values, error, words in NO_UNIVERSE for make, what in ((sl.Universe.population, "records"), (sl.Universe.value_range, "values"))),
    *((made(make, k), error, ["k must be a whole number of at least 1", f"got k={k!r}"])
      for k, error in NO_DISTANCE for make in (sl.Add, sl.Remove, sl.AddRemove, sl.SymmetricDifference, sl.Change)),
    # queries that take an option
    *((made(sl.quantile, q), ValueError, ["q must lie in [0, 1]", f"got q={q}"]) for q in (1.2, -0.1, Fraction(3, 2), Decimal("1.01"))),
    (made(sl.quantile, math.nan), ValueError, ["q must", "nan"]),
    (made(sl.quantile, "half"), EITHER, ["q must", "half"]),
    (made(sl.quantile, None), TypeError, ["q must", "None"]),
    *((made(sl.histogram, edges), ValueError, ["edges must", "rising", str(edges)]) for edges in ([], [1], [2, 1], [1, 1, 2])),
    *((made(make, ddof=ddof), error, ["ddof must be a whole number of at least 0", f"got ddof={ddof!r}"])
      for make in (sl.variance, sl.std) for ddof, error in ((-1, ValueError), (0.5, ValueError), ("1", TypeError))),
    (made(sl.variance(ddof=1), (5,)), ValueError, ["query variance(ddof=1)", "at least 2 records", "got 1"]),
    (made(sl.count_where, 5), TypeError, ["predicate", "5"]),
    *((make(sl.count_where(lambda v: 1 / v), PAIR, method=method), ValueError, ["predicate failed on 0: ZeroDivisionError: division by zero"])
      for make, method in ((asked, "sweep"), (asked, "walk"), (partial(asked_of, (1,)), "auto"))),
    # closed forms
    *((formula(**changed), error, words) for changed, error, words in (
        ({"bounds": (3, 0)}, ValueError, ["bounds must rise, got bounds=(3, 0)"]),
        ({"bounds": 3}, TypeError, ["bounds must be a pair (L, U), got 3"]),
        ({"bounds": (0, math.inf)}, ValueError, ["bounds must be finite, got inf"]),
        ({"size": None}, ValueError, ["give either size or min_size, got size=None"]),
        ({"min_size": 2}, ValueError, ["give either size or min_size"]),
        ({"size": 0}, ValueError, ["size must be a whole number of at least 1"]),
        ({"size": None, "min_size": 0}, ValueError, ["min_size must be a whole number"]),
        ({"norm": 3}, ValueError, ["norm must be 1, 2 or infinity"]),
        ({"values": 0}, ValueError, ["values must be a whole number"]),
        ({"query": max}, TypeError, ["query must be a standard query, got <built-in"]),
        ({"relation": sl.Remove(2)}, ValueError, ["no direction of Remove(2) is feasible at size=2"]),
        ({"relation": sl.Change}, TypeError, ["relation must be"]))),
    # what is asked, and of what
    *((asked(**options, method=method), *rest) for options, *rest in NO_OPTIONS for method in METHODS),
    (asked(method="guess"), ValueError, ["method", "walk", "'guess'"]),
    (asked_of((1, 2), sl.MEAN, method="sweep"), ValueError, ["method must be auto, walk or solver for one dataset"]),
    *((make(executor=executor), TypeError, [f"executor must be {words}"]) for make in (asked, partial(asked_of, (1, 2)))
      for executor, words in ((ThreadPoolExecutor, "made first"), (map, "made first"), (object(), "a concurrent.futures.Executor"))),
    (asked(method=None), EITHER, ["method", "None"]),
    *((make(query, universe), TypeError, words) for make in (asked, partial(asked_of, (1, 2)))
      for query, universe, words in ((3, SCHOOL, ["query", "callable", "3"]), (sl.MEAN, None, ["universe", "None"]))),
    (asked_of((1, 4)), ValueError, ["dataset", "universe", "4"]),
    (asked_of((1, 1)), ValueError, ["dataset", "1", "2"]),
    (asked_of((1, math.nan)), ValueError, ["finite", "nan"]),
    (asked_of("12"), TypeError, ["dataset", "'12'"]),
    (asked_of(5), TypeError, ["dataset", "5"]),
    *((asked_of((1, 2), relation=relation), ValueError, ["feasible", str(relation)]) for relation in (sl.Remove(3), sl.Add(3))),
    (asked(sl.Query("q", len, smallest_size=299), PAIR, size=range(300), relation=sl.Add(1)), ValueError, [" more"]),  # reasons
    (made(sl.Query, 3, len), TypeError, ["name must be text, got 3"]),
    # in a table: the last bad relation before the first row
    (in_a_table(relations=[]), ValueError, ["relations", "[]"]),
    (in_a_table(relations=[sl.Change(1), "x"]), TypeError, ["relation", "'x'"]),
    (in_a_table(queries=[]), ValueError, ["queries", "[]"]),
    (in_a_table(columns={}), ValueError, ["columns", "{}"]),
    (in_a_table(size=9), ValueError, ["size", "at most 4", "9"]),
    # how it is run
    *((call, EITHER, [f"{name} must be"]) for name in ("progress", "max_datasets")
      for run in ({name: value} for value in (np.array([1, 2]), "yes", 2.5))
      for call in (asked(**run), asked_of((1, 2), **run), in_a_table(**run), in_a_table(sl.compare, [sl.SUM], **run))),
    # budgets, with the true number: no plan that is built size by size,
    # no 40,000,000 datasets where there are 20,001
    *((call, ValueError, SIZES_AND_MOVES) for sizes in FAR_TOO_MANY for call in (
        asked(universe=PAIR, size=sizes), in_a_table(columns={"a": PAIR}, size=sizes),
        made(sl.closed_form, sl.MEAN, bounds=(0, 1), size=sizes, **CHANGE),
        in_a_table(sl.compare, [sl.MEAN], {"a": PAIR}, size=sizes))),
    (asked(universe=PAIR, size=range(1, 10**12)), ValueError, ["999,999,999,999 sizes"]),
    (made(sl.closed_form, sl.MEAN, bounds=(0, 1), size=range(1, 10**5000), **CHANGE), ValueError, ["1e+5000 sizes"]),
    (asked(universe=PAIR, size=range(1, 10**30)), ValueError, ["size must be at most 9223372036854775807"]),
    *((asked(universe=MANY, **TEN, method=method), ValueError, [f"400,000,000 {words}"]) for method, words in (
        ("walk", "records in the datasets to walk exceed the limit of 200,000,000"),
        ("auto", "records in the datasets to walk exceed the limit of 200,000,000"),
        ("sweep", "cells in the table of the sweep exceed the limit of 100,000,000"))),
    (asked(sl.SUM, PAIR, size=900_000, relation=sl.Change(2), method="sweep"), ValueError,
     ["810,000,900,000 records in the datasets to answer"]),
    (asked_of(range(10_000), universe=sl.Universe.population(range(10_010))), ValueError,
     ["records in the neighbours to walk", "200,000,000"]),
]  # fmt: skip
# ruff: enable[E501]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_what_is_refused(call, error, words):
    """Catches bad input answered, found out late, or whose error says not what to mend."""
    query = Mock(spec=[], side_effect=sum, __name__="asked too early")
    with refused(error, *words) as refusal:
        call(query)
    assert len(str(refusal.value)) < 500
    query.assert_not_called()


# --- queries that fail ----------------------------------------------------------------------------


def fails_on_ten(dataset):
    if 10 in dataset:
        raise ZeroDivisionError("no tens")
    return sum(dataset)


WANTED = ["number or a vector", "(1, 2)"]


@pytest.mark.parametrize("method", METHODS)
# ruff: disable[E501]
@pytest.mark.parametrize(
    ("query", "error", "words"),
    [
        (fails_on_ten, ValueError, ["fails_on_ten", "ZeroDivisionError", "no tens", ", 10)"]),
        (lambda x: math.nan if 10 in x else 0.0, ValueError, ["<lambda>", "finite", "nan", ", 10)"]),
        (lambda x: np.float64(-math.inf) if 10 in x else 0.0, ValueError, ["finite", "inf", ", 10)"]),
        *((lambda x, it=it: Decimal(it) if 10 in x else 1, ValueError, ["<lambda>", "finite", it, ", 10)"])
          for it in ("NaN", "sNaN", "-Infinity")),
        (lambda x: [0, math.nan] if 10 in x else [0, 0], ValueError, ["finite", "nan", ", 10)"]),
        *((lambda x, it=it: it, TypeError, [*WANTED, word]) for it, word in (
            ("many", "'many'"), (None, "None"), ({"a": "b"}, "'b'"), (["a"], ""), (1j, "1j"),
            (np.timedelta64(3, "ns"), ""), (np.array(np.timedelta64(3, "ns")), ""))),  # numpy makes it 3
        (lambda x: Rude(), ValueError, ["answer of <lambda> must have a length or none", "'mine'"]),
        *((lambda x, it=it: (Decimal(it), 1), ValueError, ["answer of <lambda> must lie within 10 to the power of ±100,000", it[-5:]])
          for it in ("1e999999", "-1e-999999999")),
    ],
)  # fmt: skip
# ruff: enable[E501]
def test_query_that_fails(method, query, error, words):
    """Catches a failure that does not say on which dataset."""
    with refused(error, *words):
        sl.global_sensitivity(query, SCHOOL, size=2, **CHANGE, method=method)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("query", [list, lambda x: len(x) if len(x) == 2 else [len(x)]])
@pytest.mark.parametrize("size", [2, range(1, 4)])
def test_vector_whose_length_changes(method, query, size):
    """Catches a comparison of vectors of different lengths, within one size or between sizes."""
    with refused(ValueError, "length"):
        sl.global_sensitivity(query, SCHOOL, size=size, relation=sl.AddRemove(1), method=method)


# --- what is not refused, though it is large ------------------------------------------------------


def test_a_sweep_reads_in_pieces_that_fit_in_memory():
    """Catches 131,072 datasets at once whatever their length: 200 GB here."""
    pieces = list(Lattice(PAIR.copies(200_000), largest=200_000).chunks(200_000))
    assert sum(piece.stop - piece.start for piece in pieces) == 200_001
    assert max(piece.stop - piece.start for piece in pieces) * 200_000 < 2**23
    edges = block_edges(200_001, 200_000, executor=None)
    assert (edges[0], edges[-1]) == (0, 200_001)
    assert max(b - a for a, b in pairwise(edges)) * 200_000 < 2**23


# --- numbers at the ends of the floats ------------------------------------------------------------


def far_ends(x):
    return 1e308 if x[0] else -1e308


def far_vectors(x):
    return (far_ends(x), 0.5)


def far_sum(x):
    return (1e308 * x[0], 1e308 * x[0])


@pytest.mark.parametrize("method", ["auto", "walk"])
@pytest.mark.parametrize(
    ("function", "norm"),
    [(far_ends, 1), (far_vectors, 1), (far_vectors, 2), (far_vectors, math.inf), (far_sum, 1)],
)
@pytest.mark.filterwarnings("error")
def test_answers_further_apart_than_their_numbers_reach(function, norm, method):
    """Catches a sensitivity of infinity, with a warning of numpy's, between two finite answers."""
    for call in (
        asked(function, PAIR, size=1, norm=norm, method=method),
        asked_of((0,), function, PAIR, norm=norm),
    ):
        with refused(ValueError, "query must give answers whose distance", "scale them down"):
            call(None)
    exactly = asked(lambda x: Fraction(far_ends(x)), PAIR, size=1, method=method)(None)
    assert exactly.value == 2 * Fraction(1e308)
    assert asked(far_sum, PAIR, size=1, norm=2)(None).value == 1e308 * math.sqrt(2)


@pytest.mark.parametrize("norm", [1, 2])
def test_decimals_beyond_their_context(norm):
    """Catches decimal.Overflow, and a gap of infinity."""
    far = {0: Decimal("-9e99"), 1: Decimal("9e99")}
    for answer in (lambda x: far[x[0]], lambda x: (far[x[0]], 1)):
        with localcontext(Emax=99):
            assert float(asked(answer, PAIR, size=1, norm=norm)(None)) == 1.8e100


@pytest.mark.parametrize("ends", [(0, 10**400), (-1e308, 1e308), (0, Fraction(1, 10**400))])
@pytest.mark.parametrize("query", [sl.SUM, sl.MEAN, sl.MEDIAN, sl.VARIANCE], ids=str)
def test_a_table_of_numbers_beyond_the_floats(query, ends):
    """Catches an OverflowError where the formula is attained and the ratio is 1."""
    universe = sl.Universe.value_range(list(ends))
    table = sl.compare([query], {"a": universe}, **TABLE)
    swept = sl.sweep([query], {"a": universe}, **TABLE)
    assert table["ratio"].tolist() == [1.0]
    assert swept["sensitivity"].tolist() == table["closed_form"].tolist()
    loose = sl.compare([query], {"a": sl.Universe.population([0, 1])}, **TABLE, bounds=(0, 10**400))
    assert loose["ratio"].tolist() == [math.inf]


def test_a_function_without_a_name_that_can_be_read():
    """Catches the error of an attribute in place of an answer."""
    nameless = type("Nameless", (Rude,), {"__call__": lambda self, dataset: 0})()
    assert asked(nameless, PAIR, size=1)(None).query.name == "Nameless"
    assert sl.count_where(nameless).name == "count_where(Nameless)"
