"""Audits: planted errors are found, what holds is not accused, and the report can be trusted."""

import math
import pickle
import random
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from itertools import combinations_with_replacement, count, product
from operator import eq

import numpy as np
import pandas as pd
import pytest
from conftest import QUERIES, STANDARD, Euro, refused, seeds
from sensitivity_beyond.audit.subject import Subject

import sensitivity_lab as sl
from sensitivity_lab import definition as oracle
from sensitivity_lab.queries import as_query

DIGITS = sl.Universe.value_range([0, 1, 2, 3])
FIVE_OR_TEN = sl.Universe.value_range([5, 10])
ONE_CHANGED = [sl.Change(1)]
ONE_MOVED = [sl.SymmetricDifference(1)]
APART = {"output_metric": lambda a, b: abs(a - b)}
SEARCH = {"method": "search", "trials": 50}
ORDERS = [{"order": "any"}, {"order": "kept"}]
WAYS = [{}, *ORDERS, SEARCH, APART]  # how numbers can be audited


def spread(dataset):
    return dataset[-1] - dataset[0]


def last_and_first(dataset):
    return dataset[-1], dataset[0]


def plain_mean(dataset):
    return sum(dataset) / len(dataset)


def mean_or_zero(dataset):
    return Fraction(sum(dataset), max(len(dataset), 1))


def never(dataset):
    raise AssertionError("asked before the errors were")


def audited(function, claim, sizes, relations=ONE_CHANGED, universe=DIGITS, **options):
    """A report that holds; a range of sizes is one that the neighbour's size lies in, too."""
    named = {"sizes_within" if isinstance(sizes, range) else "sizes": sizes}
    report = sl.audit(function, claim, universe, **named, relations=relations, **options)
    assert report.check()
    return report


# --- planted errors --------------------------------------------------------------------------


def zeros_and_three(n):
    """The first dataset and neighbour of a size that lie 3 apart."""
    return n, (0,) * n, (*(0,) * (n - 1), 3)


@pytest.mark.parametrize(
    ("function", "claim", "sizes", "relations", "violations"),
    [
        (spread, Fraction(3, 2), range(2, 5), ONE_CHANGED, [zeros_and_three(n) for n in (2, 3, 4)]),
        (sl.MEAN, lambda k, size: Fraction(3 * k, size), range(1, 6), ONE_CHANGED, []),
        (sl.Query("mean_or_zero", mean_or_zero, smallest_size=0), 2, range(4), ONE_MOVED,
         [(0, (), (3,)), (1, (3,), ())]),
        (mean_or_zero, 2, [1, 2, 3], ONE_MOVED, [(1, (3,), ())]),
        (lambda d: 5 * (len({*d}) < len(d)), 4, [2], ONE_CHANGED, [(2, (0, 0), (0, 1))]),
    ],
)  # fmt: skip
def test_planted_errors(function, claim, sizes, relations, violations):
    """Catches an error that passes, a sound claim accused, another pair than the smallest."""
    report = audited(function, claim, sizes, relations)
    assert [(row.size, row.dataset, row.neighbour) for row in report.violations] == violations
    for row in report.violations:
        answers = function(row.dataset), function(row.neighbour)
        assert row.answers == answers
        assert row.ratio == Fraction(row.claimed) / abs(answers[0] - answers[1])


# --- every way of asking, against all pairs ----------------------------------------------------


@cache
def longest_common_subsequence(x, y):
    if not x or not y:
        return 0
    if x[-1] == y[-1]:
        return 1 + longest_common_subsequence(x[:-1], y[:-1])
    return max(longest_common_subsequence(x[:-1], y), longest_common_subsequence(x, y[:-1]))


def moved(x, y, order, relation):
    """How many records leave x, and how many join, on the way to y."""
    if order != "kept":
        shared = (Counter(x) & Counter(y)).total()
    elif isinstance(relation, sl.Change):
        shared = sum(map(eq, x, y))  # what is replaced stands where it stood
    else:
        shared = longest_common_subsequence(x, y)
    return len(x) - shared, len(y) - shared


@pytest.mark.parametrize("way", [{}, *ORDERS, APART], ids=lambda way: str(way)[:16])
@pytest.mark.parametrize("seed", seeds(15))
def test_every_way_against_all_pairs(seed, way):
    """Catches a reading or an edit that is lost, a record twice, a neighbour out of the range of
    sizes, a query measured by its square or unsorted; the other route compares all pairs of
    sequences."""
    rng, order = random.Random(f"{seed} {way}"), way.get("order")

    def odd(sequence):
        drawn = random.Random(f"{seed} {[*map(int, sequence)]}")
        return (drawn.randrange(99), drawn.randrange(99)) if vectors else drawn.randrange(99)

    vectors = rng.random() < 0.5 and way is not APART
    query, answer, least = odd, odd, 0
    if rng.random() < 0.3:
        name = rng.choice(["std", "median", "min", "variance(ddof=1)"])
        query, (sorted_answer, least) = QUERIES[name], oracle.QUERIES[name]
        answer = lambda sequence: sorted_answer(tuple(sorted(sequence)))  # noqa: E731
    records, sizes = rng.choices([0, 1, 4], k=4), rng.choice([[0, 1], [2], [3], range(1, 4)])
    relation, norm = rng.choice(STANDARD)(rng.randint(1, 2)), rng.choice([1, 2, math.inf])
    universe, copies = sl.Universe.population(records), Counter(records)
    if rng.random() < 0.5:
        universe, copies = sl.Universe.value_range(records), dict.fromkeys(records, 9)
    every = [x for n in range(sizes[-1] + 3) for x in product(copies, repeat=n)]
    every = [x for x in every if all(x.count(value) <= held for value, held in copies.items())]
    if order is None:
        every = [x for x in every if list(x) == sorted(x)]
    there = [y for y in every if isinstance(sizes, list) or len(y) in sizes]
    related, norm = partial(oracle.related, relation.kind, relation.k), 1 if way is APART else norm
    wanted = []
    for size in sizes:
        pairs = product([x for x in every if len(x) == size], there)
        near = {(x, y) for x, y in pairs if related(*moved(x, y, order, relation))}
        wanted.append(oracle.greatest(answer, least, near, norm))
    ask = partial(audited, query, 0, sizes, [relation], universe, norm=norm, **way)
    if not any(wanted):
        with refused(ValueError, "feasible"):
            ask()
        return
    for row, want in zip(ask().rows, wanted, strict=True):
        assert (row.verdict == "infeasible") == (want is None)
        if want is not None:
            assert float(row.found) == pytest.approx(float(want.value), rel=1e-15)
            assert isinstance(sizes, list) or len(row.neighbour) in sizes


def test_an_order_of_which_neither_end_is_the_widest():
    """Catches a walk that keeps the least and the greatest of answers in two arithmetics."""
    c, by_first = -(2**53 + 1), {1: 0, 2: 2**53 + 1, 3: 2.0**53 + 2}
    ask = {"universe": sl.Universe.population([1, 2, 3, 4]), "order": "any"}
    report = audited(lambda s: c if 4 in s else by_first[s[0]], 0, [3], **ask)
    # Seen from c the float 2⁵³ + 2 is 2⁵⁴ away, rounded, and the int 2⁵³ + 1, neither end, 2⁵⁴ + 2.
    assert report.rows[0].found == 2**54 + 2 > by_first[3] - c


# --- verdicts --------------------------------------------------------------------------------


TINY = Fraction(1, 10**30)


@pytest.mark.parametrize(
    ("claim", "answer", "verdict", "ratio"),
    [
        *((claim, answer, "exact", 1) for claim, answer in (
            (3, 3), (3.0, 3), (3 * (1 - 1e-12), 3), (0, 0), (Decimal("0.1"), Fraction(1, 10)),
            (Decimal("0.1"), 0.1),
            (np.float32(0.1), Fraction(1, 10)), (2**60, float(2**60)))),
        *((claim, answer, "loose", ratio) for claim, answer, ratio in (
            (3 * (1 + 1e-7), 3, 1 + 1e-7), (3 + TINY, 3, 1 + TINY / 3), (math.inf, 3, math.inf),
            (1, 0, math.inf),
            (Fraction(1, 3), Decimal(1) / 3, 1 + Fraction(1, 10**28 - 1)),
            (Decimal("0.2"), 0.1, 2.0), (Decimal("Infinity"), 1, math.inf),
            (np.longdouble("1e400"), 1, 10**400))),
        *((claim, answer, "too small", ratio) for claim, answer, ratio in (
            (3 * (1 - 1e-7), 3, 1 - 1e-7), (3 - TINY, 3, 1 - TINY / 3), (0, 3, 0),
            (2**60 - 1, 2**60, 1 - Fraction(1, 2**60)), (5e-324, 1e-323, 0.5))),
    ],
)  # fmt: skip
def test_verdicts(claim, answer, verdict, ratio):
    """Catches a tolerance given to exact numbers, withheld from floats; a rounded exact one."""
    (row,) = audited(lambda d: answer if d[0] else 0 * answer, claim, 1).rows
    assert (row.verdict, row.exact) == (verdict, answer)
    assert row.ratio == (pytest.approx(ratio, rel=1e-15) if type(ratio) is float else ratio)


# --- other answers, other claims ---------------------------------------------------------------


def test_answers_of_any_kind():
    """Catches a metric not used, or infinity for an error; tables held for noise; a lost None."""
    ask = {"output_metric": sl.symmetric_distance}
    report = audited(lambda d: d[:-1], 1, range(1, 4), [sl.Change(1), *ONE_MOVED], **ask)
    assert [row.exact for row in report.rows] == [0, 2, 2, 1, 1, 1]
    assert audited(lambda d: d[:-1], 1, 9, **SEARCH, **ask).worst.found == 2
    sometimes_longer = lambda d: d * (1 + (d[0] == 0))  # noqa: E731
    ask = {"output_metric": sl.change_one_distance}
    assert audited(sometimes_longer, 5, 2, **ask).worst.ratio == 0
    assert audited(sometimes_longer, math.inf, 2, **ask).headline == "exact"
    metric = {"output_metric": lambda a, b: abs(a["v"].sum() - b["v"].sum())}
    assert audited(table_of, 1, 2, **metric).rows[0].found == 3
    present = lambda d: sum(record is not None for record in d)  # noqa: E731
    query = sl.Query("present", present, takes_missing=True)
    for options in ({}, *ORDERS):
        universe = sl.Universe.value_range([1, None])
        assert audited(query, 0, 2, universe=universe, **options).worst.exact == 1


def test_claims_as_functions():
    """Catches a claim that is given the wrong arguments, or k where it names the size."""

    def times(factor, size, k):
        return Fraction(factor * k, size)

    for claim in (
        lambda size, k: Fraction(3 * k, size),
        lambda *, size, top=3: Fraction(top, size),
        lambda **place: Fraction(3 * place["k"], place["size"]),
        partial(times, 3),
    ):
        assert audited(sl.MEAN, claim, range(2, 5)).headline == "exact"
    rows = audited(sl.SUM, lambda k: 18 * k, 1, [sl.Change(1), sl.Change(2)]).rows
    assert [(row.claimed, row.ratio) for row in rows] == [(18, 6), (36, 12)]


@pytest.mark.parametrize(
    ("claim", "got"),
    [
        (lambda n, k: k, "of n, k"), (lambda k, size, order: k, "of k, size, order"),
        (lambda: 3, "no names"), (lambda *place: place[0], "of *place"),
        (eval("lambda k, /: k"), "of k"), (float, "x=0"),
        ({1: 2}.__getitem__, "a function of"),  # what it says of itself depends on Python
    ],
)  # fmt: skip
def test_claims_of_other_names_are_refused(claim, got):
    """Catches a claim whose parameters are filled by their place."""
    with refused(TypeError, "claim must be", "named k and size", got):
        sl.audit(never, claim, DIGITS, sizes=2, relations=ONE_CHANGED)


# --- the empty dataset ------------------------------------------------------------------------


@pytest.mark.parametrize("options", WAYS)
def test_what_was_not_asked_is_named(options):
    """Catches a row, a headline or a report that is silent about the empty dataset."""
    report = audited(plain_mean, 5, [1, 2], ONE_MOVED, FIVE_OR_TEN, **options)
    why = "remove 1: leaves 0 records, where plain_mean raised ZeroDivisionError: division by zero"
    assert [row.not_asked for row in report.rows] == [(why,), ()]
    assert report.not_asked == (why,)
    assert f"  not asked: {why}" in str(report)
    assert "Not asked in 1 row: remove 1." in report.scope
    assert ("a clean search proves nothing" in report.scope) == ("method" in options)
    assert why in report._repr_html_()
    assert report.to_frame()["not_asked"].tolist() == [why, ""]
    held = "no violation found" if options.get("method") else "held where asked"
    assert (report.rows[0].verdict, report.rows[0].exact) == (held, None)
    assert report.headline == f"{held}; the empty dataset was not asked"
    assert "found" in report.to_frame()
    with pytest.raises(AssertionError, match=r"(?s)remove 1: .*larger sizes.*allow_not_asked=True"):
        report.raise_if_too_small()
    report.raise_if_too_small(allow_not_asked=True)


@pytest.mark.parametrize(
    ("function", "verdict", "why"),
    [(plain_mean, "not asked", "plain_mean raised Zero"), (sl.MEAN, "infeasible", "mean needs 1")],
)
def test_rows_of_which_nothing_was_asked(function, verdict, why):
    """Catches a row called exact, or infeasible where the function failed."""
    report = audited(function, lambda size: Fraction(5, size), range(2), universe=FIVE_OR_TEN)
    assert [row.verdict for row in report.rows] == [verdict, "exact"]
    assert why in str(report.rows[0])
    assert f"(rows: 1 exact, 1 {verdict})" in str(report)
    assert report.to_frame()["ratio"].isna().tolist() == [True, False]
    assert "NaN" not in report._repr_html_()
    with refused(ValueError, "no row is feasible", why):
        sl.audit(function, 5, FIVE_OR_TEN, sizes=0, relations=ONE_CHANGED)


# --- noise ------------------------------------------------------------------------------------


def changing(*answers):
    """A function that gives the second answer to its twelfth call, and the first to all others."""
    calls = count()
    return lambda dataset: answers[next(calls) == 11]


def wrong_once():
    calls = count()
    return lambda dataset: sum(dataset) + 50 * (next(calls) == 7)


def with_noise():
    generator = np.random.default_rng(0)
    return lambda dataset: float(sum(dataset) + generator.laplace())


@pytest.mark.parametrize("made", [with_noise, wrong_once])
@pytest.mark.parametrize("options", WAYS)
def test_noise_gets_no_verdict(made, options):
    """Catches noise that is called too small, or loose, or exact."""
    for claim in (0, 1000):
        with refused(ValueError, "function must be deterministic", "<lambda> answered"):
            sl.audit(made(), claim, DIGITS, sizes=3, relations=ONE_CHANGED, **options)


CALLS = count()


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (changing([0, 0], [0, 0, 0]), "(0, 0) and (0, 0, 0)"),
        (changing(pd.Series([1, 2], list("ab")), pd.Series([1, 2], list("ac"))), "answered (1, 2)"),
        (sl.Query("calls", lambda d: next(CALLS) ** 2, 0, exact=True), "asked again"),
    ],
    ids=["of another shape", "in the labels", "of a query that says it is exact"],
)
def test_noise_of_any_kind_gets_no_verdict(function, words):
    """Catches other answers taken for one, or blamed on two; trust in `exact`; a long message."""
    with refused(ValueError, "function must be deterministic", words):
        sl.audit(function, 1, DIGITS, sizes=2, relations=ONE_CHANGED)
    metrics = BETWEEN | {"output_metric": lambda a, b: abs(a[0] - b[0])}
    shorter = lambda dataset: tuple(range(next(CALLS), 9999))  # noqa: E731
    with pytest.raises(ValueError, match=r"<lambda> answered \(.*\) on \(.*\), then \(") as caught:
        sl.audit_map(shorter, 1, [(0,) * 300, (1,)], distances=[999], **metrics)
    assert len(str(caught.value)) < 800


# --- workers ----------------------------------------------------------------------------------

ROUTES = [{}, *ORDERS, {"output_metric": math.dist}]


@pytest.mark.parametrize("options", ROUTES)
def test_workers_give_the_same_report(options):
    """Catches blocks lost or out of turn; what is no executor; a subject that cannot be sent."""
    asked = (last_and_first, 1, [1, 2, 3], [*ONE_CHANGED, sl.AddRemove(1)])
    with ThreadPoolExecutor(3) as threads:
        assert audited(*asked, **options, executor=threads) == audited(*asked, **options)
    for executor, word in ((4, "4"), (ThreadPoolExecutor, "class")):
        with refused(TypeError, "executor must be", word):
            audited(never, 1, 2, executor=executor, **options)
    sent = pickle.loads(pickle.dumps(Subject(as_query(last_and_first), 1, math.dist)))
    here, there = map(sent.answer, ((1, 2), (4, 2)))
    assert (here.answer, there.answer, sent.measure()(here, there)) == ((2, 1), (2, 4), 3)
    with (
        refused(ValueError, "executor is a pool of processes", "lambda"),
        ProcessPoolExecutor(1) as pool,
    ):
        audited(lambda dataset: 1, 1, 2, **options, executor=pool)


# --- any kind of number -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "top", "headline"),
    [
        (10**5000, 1, "loose by ×1e+5000"), (0.5, 10**400, "too small by ×2e+400"),
        (Fraction(1, 10**400), 1, "too small by ×1e+400"), (Euro(1.5), 3, "too small by ×2"),
        (10**400, 10**400, "exact"), (Decimal("1e400"), 0.5, "loose by ×2e+400"),
        (10**5000 + 1, 10**5000, "loose by ×(1 + 1e-5000)"), (math.inf, 10**5000, "loose"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_numbers_that_no_float_holds(claim, top, headline):
    """Catches a report that cannot be written, or that takes a page."""
    report = audited(lambda d: top * d[0], claim, [1], universe=sl.Universe.value_range([0, 1]))
    assert report.headline == headline
    for text in (str(report), report._repr_html_(), str(report.rows[0]), str(report.snippet())):
        assert len(text) < 2000
    assert len(report.to_frame()) == 1


# --- the report ------------------------------------------------------------------------------


def test_text():
    """Catches a report that hides its verdict or its witness; the examples show it whole."""
    report = audited(spread, 1.5, range(2, 5))
    assert repr(report) == str(report)
    assert str(report).startswith("spread: too small by ×2 (rows: 3 too small)\nChange(1), size 2:")
    vector = sl.Query("halves", lambda dataset: (Fraction(dataset[0], 2), dataset[0] / 7))
    for words, (function, claim, sizes, universe) in {
        "claimed 5/3, exact 1\nHeld": (sl.MEAN, Fraction(5, 3), 3, DIGITS),
        "… and 3 more": (spread, 1, range(2, 9), DIGITS),
        "×(1 + 1e-07)": (spread, 3 * (1 + 1e-7), 2, DIGITS),
        "too small, claimed 0": (spread, 0, 2, DIGITS),
        "(5 ×40) → 5\n  (5 ×39, 10) → 10": (sl.MAX, 1, 40, FIVE_OR_TEN),
        "(3) → (3/2, 0.428571)": (vector, 0, 1, DIGITS),
    }.items():
        assert words in str(audited(function, claim, sizes, universe=universe))


def test_snippets(capsys):
    """Catches a snippet that cannot be run, completed where the function is a reader's own."""
    values = sl.Universe.value_range([Fraction(1, 2), np.float32(3)])
    snippet = str(audited(spread, 1, 2, universe=values).snippet())
    exec(snippet.replace("# define spread here", "def spread(x): return x[-1] - x[0]"), {})
    assert capsys.readouterr().out == "0\n2.5\n"
    assert "function(dataset)" in audited(lambda dataset: dataset[-1], 1, 2).snippet()
    assert "# define mean here" in audited(np.mean, 0.5, 2).snippet()
    report = audited(sl.STD, 0.5, 2, universe=sl.Universe.value_range([0, Fraction(1, 2), 4]))
    exec(str(report.snippet()), {})  # which the package has
    assert capsys.readouterr().out == "".join(f"{each}\n" for each in report.rows[0].answers)
    huge = sl.Universe.value_range([0, 10**5000, Fraction(1, 10**5000)])
    report = audited(max, 1, [1], universe=huge)
    assert "(1e+5000) → 1e+5000" in str(report)
    assert "1e+5000" in report._repr_html_()
    shown = []
    exec(str(report.snippet()), {"print": shown.append})
    assert set(shown) == set(report.rows[0].answers)


def test_the_report_holds_what_was_asked():
    """Catches a scope that leaves something out, violations out of order, a `check` of yes."""
    relations, shift = [sl.Change(1), sl.Add(1)], []
    report = audited(spread, 1, [1, 4], relations, sl.Universe.population([0, 1, 2, 3]))
    asked = report.asked
    assert asked.universe == sl.Universe.population([0, 1, 2, 3])
    assert (asked.sizes, asked.sizes_within) == ((1, 4), None)
    assert asked.relations == (sl.Change(1), sl.Add(1))
    assert report.scope == (
        "Held against all pairs from Universe.population([0, 1, 2, 3]), sizes 1, 4, under "
        'Change(1), Add(1); "exact" and "loose" speak of these. '
        "Not feasible in 2 rows: change 1, add 1."
    )
    for options, words in (
        ({"order": "any"}, "in every order"), ({"order": "kept"}, "as sequences edited in place"),
        ({"output_metric": math.dist}, "measured by dist"), ({"norm": 2}, "in L2"),
        ({"output_metric": lambda a, b: 0}, "measured by output_metric"),
        (SEARCH, "Search: 50 pairs a row, from"),
    ):  # fmt: skip
        assert words in audited(last_and_first, 1, 2, **options).scope
    assert "both sizes from 1 to 3" in audited(spread, 1, range(1, 4)).scope
    report = audited(spread, 1, [3, 2], [sl.Change(2), sl.Change(1)])
    assert [(row.size, row.k) for row in report.violations] == [(2, 1), (2, 2), (3, 1), (3, 2)]
    report = audited(lambda dataset: dataset[0] * (1 + len(shift)), 1, 1)
    shift.append(1)
    assert not report.check()


def table_of(dataset):
    return pd.DataFrame({"v": list(dataset)})


def rows_apart(x, y):
    return sl.symmetric_distance(x["v"], y["v"])


SMALL = [d for n in range(4) for d in combinations_with_replacement((0, 1, 2), n)]
BETWEEN = {"input_metric": sl.symmetric_distance, "output_metric": sl.symmetric_distance}
OF_TABLES = {"input_metric": rows_apart, "output_metric": rows_apart}


@pytest.mark.parametrize("options", [*ROUTES, SEARCH, "a map of tables"])
def test_reports_are_values(options, capsys):
    """Catches a report that cannot be kept, or differs from its equal; one made in silence."""
    if options == "a map of tables":  # which have no hash and no truth
        tables, asked = [table_of(d) for d in SMALL], {"distances": [1, 2], **OF_TABLES}
        report, other = (sl.audit_map(pd.DataFrame.copy, c, tables, **asked) for c in (1, 2))
    else:
        asked = ([1, 2], [sl.Change(1), sl.SymmetricDifference(1)])
        report, other = (audited(last_and_first, claim, *asked, **options) for claim in (1, 2))
        assert capsys.readouterr().err == ""
        assert audited(last_and_first, 1, *asked, **options, progress=True) == report
        assert "100%" in capsys.readouterr().err
    again = pickle.loads(pickle.dumps(report))
    assert (again == report, hash(again) == hash(report), again.check()) == (True, True, True)
    assert (str(again), again.rows) == (str(report), report.rows)
    assert other != report
    assert again.rows[0] != report.rows[1]
    assert len({*again.rows, *report.rows}) == len(report.rows)


# --- maps ------------------------------------------------------------------------------------


def test_map():
    """Catches a stability that is not the maximum over pairs within the distance."""
    doubled = lambda dataset: (*dataset, *dataset)  # noqa: E731
    report = sl.audit_map(doubled, lambda d: 2 * d, SMALL, distances=[0, 1, 2, 3], **BETWEEN)
    assert [row.exact for row in report.rows] == [0, 2, 4, 6]
    assert (report.headline, report.check()) == ("exact", True)
    assert set(report.to_frame()["relation"]) == {"symmetric_distance"}
    wrong = sl.audit_map(doubled, 2, SMALL, distances=[2, 1], **BETWEEN)
    assert [row.verdict for row in wrong.rows] == ["too small", "exact"]
    (violation,) = wrong.violations
    assert (violation.dataset, violation.neighbour) == ((), (0, 0))
    assert "20 inputs" in str(wrong)


# --- breaking values -------------------------------------------------------------------------


def test_breaking_values():
    """Catches a value outside the bounds, one that is no number of the dtype, and one missing."""
    assert sl.breaking_values((0, 2**60), int) == [0, 1, 2**60 - 1, 2**60]
    assert {0, 255} <= set(sl.breaking_values((0, 255), "uint8"))  # the ends of the type itself
    found = sl.breaking_values((0.0, 1e17))
    assert {0.0, 5e-324, 2.0**53 - 1, 2.0**53, 1e17, math.nextafter(1e17, 0)} <= set(found)
    assert all(type(v) is float and 0 <= v <= 1e17 for v in found)
    half = sl.breaking_values((-1, 4096), np.float16)
    assert {np.float16(2047), np.float16(2048), np.float16(4094)} <= set(half)
    assert all(type(v) is np.float16 and -1 <= v <= 4096 for v in half)
    beyond = sl.breaking_values((-128, 5), np.int8, outside=True, missing=True)
    assert beyond == [-128, -127, 0, 1, 4, 5, 6, 127, None]
    floats = sl.breaking_values((0, 1), outside=True)
    assert {np.nextafter(1.0, 2.0), np.finfo(float).max} <= {*floats}
    narrow = lambda dataset: int(np.array(dataset, dtype=np.int8).sum(dtype=np.int8))  # noqa: E731
    universe = sl.Universe.value_range(sl.breaking_values((0, 1), np.int8))
    report = audited(narrow, 1, range(126, 129), ONE_MOVED, universe)  # which overflows at 128
    assert (report.worst.exact, report.violations[0].dataset) == (255, (1,) * 127)


@pytest.mark.parametrize(
    ("bounds", "dtype", "error", "words"),
    [
        *((bounds, dtype, ValueError, ["bounds", *words]) for bounds, dtype, *words in (
            ((0, 300), np.int8, "int8", "(0, 300)"), ((0.5, 1), np.int8, "int8", "0.5"),
            ((0, math.nan), float, "nan"),
            ((0, math.inf), float, "inf"), ((0, 1e6), np.float16, "float16"),
            ((3, 1), float, "must rise", "(3, 1)"))),
        *(((0, 1), dtype, TypeError, ["dtype", dtype.__name__]) for dtype in (complex, bool)),
    ],
)  # fmt: skip
def test_breaking_values_errors(bounds, dtype, error, words):
    """Catches bounds that are bent to fit a dtype in silence; numpy's own words for an array."""
    with refused(error, *words):
        sl.breaking_values(bounds, dtype)
    for what, wanted in product(("outside", "missing"), (np.array([1, 2]), "yes", None, 1)):
        with pytest.raises(TypeError, match=f"{what} must be True or False, got {what}="):
            sl.breaking_values((0, 1), **{what: wanted})


# --- errors ----------------------------------------------------------------------------------


# ruff: disable[E501]
@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"function": 3}, TypeError, ["function must be", "3"]),
        ({"universe": [1]}, TypeError, ["universe must be", "[1]"]),
        *(({"claim": claim}, error, words) for claim, error, words in (
            ("1", TypeError, ["claim", "number of at least 0", "'1'"]),
            *((claim, ValueError, ["claim", "at least 0", str(claim)]) for claim in (-1, math.nan, Decimal("NaN"))),
            (lambda k, size: -size, ValueError, ["claim at k=1, size=2", "-2"]),
            (lambda k, size: 1 / (size - 2), ValueError, ["claim failed at k=1, size=2", "Zero"]),
            (lambda k: None, TypeError, ["claim at k=1", "None"]))),
        *(({"sizes": sizes}, error, words) for sizes, error, words in (
            ([], ValueError, ["sizes must not be empty"]), (-1, ValueError, ["size", "-1"]), (1.5, ValueError, ["size", "1.5"]),
            ("2", TypeError, ["size", "'2'"]), (0, ValueError, ["no row is feasible", "size 0: never raised"]))),
        *(({"relations": relations}, error, words) for relations, error, words in (
            (5, TypeError, ["relations must be a list", "5"]), ([], ValueError, ["relations must not be empty"]),
            ([1], TypeError, ["relation must be", "1"]))),
        *(({name: value} | more, ValueError, [f"{name} must be", repr(value), *more]) for name, value, more in (
            ("norm", 3, {}), ("order", "some", {}), ("method", "guess", {}), ("method", "sweep", {"order": "any"}),
            ("method", "sweep", {"output_metric": max}))),
        ({"output_metric": 1}, TypeError, ["output_metric", "1"]),
        *(({"method": "search", **given}, error, words) for given, error, words in (
            ({"trials": 0}, ValueError, ["trials", "0"]), ({"trials": 2.5}, ValueError, ["trials"]),
            ({"seconds": 0}, ValueError, ["seconds must be above 0"]), ({"seconds": math.inf}, ValueError, ["seconds must be above 0"]),
            ({"seconds": "9"}, TypeError, ["seconds must be a number"]), ({"seed": -1}, ValueError, ["seed", "-1"]),
            ({"executor": ThreadPoolExecutor(1)}, ValueError, ["executor must be None for method='search'", "every other method"]))),
        ({"max_datasets": 0}, ValueError, ["max_datasets", "0"]),
        ({"max_datasets": 5}, ValueError, ["10 datasets", "limit of 5"]),
        ({"max_datasets": 12, "order": "any"}, ValueError, ["16 sequences", "limit of 12"]),
        ({"max_datasets": 12, "order": "any", "sizes": 3, "universe": sl.Universe.population([1, 1, 1, 2, 3])}, ValueError,
         ["13 sequences", "limit of 12"]),
        ({"max_datasets": 16, "order": "kept", "relations": [sl.Change(2)]}, ValueError, ["400 pairs", "limit of 320"]),
        # work or memory without end, counted before it begins
        ({"sizes": range(10**12)}, ValueError, ["10,000 rows", "1,000,000,000,000 sizes"]),
        ({"sizes": None, "sizes_within": range(10**30)}, ValueError, ["10,000 rows", "over 10^18 sizes"]),
        ({"sizes": iter(int, 1)}, ValueError, ["10,000 rows", "10,001 sizes"]),
        ({"sizes": range(1, 2000), "relations": [sl.Change(k) for k in range(1, 9)]}, ValueError, ["10,000 rows", "1,999 sizes × 8 relations"]),
        ({"sizes": range(1, 99), "relations": [sl.SymmetricDifference(900)]}, ValueError, ["20,000,000 moves", "406,351 moves"]),
        ({"sizes": 10**12, "method": "search"}, ValueError, ["2,000,000,000,000 records", "20,000,000"]),
        ({"sizes": 10**12, "universe": sl.Universe.value_range([0])}, ValueError, ["records", "20,000,000"]),
        ({"sizes": 9, "method": "search", "trials": 10**9}, ValueError, ["1,000,000,000 pairs", "trials"]),
        ({"sizes": 10**6, "method": "search", "trials": 10**5}, ValueError, ["records to read", "trials"]),
        ({"sizes": 9, "order": "any", "output_metric": max, "max_datasets": 10**6}, ValueError, ["pairs", "limit of 20,000,000"]),
        # what the function or the metric answers, and sizes that are guessed at by their type
        ({"function": lambda s: s[: s[0]], "order": "any"}, ValueError, ["one shape"]),
        ({"function": max, "output_metric": lambda a, b: "far"}, TypeError, ["output_metric", "at least 0"]),
        ({"function": max, "output_metric": lambda a, b: -1}, ValueError, ["output_metric", "at least 0"]),
        *((way, ValueError, ["never", "dataset (", "AssertionError"])
          for way in ({}, {"order": "any"}, {"output_metric": abs}, {"method": "search"})),
        ({"sizes": None}, TypeError, ["exactly one of sizes and sizes_within"]),
        ({"sizes_within": range(3)}, TypeError, ["exactly one of sizes and sizes_within"]),
        ({"sizes": None, "sizes_within": [1, 2]}, TypeError, ["sizes_within must be a range", "[1, 2]", "sizes="]),
        ({"sizes": None, "sizes_within": 2}, TypeError, ["sizes_within must be a range", "2"]),
        ({"size": 2}, TypeError, ["audit takes sizes, not size: sizes=6"]),
    ],
)  # fmt: skip
# ruff: enable[E501]
def test_errors(changed, error, words):
    """Catches bad input noticed after the function was asked; a failure without its dataset."""
    options = {"function": never, "claim": 1, "universe": DIGITS, "sizes": 2}
    with refused(error, *words):
        sl.audit(**options | {"relations": ONE_CHANGED} | changed)


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"function": 3}, TypeError, ["function must be", "3"]),
        ({"inputs": []}, ValueError, ["inputs must not be empty"]),
        ({"distances": []}, ValueError, ["distances must not be empty"]),
        ({"distances": [-1]}, ValueError, ["distances", "-1"]),
        ({"input_metric": 1}, TypeError, ["input_metric", "1"]),
        ({"function": len, "inputs": [(1,)], "input_metric": lambda a: 0}, ValueError,
         ["input_metric failed on (1,)"]),
        ({"function": len, "input_metric": lambda a, b: 1}, ValueError,
         ["input_metric must be 0", "got 1 on ()"]),
        ({"output_metric": None}, TypeError, ["output_metric", "None"]),
        ({"claim": math.nan}, ValueError, ["claim", "nan"]),
        ({"claim": lambda d: -d}, ValueError, ["claim at distance=1", "-1"]),
        ({"inputs": iter(int, 1), "max_pairs": 10**6}, ValueError, ["pairs", "limit of 1,000,000"]),
        ({"distances": iter(int, 1)}, ValueError, ["distances", "10,000 rows"]),
        ({"max_pairs": 100}, ValueError, ["at least 120 pairs", "limit of 100"]),
    ],
)  # fmt: skip
def test_map_errors(changed, error, words):
    """Catches bad input that is noticed only after the function was asked, or not at all."""
    options = {"function": never, "claim": 1, "inputs": SMALL, "distances": [1], **BETWEEN}
    with refused(error, *words):
        sl.audit_map(**options | changed)
