"""Callables answered on many workers: the same result, or a clear error, never a wrong one."""

import os
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import sensitivity_lab as sl

UNIVERSE = sl.Universe.population([1, 2, 3, 4, 5, 6, 7, 8, 15, 20])
ASK = {"size": 6, "relation": sl.SymmetricDifference(2)}


def mad(x):
    """Median absolute deviation: plain Python, as a user's function would be."""
    return float(np.median(np.abs(np.array(x) - np.median(x))))


def dies(x):
    """Ends its worker on one dataset."""
    if x == (2, 3, 4, 5, 6, 7):
        os._exit(1)
    return sum(x)


def fails(x):
    return 1 / (sum(x) - 27)


ALONE = sl.global_sensitivity(mad, UNIVERSE, **ASK)


@pytest.mark.parametrize("workers", [1, 2])
def test_process_pool(workers):
    """Catches a task that cannot be sent to another process, or blocks put together wrongly."""
    with ProcessPoolExecutor(workers) as pool:
        r = sl.global_sensitivity(mad, UNIVERSE, **ASK, executor=pool)
    assert (r.value, r.witness, r.datasets) == (ALONE.value, ALONE.witness, ALONE.datasets)


def test_a_worker_that_dies():
    """Catches a hang, or a result from the answers that did arrive."""
    with (
        ProcessPoolExecutor(2) as pool,
        pytest.raises(RuntimeError, match="worker died.*dies"),
    ):
        sl.global_sensitivity(dies, UNIVERSE, **ASK, executor=pool)


def test_a_query_that_fails_on_a_worker():
    """Catches an error that loses its dataset on the way back."""
    with (
        ProcessPoolExecutor(2) as pool,
        pytest.raises(ValueError, match=r"fails .*dataset \(.*ZeroDivisionError"),
    ):
        sl.global_sensitivity(fails, UNIVERSE, **ASK, executor=pool)


def test_dask_cluster():
    """Catches an executor that is only ever a pool on one machine."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        r = sl.global_sensitivity(mad, UNIVERSE, **ASK, executor=client.get_executor())
    assert (r.value, r.witness, r.datasets) == (ALONE.value, ALONE.witness, ALONE.datasets)
