"""Answering a callable on many workers gives the same result, whatever the executor."""

import math
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from multiprocessing import get_context

import pandas as pd
import pytest
from conftest import ABSENCES as UNIVERSE
from conftest import in_turn, refused, turn

import sensitivity_lab as sl


def spread_of_gaps(dataset):
    """A callable that no vectorised form exists for."""
    return max(b - a for a, b in pairwise(dataset))


def process_pool(workers):
    """New processes, not copies of this one: pytest and Dask run threads, which a fork breaks."""
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


class DiesInAWorker:
    """Kills any process but the one that made it."""

    __name__ = "dies_in_a_worker"

    def __init__(self):
        self.driver = os.getpid()

    def __call__(self, dataset):
        if dataset[-1] == 20 and os.getpid() != self.driver:
            os._exit(1)
        return spread_of_gaps(dataset)


def labelled_counts(dataset):
    """Answers with labels, in an order that differs from dataset to dataset."""
    odd = pd.Series(dataset).mod(2).map({0: "even", 1: "odd"})
    labels = ["odd", "even"] if dataset[0] == 1 else ["even", "odd"]
    return odd.value_counts().reindex(labels).fillna(0)


def ask(query, executor=None, **options):
    found = sl.global_sensitivity(
        query, UNIVERSE, size=6, relation=sl.SymmetricDifference(2), executor=executor, **options
    )
    return found.value, found.witness, found.datasets


def ask_locally(query, executor=None):
    found = sl.local_sensitivity(
        query, (1, 2, 3, 5, 7, 20), UNIVERSE, relation=sl.SymmetricDifference(2), executor=executor
    )
    return found.value, found.witness, found.datasets


def test_pools_of_any_size_agree_with_none():
    """Catches blocks lost, repeated or returned out of order, and labels lost on the way."""
    asked = [
        partial(ask, spread_of_gaps),
        partial(ask, spread_of_gaps, method="walk"),
        partial(ask_locally, spread_of_gaps),
        partial(ask_locally, labelled_counts),
    ]
    alone = [answer() for answer in asked]
    for pool in (ThreadPoolExecutor(1), ThreadPoolExecutor(3), process_pool(1)):
        with pool:
            assert [answer(executor=pool) for answer in asked] == alone


class Counted(ThreadPoolExecutor):
    """Threads that count their tasks."""

    tasks = 0

    def submit(self, *task):
        self.tasks += 1
        return super().submit(*task)


@pytest.mark.parametrize(
    "answer", [ask, partial(ask, method="walk"), ask_locally], ids=["sweep", "walk", "local"]
)
def test_an_executor_is_used(answer):
    """Catches an executor that is taken and left idle."""
    with Counted(2) as threads:
        answer(spread_of_gaps, threads)
        assert threads.tasks == 12 * (5 if answer is ask else 1)  # the sweep goes size by size


@pytest.mark.parametrize("answer", [ask, ask_locally], ids=["global", "local"])
def test_an_executor_that_cannot_be_used_is_refused(answer):
    """Catches a bare RuntimeError, pickle's own words, work begun that cannot be sent."""
    closed = ThreadPoolExecutor(2)
    closed.shutdown()
    with refused(ValueError, "executor must take tasks, got ", " after shutdown"):
        answer(spread_of_gaps, closed)
    words = "executor is a pool of processes", "top of a module: query <l"
    with process_pool(1) as processes, refused(ValueError, *words):
        answer(lambda dataset: pytest.fail("was asked"), processes)


@turn(0, 3)
def test_a_worker_that_dies_is_an_error():
    """Catches a result made from the blocks that survived."""
    with (
        process_pool(1) as processes,
        pytest.raises(RuntimeError, match=r"a worker died while answering query dies_in_a_worker"),
    ):
        ask(DiesInAWorker(), processes)


def test_an_error_in_a_worker_names_the_dataset():
    """Catches an error that a pool swallows."""
    with ThreadPoolExecutor(2) as threads, pytest.raises(ValueError, match=r"failed on dataset \("):
        ask(lambda dataset: 1 / (dataset[0] - 3), threads)


def test_dask_agrees():
    """Catches an executor that only concurrent.futures' own pools fit."""
    distributed = pytest.importorskip("distributed")
    made = {"n_workers": 2, "processes": False, "dashboard_address": ":0"}
    with distributed.LocalCluster(**made) as local, distributed.Client(local) as client:
        assert ask(spread_of_gaps, client.get_executor()) == ask(spread_of_gaps)


LONG_RUN = """
import os, signal, sys, time
from concurrent.futures import ProcessPoolExecutor
import sensitivity_lab as sl

def slow(dataset):
    time.sleep(0.01)
    with open(sys.argv[1], "a", encoding="utf-8") as log:
        print(os.getpid(), file=log)
    return dataset[-1] - dataset[0]

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    universe = sl.Universe.population(range(13))
    with ProcessPoolExecutor(2) as pool:
        sl.global_sensitivity(slow, universe, size=6, relation=sl.Change(1), executor=pool)
"""
DATASETS_ASKED = math.comb(13, 6)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
@pytest.mark.parametrize("send", in_turn([os.kill, getattr(os, "killpg", None)]))
def test_an_interrupted_run_leaves_no_process(tmp_path, send):
    """Catches workers that go on, or wait for ever, after Ctrl-C or a notebook's stop button."""
    psutil = pytest.importorskip("psutil")
    script, log = tmp_path / "long_run.py", tmp_path / "log"
    script.write_text(LONG_RUN, encoding="utf-8")
    own = {"stderr": subprocess.PIPE, "encoding": "utf-8", "start_new_session": True}
    run = subprocess.Popen([sys.executable, script, log], **own)
    log.touch()
    while len(set(log.read_bytes().split()) - {b"%d" % run.pid}) < 2:  # until both are at it
        assert run.poll() is None, run.stderr.read()
        time.sleep(0.01)
    children = psutil.Process(run.pid).children(recursive=True)
    send(run.pid, signal.SIGINT)
    _, errors = run.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    assert run.returncode != 0
    _, alive = psutil.wait_procs(children, timeout=30)
    assert not [child for child in alive if child.status() != psutil.STATUS_ZOMBIE]
    assert len(log.read_bytes().split()) < DATASETS_ASKED  # blocks that had not begun were dropped
