"""Laws that bind every public query and relation, on questions drawn anew with each commit."""

import math
from functools import partial

import pytest
from conftest import METHODS, PUBLIC, RELATIONS, SEED
from hypothesis import given, seed, settings
from hypothesis import strategies as st

import sensitivity_lab as sl

# By name: the query once its records are moved to `at(x)`, and by what power of a scale it grows.
QUERIES = {
    "COUNT": (lambda at: sl.COUNT, 0), "SUM": (lambda at: sl.SUM, 1),
    "MEAN": (lambda at: sl.MEAN, 1), "MEDIAN": (lambda at: sl.MEDIAN, 1),
    "quantile": (lambda at: sl.quantile(0.3), 1), "MIN": (lambda at: sl.MIN, 1),
    "MAX": (lambda at: sl.MAX, 1), "RANGE": (lambda at: sl.RANGE, 1), "STD": (lambda at: sl.STD, 1),
    "std": (lambda at: sl.std(ddof=1), 1), "VARIANCE": (lambda at: sl.VARIANCE, 2),
    "variance": (lambda at: sl.variance(ddof=1), 2),
    "count_distinct": (lambda at: sl.count_distinct, 0),
    "count_where": (lambda at: sl.count_where(lambda x: x > at(1)), 0),
    "histogram": (lambda at: sl.histogram([at(-3), at(0), at(4)]), 0),
}  # fmt: skip


def test_no_query_and_no_relation_stands_outside_the_law():
    """Catches a public query, or a relation, that nobody drew."""
    public = {name: getattr(sl, name) for name in PUBLIC}
    queries = {name for name, one in public.items() if isinstance(one, sl.Query)}
    for name in {name for name in public if name.islower()} - {"sql"}:
        told = getattr(public[name], "__annotations__", {}).get("return")
        queries |= {name} if "Query" in str(told) else set()
    assert queries == {*QUERIES, "count_people", "count_people_where"}
    assert {sl.Relation, *RELATIONS} == {
        one for one in public.values() if isinstance(one, type) and issubclass(one, sl.Relation)
    }


RELATION = st.builds(lambda of, k: of(k), st.sampled_from(RELATIONS), st.integers(1, 3))
RECORDS = st.lists(st.integers(-6, 6), min_size=2, max_size=6)


def gap(query, records, size, relation, method="auto", make=sl.Universe.population):
    """The sensitivity, if any dataset of this size has a neighbour; else less than any."""
    asked = {"size": size, "relation": relation, "method": method}
    try:
        return float(sl.global_sensitivity(query, make(records), **asked).value)
    except ValueError:
        return -math.inf


@seed(SEED)
@settings(max_examples=10)
@given(RECORDS, st.integers(1, 6), RELATION, st.randoms(use_true_random=False), st.integers(-9, 9))
@pytest.mark.parametrize("name", QUERIES)
def test_every_query_obeys_the_laws(name, records, size, relation, rng, more):
    """Catches lost neighbours, a proof too low, an answer by order or unit, a lenient audit."""
    made, degree = QUERIES[name]
    query, k, size = made(lambda x: x), relation.k, min(size, len(records))
    there = partial(gap, query, records, size)
    value = there(relation)

    # With more neighbours, or more records, the gap is never less.
    assert value <= (there(type(relation)(k + 1)) if relation.at_most else math.inf)
    assert value <= gap(query, [*records, more], size, relation)
    assert value <= gap(query, records, size, relation, make=sl.Universe.value_range)
    one_way = max(there(sl.Add(k)), there(sl.Remove(k)))
    assert one_way == there(sl.AddRemove(k)) <= there(sl.SymmetricDifference(k))
    assert there(sl.Change(k)) <= there(sl.SymmetricDifference(2 * k))

    # The order of records, their zero and unit, and the method say nothing.
    mixed = rng.sample(records, len(records))
    assert [gap(query, mixed, size, relation, method) for method in METHODS] == [value] * 3
    scale = 1 + abs(more)
    zero = more if name != "SUM" or isinstance(relation, sl.Change) else 0
    there = gap(
        made(lambda x: scale * x + zero), [scale * x + zero for x in records], size, relation
    )
    assert there == pytest.approx(scale**degree * value, rel=1e-12)
    if value >= 0:
        one_dataset_closed_forms_and_audits(query, records, size, relation, value)


def one_dataset_closed_forms_and_audits(query, records, size, relation, value):
    """One dataset never has more, a closed form never less, and an audit says the same."""
    universe, ends = sl.Universe.population(records), (min(records), max(records))
    found = sl.global_sensitivity(query, universe, size=size, relation=relation)
    locals_ = [
        float(sl.local_sensitivity(query, dataset, universe, relation=relation).value)
        for dataset in (found.witness[0], tuple(sorted(records)[:size]))
        if next(iter(relation.neighbours(dataset, universe)), None) is not None
    ]
    assert max(locals_) == locals_[0] == value
    if ends[0] < ends[1] and query.proved:
        form = sl.closed_form(query, bounds=ends, size=size, relation=relation)
        assert float(form.value) >= value
    for claim in {found.value, found.value / 2}:
        [row] = sl.audit(query, claim, universe, sizes=size, relations=relation).rows
        assert (float(row.exact), row.verdict == "too small") == (value, claim < found.value)
