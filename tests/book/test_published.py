"""All 320 sensitivities that *Global Sensitivity From Scratch* printed, three ways.

Provenance: gonzalo-munillag/Blog, Global_Sensitivity.ipynb, commit 965016e, printed outputs; and
the 200 local ones of its companion, Local_Sensitivity.ipynb, commit 46c9c55, two ways.
"""

import pytest
from conftest import a_third
from sensitivity_book.data.scenarios import QUERIES as QUERIES_IN_ORDER
from sensitivity_book.data.scenarios import (
    against_published,
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


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_as_one_table(scenario):
    """Catches a table that loses, repeats or mislabels a row, and a closed form below a number."""
    known = SCENARIOS[scenario]
    asked = {"size": known.size, "relations": known.relations}
    table = sl.compare(QUERIES_IN_ORDER, known.universes, **asked)
    keys = ["column", "query", "relation", "k"]
    both = table.merge(known.published, on=keys, validate="one_to_one", suffixes=("", "_published"))
    assert len(both) == len(table) == len(known.published)
    assert (both["sensitivity"].astype(float) - both["sensitivity_published"]).abs().max() < 1e-9
    assert (both["closed_form"] >= both["sensitivity"]).all()


def test_a_number_that_differs_is_counted():
    """Catches a table that says that all agree, whatever was printed."""
    known = SCENARIOS["vehicle"]
    table = sl.compare(QUERIES_IN_ORDER, known.universes, size=4, relations=known.relations)
    other = known.published
    other["sensitivity"] += [1.0, 1e-3, 1e-12] + [0] * (len(other) - 3)
    said = against_published(table, other).caption
    assert said.startswith("118 of 120 published numbers agree, to 1e-9.")
    assert said.endswith("The closed form is attained 120 times, loose 0 times.")


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
