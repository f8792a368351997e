"""How many of fifty planted faults `assert_sensitivity` finds as a developer would call it."""

import pytest
from planted import FAULTS, MECHANISMS

FOUND = [fault for fault in FAULTS if not fault.missed]
MISSED = [fault for fault in FAULTS if fault.missed]


def name_of(fault):
    return f"{fault.mechanism} {fault.name}".replace(" ", "-")


def test_the_faults_are_fifty_in_ten_mechanisms():
    """Catches a count in words that is no longer the list's."""
    assert (len(FAULTS), len(MECHANISMS)) == (50, 10)
    assert {fault.mechanism for fault in FAULTS} == set(MECHANISMS)
    assert len({name_of(fault) for fault in FAULTS}) == 50
    assert (len(FOUND), len(MISSED)) == (40, 10)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_sound_mechanism_passes(mechanism):
    """Catches a false alarm, and a claim that is loose: a test with room in it finds less."""
    assert MECHANISMS[mechanism].held().headline == "exact"


@pytest.mark.parametrize("fault", FOUND, ids=name_of)
def test_a_fault_is_found_by_the_developers_own_test(fault):
    """Catches a fault that the kit no longer finds out of the box."""
    with pytest.raises((AssertionError, ValueError)):
        fault.test.held()


@pytest.mark.parametrize("fault", MISSED, ids=name_of)
def test_a_fault_that_is_missed_has_a_question_that_finds_it(fault):
    """Catches a reason that is not the reason, and a fault that is found after all."""
    assert fault.test.held().violations == ()
    with pytest.raises((AssertionError, ValueError)):
        fault.test.held(**fault.found_by)
    if "relations" not in fault.found_by:  # the sound mechanism passes it
        MECHANISMS[fault.mechanism].held(**fault.found_by)
