"""The alarm behind a budget, and what is left of it where a system or a thread has none."""

import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from sensitivity_beyond.audit.runner import in_this_test, this_test
from sensitivity_beyond.testing import alarm, assert_sensitivity
from sensitivity_beyond.testing.alarm import TimeIsUp, stopped_after

import sensitivity_lab as sl

has_alarm = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no alarm here")
BITS = sl.Universe.value_range([0, 1])


def slow(dataset):
    time.sleep(0.02)
    return sum(dataset)


def held_within(budget):
    """What is said of the sizes from 1 on, of which no budget is enough for all."""
    with this_test(budget), pytest.raises(TimeoutError) as failure:
        assert_sensitivity(slow, 1, BITS, sizes=range(1, 500), relations=[sl.Change(1)])
    return str(failure.value)


def test_without_an_alarm_the_clock_is_read_between_sizes(monkeypatch):
    """Catches a budget that means nothing on Windows, and a signal set where Python refuses it."""
    said = "budget of 0.5 s ran out after size"
    with ThreadPoolExecutor(1) as threads:  # which have no alarm
        assert threads.submit(held_within, 0.5).result().startswith(said)
    monkeypatch.setattr(alarm, "_can_be_set", lambda: False)
    assert held_within(0.5).startswith(said)


def test_no_time_is_no_time():
    """Catches an alarm that is set to 0 seconds, which would switch it off."""
    with pytest.raises(TimeIsUp), stopped_after(0):
        pytest.fail("the block ran")


@has_alarm
def test_what_was_set_before_is_set_again():
    """Catches a handler of ours that stays, after a block that ended, failed or was stopped."""
    before = signal.getsignal(signal.SIGALRM)
    with stopped_after(60):
        assert signal.getsignal(signal.SIGALRM) is not before
    with pytest.raises(ValueError, match="its own"), stopped_after(60):
        raise ValueError("its own")
    with pytest.raises(TimeIsUp), stopped_after(0.01):
        time.sleep(10)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_a_run_ends_with_its_block():
    """Catches a budget of one test that is kept for the next."""
    with pytest.raises(KeyError), this_test(1):
        raise KeyError
    assert in_this_test() is None
