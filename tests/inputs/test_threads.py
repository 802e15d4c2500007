"""The number of BLAS threads after limits that overlap."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import numpy as np
import pytest
from threadpoolctl import OpenBLASController, threadpool_info, threadpool_limits

from sparsek import GeometricKMedians, SparseKMeans
from sparsek.inputs.threads import thread_control


def blas_threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


@pytest.fixture
def three_threads():
    """BLAS with three threads, whatever the machine has."""
    was = blas_threads()
    threadpool_limits(limits=3, user_api="blas")
    _no_thread_in_control()
    before = threadpool_info()
    assert 3 in blas_threads()
    yield
    after = threadpool_info()
    threadpool_limits(limits=max(was), user_api="blas")
    _no_thread_in_control()
    assert after == before


def _no_thread_in_control():
    """As in a program that has set no limit yet: later releases of threadpoolctl bind limits to a thread."""
    if hasattr(OpenBLASController, "clear_controlling_thread"):
        OpenBLASController.clear_controlling_thread(force=True)


@pytest.mark.usefixtures("three_threads")
def test_the_limit_that_began_first_may_end_first():
    inside, leave = Event(), Event()

    def first():
        with thread_control().limit(limits=1):
            inside.set()
            leave.wait(10)

    with ThreadPoolExecutor(1) as pool:
        outer = pool.submit(first)
        inside.wait(10)
        with thread_control().limit(limits=1):
            leave.set()
            outer.result()
            assert set(blas_threads()) == {1}


@pytest.mark.usefixtures("three_threads")
def test_fits_in_several_threads_give_blas_its_threads_back():
    X = np.random.default_rng(0).normal(size=(60, 5))
    together = Barrier(8)

    def fit(seed):
        together.wait(10)
        kind = GeometricKMedians if seed % 2 else SparseKMeans
        return kind(3, n_init=2, random_state=0).fit(X).labels_.tolist()

    with ThreadPoolExecutor(8) as pool:
        labels = list(pool.map(fit, range(8)))
    assert labels == labels[:2] * 4


@pytest.mark.usefixtures("three_threads")
def test_the_smallest_limit_holds_and_errors_end_limits():
    control = thread_control()
    with control.limit(limits=2):
        with control.limit(limits=1), control.limit(limits=None):
            assert set(blas_threads()) == {1}
        with pytest.raises(RuntimeError), control.limit(limits=1):
            raise RuntimeError
        assert set(blas_threads()) == {2}
