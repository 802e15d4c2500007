"""The rows of the table of speeds."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest

import sparsek
from sparsek import engine
from sparsek.engine import compiles
from tests.places import ROOT
from validation.benchmarks.rows import Row, Work, compare, distances_work, line_of, one_thread


@pytest.fixture
def with_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "has_numba", lambda: True)
    monkeypatch.setattr("validation.benchmarks.rows.has_numba", lambda: True)


def one() -> np.ndarray:
    return np.ones(2)


def compiled_one() -> np.ndarray:
    compiles(1.0)
    return np.ones(2)


def test_a_call_without_loops_has_no_compiled_time(with_numba: None) -> None:
    row = compare("f", (2, 3), one, one, data="noise", goal=0.5)
    assert (row.call, row.size, row.data, row.peer, row.goal) == ("f", "(2, 3)", "noise", "R", 0.5)
    assert row.theirs > 0
    assert row.numpy > 0
    assert math.isnan(row.compiled)
    assert math.isnan(row.two_threads)


def test_a_call_with_loops_has_the_engines_asked_for(with_numba: None) -> None:
    before = sparsek.get_engine()
    assert compare("f", (2,), one, compiled_one).compiled > 0
    assert compare("f", (2,), one, compiled_one, in_threads=compiled_one).two_threads > 0
    assert sparsek.get_engine() == before


def test_without_numba_only_numpy_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validation.benchmarks.rows.has_numba", lambda: False)
    assert math.isnan(compare("f", (2,), one, compiled_one, in_threads=compiled_one).compiled)


def test_other_results_end_the_run(with_numba: None) -> None:
    with pytest.raises(SystemExit, match=r"the results of f at \(2,\) \(\) differ: numpy"):
        compare("f", (2,), one, lambda: np.zeros(2))
    compare("f", (2,), one, lambda: np.zeros(2), same=None)  # the peer need not be equal

    def by_engine() -> np.ndarray:
        return np.full(2, compiles(1.0))

    with pytest.raises(SystemExit, match="differ: compiled"):
        compare("f", (2,), one, by_engine, same=None)


def test_the_limit_is_the_slower_of_memory_and_multiplications() -> None:
    machine = Work(multiplications=1e9, n_bytes=1e9)
    assert distances_work(1000, 10, 5, 3) == Work(150_000.0, 80_000.0)  # the cache keeps the rows
    assert distances_work(10**6, 10, 5, 3).n_bytes == 3 * 8e7
    assert Work(2e9, 1e9).seconds(machine) == 2
    assert Work(1e9, 3e9).seconds(machine) == 3
    assert math.isnan(Work().seconds(machine))


def test_libraries_that_are_loaded_later_run_one_thread_too() -> None:
    program = (
        "from threadpoolctl import threadpool_info as info\n"
        "from validation.benchmarks.rows import one_thread\n"
        "with one_thread():\n"
        "    import sklearn.cluster, scipy.linalg; print(sorted({part['num_threads'] for part in info()}))"
    )
    given = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=given, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[1]"


def test_the_environment_is_as_before() -> None:
    before = dict(os.environ)
    with one_thread():
        assert os.environ["OMP_NUM_THREADS"] == "1"
    assert dict(os.environ) == before


def test_a_line_shows_ratios() -> None:
    row = Row("f", "(2,)", "noise", "R", 0.5, 2.0, 1.0, 0.5, math.nan, 1e9, 0.0)
    shown = line_of(row, Work(1e9, 1e9)).split()
    assert shown == ["f", "(2,)", "noise", "2000.00", "0.5", "0.25", "0.5", "0.5"]
