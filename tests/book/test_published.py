"""All 320 sensitivities that *Global Sensitivity From Scratch* printed, three ways.

Provenance: gonzalo-munillag/Blog, Global_Sensitivity.ipynb, commit 965016e, printed outputs; and
the 200 local ones of its companion, Local_Sensitivity.ipynb, commit 46c9c55, two ways.
"""

import pytest
from sensitivity_book.scenarios import (
    published_local_sensitivities,
    published_sensitivities,
    scenarios,
)

import sensitivity_lab as sl

SCENARIOS = scenarios()
PUBLISHED = published_sensitivities()
LOCAL = published_local_sensitivities()
QUERIES = {
    query.name: query
    for query in (
        sl.COUNT, sl.SUM, sl.MEAN, sl.MEDIAN, sl.VARIANCE, sl.STD,
        *map(sl.quantile, (0.25, 0.5, 0.75, 0.9)),
    )
}  # fmt: skip


def test_nothing_published_is_left_out():
    """Catches a lost row: 10 queries, 2 relations, and 16 columns × distances."""
    assert len(PUBLISHED) == 320
    assert set(PUBLISHED["query"]) == set(QUERIES)
    counts = PUBLISHED.groupby(["scenario", "relation", "k"]).size()
    assert set(counts) == {20}
    assert not PUBLISHED.drop(columns="value").duplicated().any()


@pytest.mark.parametrize("method", ["auto", "walk"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_one_by_one(scenario, method):
    """Catches any published number that the package does not reproduce, by either route."""
    known = SCENARIOS[scenario]
    for row in PUBLISHED[PUBLISHED["scenario"] == scenario].itertuples():
        r = sl.global_sensitivity(
            QUERIES[row.query],
            known.universes[row.column],
            size=known.size,
            relation=getattr(sl, row.relation)(row.k),
            method=method,
        )
        assert float(r) == pytest.approx(row.value, rel=0, abs=1e-9), row
        assert r.check(), row


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_as_one_table(scenario):
    """Catches a table that loses, repeats or mislabels a row."""
    known = SCENARIOS[scenario]
    relations = [relation(k) for relation in (sl.AddRemove, sl.Change) for k in known.distances]
    table = sl.sweep(list(QUERIES.values()), known.universes, size=known.size, relations=relations)
    published = PUBLISHED[PUBLISHED["scenario"] == scenario]
    assert len(table) == len(published)
    keys = ["column", "query", "relation", "k"]
    both = table.merge(published, on=keys, validate="one_to_one")
    assert len(both) == len(published)
    gaps = (both["sensitivity"].astype(float) - both["value"]).abs()
    assert gaps.max() < 1e-9


def test_local_one_by_one():
    """Catches any published local sensitivity that the package does not reproduce."""
    assert len(LOCAL) == 200
    assert not LOCAL.drop(columns="value").duplicated().any()
    for row in LOCAL.itertuples():
        known = SCENARIOS[row.scenario]
        for method in ("walk", "solver"):
            r = sl.local_sensitivity(
                QUERIES[row.query],
                known.frame[row.column].head(known.size),
                known.universes[row.column],
                relation=getattr(sl, row.relation)(row.k),
                method=method,
            )
            assert float(r) == pytest.approx(row.value, rel=0, abs=1e-9), row
            assert r.check(), row


def test_the_sanity_check_of_the_small_school():
    """Catches other numbers than the source checks against Lee and Clifton: 5/6, 1; 17/6, 4."""
    school = SCENARIOS["school_small"]
    ask = {"size": 3, "relation": sl.AddRemove(1)}
    found = [
        str(sl.global_sensitivity(query, universe, **ask).value)
        for universe in school.universes.values()
        for query in (sl.MEAN, sl.MEDIAN)
    ]
    assert found == ["5/6", "1", "17/6", "4"]
