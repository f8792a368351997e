"""All 320 sensitivities that *Global Sensitivity From Scratch* printed, three ways.

Provenance: gonzalo-munillag/Blog, Global_Sensitivity.ipynb, commit 965016e, printed outputs; and
the 200 local ones of its companion, Local_Sensitivity.ipynb, commit 46c9c55, two ways.
"""

import pytest
from conftest import a_third
from sensitivity_book.data import scenarios as data

import sensitivity_lab as sl

SCENARIOS = data.scenarios()
PUBLISHED, LOCAL = data.published_sensitivities(), data.published_local_sensitivities()
QUERIES = {query.name: query for query in data.QUERIES}


def test_nothing_published_is_left_out():
    """Catches a lost row: 10 queries, 2 relations, 16 columns × distances; and 200 local ones."""
    assert (len(PUBLISHED), len(LOCAL)) == (320, 200)
    assert set(PUBLISHED["query"]) == set(QUERIES)
    assert set(PUBLISHED.groupby(["scenario", "relation", "k"]).size()) == {20}
    for table in (PUBLISHED, LOCAL):
        assert not table.drop(columns="value").duplicated().any()


def holds(found, row):
    assert float(found) == pytest.approx(row.value, rel=0, abs=1e-9), row
    assert found.check(), row


@pytest.mark.parametrize("method", ["auto", "walk"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_one_by_one(scenario, method):
    """Catches any published number that the package does not reproduce, by either route."""
    known = SCENARIOS[scenario]
    rows = list(PUBLISHED[PUBLISHED["scenario"] == scenario].itertuples())
    for row in a_third(rows):
        asked = {"size": known.size, "relation": getattr(sl, row.relation)(row.k), "method": method}
        universe = known.universes[row.column]
        holds(sl.global_sensitivity(QUERIES[row.query], universe, **asked), row)


@pytest.mark.parametrize("method", ["walk", "solver"])
def test_local_one_by_one(method):
    """Catches any published local sensitivity that the package does not reproduce."""
    for row in a_third([*LOCAL.itertuples()]):
        known, asked = SCENARIOS[row.scenario], {"relation": getattr(sl, row.relation)(row.k)}
        dataset, universe = known.frame[row.column].head(known.size), known.universes[row.column]
        query = QUERIES[row.query]
        holds(sl.local_sensitivity(query, dataset, universe, **asked, method=method), row)


def test_the_sanity_check_of_the_small_school():
    """Catches other numbers than the source checks against Lee and Clifton: 5/6, 1; 17/6, 4."""
    ask = {"size": 3, "relation": sl.AddRemove(1)}
    found = [
        str(sl.global_sensitivity(query, universe, **ask).value)
        for universe in SCENARIOS["school_small"].universes.values()
        for query in (sl.MEAN, sl.MEDIAN)
    ]
    assert found == ["5/6", "1", "17/6", "4"]
