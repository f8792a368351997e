"""All 320 sensitivities that *Global Sensitivity From Scratch* printed, three ways.

Provenance: gonzalo-munillag/Blog, Global_Sensitivity.ipynb, commit 965016e, printed outputs; and
the 200 local ones of its companion, Local_Sensitivity.ipynb, commit 46c9c55, two ways.
"""

import pytest
from conftest import a_third
from sensitivity_book.data.scenarios import QUERIES as QUERIES_IN_ORDER
from sensitivity_book.data.scenarios import (
    published_local_sensitivities,
    published_sensitivities,
    scenarios,
)

import sensitivity_lab as sl

SCENARIOS = scenarios()
PUBLISHED = published_sensitivities()
LOCAL = published_local_sensitivities()
QUERIES = {query.name: query for query in QUERIES_IN_ORDER}


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
    rows = list(PUBLISHED[PUBLISHED["scenario"] == scenario].itertuples())
    for row in rows if method == "auto" else a_third(rows):
        r = sl.global_sensitivity(
            QUERIES[row.query],
            known.universes[row.column],
            size=known.size,
            relation=getattr(sl, row.relation)(row.k),
            method=method,
        )
        assert float(r) == pytest.approx(row.value, rel=0, abs=1e-9), row
        assert r.check(), row


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
