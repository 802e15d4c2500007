"""Rows of the table of speeds: a call timed by engine against its peer, beside what the machine could do.

`validation.benchmarks.tables` has the calls, and ``python -m validation speed`` times them.
"""

from __future__ import annotations

import os
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from r_reference import bridge
from sparsek.engine import compiled_calls, has_numba, set_engine

CACHE = 32e6
"""Bytes of data that stay in a processor's cache from one pass to the next."""
LEAST_SECONDS, MOST_REPEATS, ENOUGH_SECONDS = 0.5, 51, 60.0
"""Calls that took less than the first in all are repeated, at most so often; after the last no call is."""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Variables that libraries read when they are loaded."""
ENGINES = {"numpy": "numpy", "compiled": "compiled", "two_threads": "compiled, 2 threads"}
"""Fields of `Row` with our seconds, and how tables call them."""


@dataclass(frozen=True, slots=True)
class Work:
    """What an algorithm must do at least."""

    multiplications: float = np.nan  # Their number
    n_bytes: float = np.nan  # Bytes that it reads from memory

    def seconds(self, machine: Work) -> float:
        """The least time, where `machine` has multiplications and bytes per second; NaN if not counted."""
        return max(self.multiplications / machine.multiplications, self.n_bytes / machine.n_bytes)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; seconds are medians, NaN where nothing ran."""

    call: str  # The function and what is special about the call, such as the number of starts
    size: str  # Its numbers of rows, columns and clusters
    data: str  # The kind of data
    peer: str  # Whose function is compared: R, scikit-learn
    goal: float  # Our seconds divided by the peer's that are aimed at
    theirs: float  # theirs, numpy, compiled, two_threads: seconds of the peer, and of ours by engine
    numpy: float
    compiled: float
    two_threads: float
    multiplications: float  # multiplications, n_bytes: the least work
    n_bytes: float


def distances_work(n: int, p: int, k: int, passes: float = 1) -> Work:
    """Work of so many passes over n rows of p doubles, each with the distances to k centres."""
    n_bytes = 8.0 * n * p
    return Work(float(passes) * n * p * k, n_bytes * (passes if n_bytes > CACHE else 1))


def compare(
    call: str,
    size: tuple[int, ...],
    theirs: Callable[[], Any],
    ours: Callable[[], Any],
    *,
    data: str = "",
    peer: str = "R",
    goal: float = np.nan,
    work: Work | None = None,
    repeats: int = 3,
    same: Callable[[Any, Any], bool] | None = np.array_equal,
    in_threads: Callable[[], Any] | None = None,
) -> Row:
    """Time a call and its peer, in turn, once for each engine; a difference of the results is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        calls: dict[str, Callable[[], Any]] = {"theirs": theirs, "numpy": partial(_run, "numpy", ours)}
        if has_numba() and _compiles(ours):
            calls["compiled"] = partial(_run, "compiled", ours)
            if in_threads is not None:
                calls["two_threads"] = partial(_run, "compiled", in_threads)
        seconds, results = interleaved(calls, repeats, LEAST_SECONDS)
    expected = results.pop("theirs" if same else "numpy")
    for name, found in results.items():
        if name != "theirs" and not (same or np.array_equal)(expected, found):
            raise SystemExit(f"the results of {call} at {size} ({data}) differ: {name}")
    work = work or Work()
    times = {name: seconds.get(name, np.nan) for name in ("theirs", *ENGINES)}
    shown = f"({', '.join(map(str, size))})"
    return Row(
        call, shown, data, peer, goal, **times, multiplications=work.multiplications, n_bytes=work.n_bytes
    )


def interleaved(
    calls: dict[str, Callable[[], Any]], repeats: int, least: float = 0.0
) -> tuple[dict[str, float], dict[str, Any]]:
    """Median seconds and last result of each call, the calls in turn, for `least` seconds or longer."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    results: dict[str, Any] = {}
    begin = time.perf_counter()
    for done in range(max(repeats, MOST_REPEATS)):
        passed = time.perf_counter() - begin
        if (done >= repeats and passed > least) or (done and passed > ENOUGH_SECONDS):
            break
        for name, call in calls.items():
            start = time.perf_counter()
            results[name] = call()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in times.items()}, results


def _run(engine: str, call: Callable[[], Any]) -> Any:
    """The result of a call with an engine."""
    with set_engine(engine):
        return call()


def _compiles(call: Callable[[], Any]) -> bool:
    """Whether a call has compiled loops; runs it, so that they are compiled afterwards."""
    before = compiled_calls()
    _run("compiled", call)
    return compiled_calls() > before


def has_r(package: str = "stats") -> bool:
    """Whether R and one of its packages can be called; prints what is missing."""
    found, reason = bridge.available(package)
    if not found:
        print(f"{reason}: R's functions are not timed (make r installs R's packages and an rpy2 that fits).")
    return found


def in_r(source: str, **matrices: np.ndarray) -> Callable[[], np.ndarray]:
    """R's call as a function without arguments that returns numbers; sets matrices in R's workspace."""
    from rpy2 import robjects

    for name, x in matrices.items():
        robjects.globalenv[name] = robjects.r.matrix(robjects.FloatVector(x.ravel(order="F")), nrow=len(x))
    function = robjects.r(f"function() suppressWarnings({{ {source} }})")
    return lambda: np.asarray(function(), dtype=float)


def measure_machine() -> Work:
    """Multiplications and bytes per second of one thread, in products of matrices and of long vectors."""
    rng = np.random.default_rng(0)
    square, long = rng.standard_normal((1000, 1000)), rng.standard_normal((2, 16_000_000))
    calls = {"product": lambda: square @ square, "read": lambda: long[0] @ long[1]}
    with one_thread():
        runs = [interleaved(calls, 1)[0] for _ in range(7)]
    best = {name: min(run[name] for run in runs) for name in calls}
    return Work(float(len(square)) ** 3 / best["product"], long.nbytes / best["read"])


def line_of(row: Row, machine: Work) -> str:
    """A row as text: the peer's milliseconds, then ours divided by them, and the least possible ratio."""
    least = Work(row.multiplications, row.n_bytes).seconds(machine)
    ratios = (*(getattr(row, name) for name in ENGINES), least)
    cells = " ".join(_number(value / row.theirs) for value in ratios)
    return (
        f"{row.call:<38} {row.size:>16} {row.data:<18} {1e3 * row.theirs:10.2f} {cells} {_number(row.goal)}"
    )


def _number(value: float) -> str:
    """A number in a cell, empty if there is none."""
    return " " * 10 if np.isnan(value) else f"{value:10.3g}"


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread for linear algebra and OpenMP, in libraries loaded before and in those loaded later.

    scikit-learn brings OpenMP with it at its first import, which often is within the block.
    """
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        with threadpool_limits(1):
            yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


def print_threads() -> None:
    """Print the libraries of linear algebra and threads, with their numbers of threads."""
    for library in threadpool_info():
        print("{user_api}: {internal_api} {version}, {num_threads} thread(s)".format(**library))


def print_heads(machine: Work) -> None:
    """Print what the columns are: milliseconds of the peer, then ratios to it, also of the least time."""
    rates = f"{machine.multiplications / 1e9:.1f} billion multiplications, {machine.n_bytes / 1e9:.1f} GB"
    print(f"One thread per second: {rates}. After the peer's milliseconds: ratios to them.")
    head = " ".join(f"{name:>10}" for name in ("numpy", "compiled", "2 threads", "limit", "goal"))
    print(f"{'call':<38} {'size':>16} {'data':<18} {'peer ms':>10} {head}")
