"""What several test modules ask about calls that are typed wrong."""

import pytest

import sensitivity_lab as sl

ONE = sl.Change(1)
SOME = sl.Universe.population([1, 2, 3, 10])
MANY = sl.Universe.value_range(range(200))
MAKERS = "Universe.population(...) makes one of known records"
SIZE, SIZES = "size=6 or size=range(1, 11)", "sizes=6 or sizes=[1, 2, 3]"
ONE_RELATION, RELATIONS = "relation=sl.Change(1)", "relations=[sl.Change(1), sl.AddRemove(1)]"
ASK_A_METRIC = "output_metric=sl.symmetric_distance"
UNIT = "answer in one unit, as span.days"


def asked(query=sl.MEAN, universe=SOME, **options):
    return sl.global_sensitivity(query, universe, **{"size": 2, "relation": ONE} | options)


ASK, LOCAL = sl.global_sensitivity, sl.local_sensitivity


def told_what_to_type(call, way_out):
    """Hold a call to a short refusal that has a text in it."""
    with pytest.raises((TypeError, ValueError, AttributeError)) as refusal:
        call()
    assert way_out in str(refusal.value)
    assert len(str(refusal.value)) < 700
