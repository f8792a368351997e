"""L-statistics: their functions, closed forms and solvers, each against a second route.

`SOLVER_CASES=n` asks n random questions instead of the usual number.
"""

import math
import os
import pickle
import random
from fractions import Fraction

import numpy as np
import pytest
from conftest import STANDARD as RELATIONS
from conftest import refused
from routes import CENTRAL, KINDS, RANKS, Drawn
from scipy import stats
from sensitivity_book.theory.research import layouts

import sensitivity_lab as sl
from sensitivity_lab.proved.ranks import one_dataset, population, weights
from sensitivity_lab.proved.ranks.population import RankProgram, RanksOnPopulation, Shifts
from sensitivity_lab.proved.ranks.weights import Steps
from sensitivity_lab.proved.sorted_records import SortedRecords
from sensitivity_lab.shown.python import python_of

CASES = int(os.environ.get("SOLVER_CASES", "40"))
# --- what they are -----------------------------------------------------------------------------


def by_definition(name, x):
    """The answer on a list of floats, by SciPy or NumPy."""
    lower, upper = np.quantile(x, [0.25, 0.75])
    # ruff: disable[E501]
    return {
        "range": lambda: np.ptp(x),
        "interquartile_range": lambda: stats.iqr(x),
        "midhinge": lambda: (lower + upper) / 2,
        "gini_mean_difference": lambda: np.mean([abs(a - b) for i, a in enumerate(x) for b in x[:i]]),
        "trimmed_mean": lambda: stats.trim_mean(x, 0.25),
        "winsorised_mean": lambda: np.mean(stats.mstats.winsorize(np.array(x), (0.25, 0.25))),
    }[name]()  # fmt: skip
    # ruff: enable[E501]


@pytest.mark.parametrize(
    "query", [*RANKS[:4], sl.trimmed_mean(0.25), sl.winsorised_mean(0.25)], ids=str
)
def test_answers_are_those_of_scipy_and_numpy(query):
    """Catches a rank that is weighed wrongly, and one record too many that is cut."""
    rng = random.Random(str(query))
    for n in [*range(query.smallest_size, 14)] * 3:
        x = [rng.randint(-20, 20) / 4 for _ in range(n)]
        assert float(query(x)) == pytest.approx(by_definition(query.name.split("(")[0], x))


def test_a_cut_of_a_tenth_is_a_tenth():
    """Catches ⌊0.3·10⌋ = 2, which is what floats make of a cut that is no binary fraction."""
    assert sl.trimmed_mean(0.3)(range(10)) == Fraction(9, 2)
    assert sl.trimmed_mean(0.29)((0,) * 29 + (1,) * 71) == 1
    assert sl.winsorised_mean(0.29)((0,) * 29 + (1,) * 71) == 1


def test_weights_of_ones_own_are_equal_and_travel():
    """Catches a closure in a query, and a text that makes another one."""
    drawn = [sl.l_statistic(Drawn(seed, "any")) for seed in (1, 2)]
    again = pickle.loads(pickle.dumps(drawn[0]))
    assert (again, again((1, 2, 8))) == (drawn[0], drawn[0]((1, 2, 8)))
    assert (drawn[0] != drawn[1], python_of(drawn[0])) == (True, None)
    assert (drawn[0].name, sl.trimmed_mean(0.1).name) == ("l_statistic(Drawn)", "trimmed_mean(0.1)")
    assert sl.l_statistic(Drawn(1, "any"), name="mine").name == "mine"


# --- on an interval ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_few_steps_and_many_have_one_widest_place(seed):
    """Catches a corner that is not looked at, and a window that is one too short."""
    rng = random.Random(f"places {seed}")
    for kind in KINDS:
        c, a, b = rng.randint(0, 30), rng.randint(0, 9), rng.randint(1, 9)
        steps = [Steps.of((w, 1) for w in Drawn(seed, kind)(n)) for n in (c + a, c + b)]
        if min(c + a, c + b) > 0:
            corners = weights.widest_at_corners(*steps, (c, a, b))
            assert corners == weights.widest_everywhere(*steps, (c, a, b))


@pytest.mark.parametrize("query", [*RANKS[:4], *CENTRAL[2::3]], ids=str)
@pytest.mark.parametrize("family", RELATIONS, ids=lambda family: family.__name__)
def test_with_at_least_m_records_no_known_size_has_more(query, family):
    """Catches a larger size that was not asked about; some known size attains the value."""
    for least in (query.smallest_size, 5):
        for k in (1, 3):
            asked = {"bounds": (0, 1), "relation": family(k)}
            form = sl.closed_form(query, min_size=least, **asked)
            sizes = sl.closed_form(query, size=range(least, least + 22 + 2 * k), **asked)
            assert (form.value, form.status) == (sizes.value, "exact"), (least, k)
            assert min(map(len, form.witness)) >= least
            assert abs(query(form.witness[0]) - query(form.witness[1])) == form.value


def test_a_size_of_a_million_million_needs_no_list():
    """Catches work in proportion to the size, where the weights have few steps."""
    n = 10**12
    values = sl.Universe.value_range(range(101))
    for query in [query for query in RANKS if query is not sl.GINI_MEAN_DIFFERENCE]:
        form = sl.closed_form(query, bounds=(0, 100), size=n, relation=sl.Change(3))
        found = sl.global_sensitivity(query, values, size=n, relation=sl.Change(3))
        assert found.value == form.value
    assert sl.closed_form(
        sl.trimmed_mean(0.1), bounds=(0, 8), size=n, relation=sl.Change(1)
    ).value == Fraction(1, 10**11)
    with pytest.raises(sl.TooLarge, match="weights are listed for at most 5,000,000 records"):
        sl.closed_form(sl.GINI_MEAN_DIFFERENCE, bounds=(0, 1), size=n, relation=sl.Change(1))


# --- on a population -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["range", "named", *KINDS])
def test_every_share_of_a_population_equals_a_brute_force(kind):
    """Catches a layout that the program, the shifts or the range's runs pass over:
    all 4^m are tried."""
    rng = random.Random(f"shares {kind}")
    by_shifts = 0
    for _ in range(CASES // 20):
        query = {"range": sl.RANGE, "named": rng.choice(RANKS)}.get(kind)
        query = query or sl.l_statistic(Drawn(rng.random(), kind))
        records = tuple(sorted(rng.choices(range(rng.choice([3, 9, 100])), k=rng.randint(3, 6))))
        population = SortedRecords.of(sl.Universe.population(records))
        engines = (
            RanksOnPopulation(population, query.proved.weights),
            query.proved.on_population(population, 1),
        )
        for share, widest in layouts.widest(query, records).items():
            c, a, b = share
            if min(c + a, c + b) == 0:
                continue
            sides = (query.proved.weights.steps(c + a), query.proved.weights.steps(c + b))
            pairs = [RankProgram(population, *sides, share).widest(), *(d(*share) for d in engines)]
            by_shifts += all(side.never_negative for side in sides)
            for pair in pairs:  # the range says nothing where the gap is not positive
                assert pair.gap == widest or (query is sl.RANGE and pair.gap <= widest <= 0)
                answers = [query(side) for side in pair.pair()]
                assert answers[0] - answers[1] == pair.gap
                assert [*map(len, pair.pair())] == [c + a, c + b]
                runs = [*pair.common, *pair.removed, *pair.added]
                held = [i for start, stop in runs for i in range(start, stop)]
                assert len(held) == len(set(held)) == a + b + c
    assert by_shifts > 0 or kind != "never negative"


@pytest.mark.parametrize("seed", range(4))
def test_the_shifts_and_the_program_agree_on_sixty_records(seed):
    """Catches stretches that are cut wrongly: there are many of them, and room to move."""
    rng = random.Random(f"sixty {seed}")
    records = rng.choices(range(99), k=60)
    population, middle = SortedRecords.of(sl.Universe.population(records)), 0
    drawn = sl.l_statistic(Drawn(seed, "never negative"))
    for query in (drawn, sl.winsorised_mean(0.25), sl.MIDHINGE):
        share = c, a, b = rng.randint(5, 20), rng.randint(0, 4), rng.randint(0, 4)
        sides = [query.proved.weights.steps(n) for n in (c + a, c + b)]
        shifts = Shifts(population, *sides, share)
        assert shifts.widest().gap == RankProgram(population, *sides, share).widest().gap
        middle += len(shifts.middle)
    assert middle >= 3


SCALED = [sl.VARIANCE, sl.STD, *RANKS[1:4], sl.winsorised_mean(0.1)]


@pytest.mark.parametrize("query", SCALED, ids=str)
@pytest.mark.parametrize("factor", [2**20, 2**25, 2**50, 2**90])
def test_records_that_are_scaled_have_a_gap_that_is(query, factor):
    """Catches sums and squares that wrap: in 64 bits, in two halves of 31 bits,
    and as Python ints."""
    plain = np.random.default_rng(3).integers(0, 1000, 40).tolist()
    for relation in (sl.Change(2), sl.AddRemove(1)):
        ask = {"size": 20, "relation": relation, "method": "solver"}
        small, large = (
            sl.global_sensitivity(query, sl.Universe.population(records), **ask)
            for records in (plain, [(record + 7) * factor for record in plain])
        )
        assert large.value == small.value * factor ** (2 if query is sl.VARIANCE else 1)
        assert large.check()


# --- what is refused ------------------------------------------------------------------------------


def test_a_program_that_is_too_large_is_refused_before_it_starts(monkeypatch):
    """Catches a run of hours, and tables that no memory holds."""
    universe = sl.Universe.population(np.arange(200_000))
    ask = {"size": 100_000, "relation": sl.Change(1)}
    monkeypatch.setattr(RankProgram, "widest", lambda self: pytest.fail("it started"))
    for query in (sl.INTERQUARTILE_RANGE, sl.GINI_MEAN_DIFFERENCE):
        with refused(sl.NotProved, "no proof for", query.name):
            sl.global_sensitivity(query, universe, method="solver", **ask)
        with refused(sl.TooLarge, "no proved solver covers", query.name):
            sl.global_sensitivity(query, universe, **ask)
    asked = RankProgram(
        SortedRecords.of(universe), Steps.of([(1, 100_000)]), Steps.of([(1, 100_000)]),
        (99_999, 1, 1)
    )  # fmt: skip
    assert asked.cells > population.MOST_CELLS
    assert asked.held > population.MOST_HELD


def test_a_dataset_with_too_many_neighbours_is_not_traced(monkeypatch):
    """Catches a table of every record for each number that leaves and joins."""
    monkeypatch.setattr(one_dataset, "MOST_CELLS", 10)
    school = sl.Universe.population([1, 2, 3, 10])
    with refused(sl.NotProved, "no proof for range"):
        sl.local_sensitivity(sl.RANGE, (1, 2), school, relation=sl.Change(1), method="solver")
    ask = {"relation": sl.Change(1), "method": "solver"}
    assert sl.local_sensitivity(sl.MIDHINGE, (1, 2), school, **ask).value == Fraction(9, 2)


FAULTS = {
    "too few": (lambda n: [1], ValueError, ("weights(3) must be 3 numbers, got 1",)),
    "text": (lambda n: "abc", TypeError, ("weights(3) must be a sequence of numbers",)),
    "no number": (lambda n: [1, None, 2], TypeError, ("weights(3) must be a number, got None",)),
    "not finite": (lambda n: [1, math.nan, 2], ValueError, ("weights(3) must be finite",)),
    "a failure": (lambda n: 1 / 0, ValueError, ("failed on n=3", "ZeroDivisionError")),
}


@pytest.mark.parametrize("name", FAULTS)
def test_weights_that_are_none_are_refused(name):
    """Catches weights that are cut, or filled up, or rounded, without a word."""
    weights, error, words = FAULTS[name]
    query = sl.l_statistic(weights)
    with refused(ValueError, *words):
        query((1, 2, 3))
    with refused(error, *words):
        sl.closed_form(query, bounds=(0, 1), size=3, relation=sl.Change(1))


def test_what_cannot_be_a_weight_or_a_cut_is_refused():
    """Catches a cut that leaves nothing, and a size that no proof covers."""
    with refused(TypeError, "weights must be callable, got [1]"):
        sl.l_statistic([1])
    for make in (sl.trimmed_mean, sl.winsorised_mean):
        for cut in (0.5, -0.1, 1):
            with refused(ValueError, "cut must be at least 0 and below 1/2, got cut="):
                make(cut)
        with refused(TypeError, "cut must be a number"):
            make("a tenth")
        assert len(make(Fraction(1, 10**5000)).name) < 100
    with refused(sl.NotProved, "min_size must be None for this query"):
        sl.closed_form(
            sl.l_statistic(Drawn(1, "any")), bounds=(0, 1), min_size=3, relation=sl.Change(1)
        )
    long = sl.trimmed_mean(Fraction(123_457, 1_000_003))
    with refused(sl.TooLarge, "1,000,003 sizes"):
        sl.closed_form(long, bounds=(0, 1), min_size=3, relation=sl.Change(1))
    with refused(ValueError, "gini_mean_difference needs a dataset of at least 2 records, got 1"):
        sl.GINI_MEAN_DIFFERENCE([1])


def test_the_formula_of_any_weights_names_the_function_d():
    """Catches a text for a query without one, and another relation's."""
    query = sl.l_statistic(Drawn(1, "any"))
    for family in RELATIONS:
        form = sl.closed_form(query, bounds=(0, 1), size=4, relation=family(1))
        assert "D(n" in form.formula or "Add(k)" in form.formula
        assert form.source == "Proofs: l-interval"
        assert form.status == "exact"


def test_the_sizes_next_to_the_smallest_do_not_decide():
    """Catches thm-sizes, which speaks of other queries, where a cut grows at size 100 alone."""
    query, joins = sl.winsorised_mean(Fraction(1, 100)), sl.SymmetricDifference(1)
    wide = [
        sl.closed_form(query, bounds=(0, 1), size=range(90, last), relation=joins).value
        for last in (95, 102)
    ]
    known = sl.closed_form(query, bounds=(0, 1), min_size=90, relation=joins).value
    assert [*wide, known] == [Fraction(1, 91), Fraction(2, 101), Fraction(2, 101)]
