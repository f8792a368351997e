"""Answering a callable on many workers gives the same result, whatever the executor."""

import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import pairwise
from multiprocessing import get_context

import pytest

import sensitivity_lab as sl

UNIVERSE = sl.Universe.population([1, 2, 3, 4, 5, 6, 7, 8, 15, 20])


def spread_of_gaps(dataset):
    """A callable that no vectorised form exists for."""
    return max(b - a for a, b in pairwise(dataset))


def process_pool(workers):
    """New processes, not copies of this one: pytest and Dask run threads, which a fork breaks."""
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


class DiesInAWorker:
    """Kills any process but the one that made it: always, or only until a marker file is there."""

    __name__ = "dies_in_a_worker"

    def __init__(self, marker=None):
        self.driver, self.marker = os.getpid(), marker

    def __call__(self, dataset):
        spared = self.marker is not None and self.marker.exists()
        if dataset[-1] == 20 and os.getpid() != self.driver and not spared:
            if self.marker is not None:
                self.marker.touch()
            os._exit(1)
        return spread_of_gaps(dataset)


def ask(query, executor=None):
    found = sl.global_sensitivity(
        query, UNIVERSE, size=6, relation=sl.SymmetricDifference(2), executor=executor
    )
    return found.value, found.witness, found.datasets


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_pools_of_any_size_agree_with_none(workers):
    """Would catch blocks lost, repeated or returned out of order."""
    alone = ask(spread_of_gaps)
    with ThreadPoolExecutor(workers) as threads:
        assert ask(spread_of_gaps, threads) == alone
    with process_pool(workers) as processes:
        assert ask(spread_of_gaps, processes) == alone


def test_every_dataset_is_asked_once():
    """Would catch a query asked twice, or a dataset skipped."""
    asked = []

    def remember(dataset):
        asked.append(dataset)
        return len(dataset)

    with ThreadPoolExecutor(2) as threads:
        _, _, answered = ask(remember, threads)
    assert len(asked) == len(set(asked)) == answered
    assert answered == sum(UNIVERSE.count(size) for size in (4, 5, 6, 7, 8))


def test_a_worker_that_dies_is_an_error():
    """Would catch a result made from the blocks that survived."""
    with (
        process_pool(2) as processes,
        pytest.raises(RuntimeError, match=r"a worker died while answering query dies_in_a_worker"),
    ):
        ask(DiesInAWorker(), processes)


def test_an_error_in_a_worker_names_the_dataset():
    """Would catch an error that a pool swallows."""
    with ThreadPoolExecutor(2) as threads, pytest.raises(ValueError, match=r"failed on dataset \("):
        ask(lambda dataset: 1 / (dataset[0] - 3), threads)


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", host="127.0.0.1"
        ) as local,
        distributed.Client(local) as client,
    ):
        yield client


def test_dask_agrees(cluster):
    """Would catch an executor that only concurrent.futures' own pools fit."""
    assert ask(spread_of_gaps, cluster.get_executor()) == ask(spread_of_gaps)


def test_dask_survives_a_worker_that_dies(cluster, tmp_path):
    """Would catch an answer that misses the dead worker's blocks: Dask runs them again."""
    marker = tmp_path / "marker"
    found = ask(DiesInAWorker(marker), cluster.get_executor())
    assert found == ask(spread_of_gaps)
    assert marker.exists()
