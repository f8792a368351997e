"""The panels with sliders: what the controls say is what is drawn, and said."""

import sys
from itertools import product

import pytest
from conftest import in_turn, refused
from pictures import said, turned

import sensitivity_lab as sl

DAYS = sl.Universe.population([1, 2, 3, 5, 8, 20])


@pytest.fixture(scope="module")
def days():
    return sl.explore(DAYS, 3)


KINDS = {
    sl.AddRemove: "k records added or removed (unbounded)",
    sl.Change: "at most k records changed (bounded)",
}
SETTINGS = [(3, 1, sl.MEAN), (4, 2, sl.MEDIAN), (5, 1, sl.MAX)]


@pytest.mark.parametrize(("family", "setting"), in_turn([*product(KINDS, SETTINGS)]))
def test_a_setting_shows_its_sensitivity_and_its_pair(days, family, setting):
    """Catches a control that is not connected, and a pair of another setting."""
    (size, k, query), kind = setting, KINDS[family]
    found = sl.global_sensitivity(query, DAYS, size=size, relation=family(k))
    sentence, panels, pair = turned(days, size=size, k=k, query=query.name, relation=kind)
    described, (dataset, neighbour) = found.relation.description, found.witness
    head = f"{query.name}, datasets of size {size}, {described}: the sensitivity is {found.value}"
    assert sentence.startswith(head)
    assert sentence.endswith(f" {dataset} against {neighbour}.")
    words = {f"records, datasets of size {size}", "mean", "median", "count", "quantile(0.75)", kind}
    assert words <= said(panels)
    assert {"dataset", "neighbour", query.name, "closed form", kind} <= said(pair)


@pytest.mark.parametrize(
    "setting", in_turn([{"k": 2}, {"query": "sum"}, {"relation": KINDS[sl.Change]}]), ids=str
)
def test_the_cursor_goes_with_k_and_the_pick(days, setting):
    """Catches rings or a grey panel that stay where they were."""
    before = turned(days, k=1, size=3, query="mean", relation=KINDS[sl.AddRemove])
    after = turned(days, **setting)
    assert before[1] != after[1]
    assert after[1].count('<g id="at-') == 10 + 10 + 1  # lines, rings, a grey panel
    assert said(before[1]) == said(after[1])


def test_what_cannot_be_asked_is_said_and_the_next_setting_works():
    """Catches a traceback, panels of another size, a query that fails and takes others along."""
    third = sl.Query("third", lambda some: sorted(some)[2])
    none = sl.Query("none", lambda some: None if len(some) == 3 else sum(some))
    own = sl.explore(DAYS, 5, [sl.SUM, third, none], relations=[sl.AddRemove, sl.Change])
    for query, k, size, why in (
        ("third", 3, 5, "query third failed on dataset (1, 2): IndexError"),
        ("none", 1, 3, "query none must return a number or a vector, got None on dataset"),
    ):
        sentence, panels, pair = turned(own, query=query, k=k, size=size)
        assert f"datasets of size {size}, exactly {k} record" in sentence
        assert why in sentence
        assert {f"records, datasets of size {size}", "sum", "third", "none"} <= said(panels)
        assert "neighbour" not in said(pair) > {f"records, datasets of size {size}", query}
    assert "sensitivity is 20." in turned(own, query="sum")[0]


def test_one_query_needs_no_list_and_stands_once():
    """Catches a refusal of the first guess, and one panel that is shown twice."""
    _, panels, pair = turned(sl.explore(DAYS, 3, sl.MEAN))
    assert "mean" in said(panels) - said(pair)
    assert {"dataset", "neighbour"} <= said(pair)


def test_without_a_neighbour_the_curves_stay():
    """Catches panels that vanish because one relation has no neighbour."""
    sentence, panels, pair = turned(sl.explore(DAYS, 6, [sl.MEAN], relations=[sl.Add, sl.Change]))
    assert "no direction of Add(1) is feasible at size=6" in sentence
    assert "mean" in said(panels)
    assert pair == ""


def test_what_is_no_setting_is_refused(monkeypatch):
    """Catches an error of ipywidgets in place of the package's own, and a query that is lost."""
    for options, error, words in (
        ({"relations": [sl.Change(1)]}, TypeError,
            "relations must be kinds such as Change, got <Change(1)"),
        ({"queries": [lambda six: 0, lambda six: 1]}, ValueError,
            "queries must have different names"),
        ({"size": 7}, ValueError, "size must be at most 6"),
    ):  # fmt: skip
        with refused(error, words):
            sl.explore(DAYS, **{"size": 3} | options)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with pytest.raises(ImportError, match="explore needs ipywidgets: pip install ipywidgets"):
        sl.explore(DAYS, 3)
