"""Time an iteration of SKFR on Dask against memory, scikit-learn's and dask-ml's KMeans; growth with chunks.

Run with ``python validation/benchmarks/scale/scale_dask.py [--rows 640000] [--columns 100] [--repeats 3]``.
One BLAS thread everywhere, so that a fit in memory uses one core. The only check is that the fits on Dask
give the labels of the fit in memory. dask-ml is not a dependency: without it (pip install dask-ml) its column
is left out, with a message.

An iteration is the difference of two fits from the same centres, with `SHORT` and `LONG` iterations (in
memory `LONGER`), divided by the difference of these numbers, so that one-time work of a fit is left out. The
data are persisted. Fits are interleaved; medians of the repeats (dask-ml: one). The ratio is to the fit in
memory. "per chunk" is the cost of an additional chunk: the slope from the fewest to the most chunks, per
chunk and iteration, in fits to 100 rows of each chunk. "bare sum" is a graph that does nothing, Dask's own
sum of one number per chunk: on a loaded machine it tells how much of an iteration is waiting for the
scheduler.
"""

from __future__ import annotations

import argparse
import logging
import statistics
import time
import warnings
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from typing import Any
from uuid import uuid4

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, get_client, wait
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_info, threadpool_limits

import sparsek

try:
    from dask_ml.cluster import KMeans as DaskKMeans
except ImportError:
    DaskKMeans = None

K, SELECTED, SHORT, LONG, LONGER = 10, 20, 3, 13, 43
CHUNKS = (8, 64)
SETTINGS = ["threads", "1 worker", "2 workers"]


def block(number: int, n: int, p: int) -> np.ndarray:
    """Rows of groups so close to each other that k-means takes many iterations."""
    rng = np.random.default_rng((0, number))
    X = rng.standard_normal((n, p))
    X[:, :SELECTED] += 0.4 * np.random.default_rng(0).standard_normal((K, SELECTED))[np.arange(n) % K]
    return X


def overlapping(n: int, p: int, chunks: int) -> da.Array:
    """Equal chunks of such rows, made and kept on the workers, the same number on each."""
    size, name = n // chunks, f"rows-{uuid4().hex}"
    keys = [(name, i, 0) for i in range(chunks)]
    try:
        client = get_client()
    except ValueError:  # threads
        blocks: list[Any] = [block(i, size, p) for i in range(chunks)]
    else:
        workers = list(client.nthreads())
        places = [workers[i * len(workers) // chunks] for i in range(chunks)]
        blocks = [
            client.submit(block, k[1], size, p, key=k, workers=w) for k, w in zip(keys, places, strict=True)
        ]
        wait(blocks)
    return da.Array(dict(zip(keys, blocks, strict=True)), name, ((size,) * chunks, (p,)), float)


@contextmanager
def setting(name: str) -> Any:
    """A scheduler: threads of this process, or worker processes of one thread each."""
    with ExitStack() as stack:
        if name.endswith(("worker", "workers")):
            options = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": logging.CRITICAL}
            n_workers = int(name.split()[0])
            cluster = stack.enter_context(LocalCluster(n_workers=n_workers, **options))
            stack.enter_context(Client(cluster)).wait_for_workers(n_workers)
        else:
            stack.enter_context(dask.config.set(scheduler=name, num_workers=2))
        yield


def per_iteration(fit: Callable[[int], Any], long: int = LONG) -> float:
    """Seconds of an iteration, from two fits."""
    seconds = []
    for iterations in (SHORT, long):
        begin = time.perf_counter()
        model = fit(iterations)
        seconds.append(time.perf_counter() - begin)
        assert model.n_iter_ == iterations, "the data converge too soon"
    return (seconds[1] - seconds[0]) / (long - SHORT)


def skfr(module: Any, X: Any, centers: np.ndarray) -> Callable[[int], Any]:
    return lambda n: module.SKFR(K, SELECTED, init=centers, standardize=False, max_iter=n).fit(X)


def kmeans(X: Any, centers: np.ndarray) -> Callable[[int], Any]:
    return lambda n: KMeans(K, init=centers, n_init=1, max_iter=n, tol=0, algorithm="lloyd").fit(X)


def dask_kmeans(X: Any, centers: np.ndarray) -> Callable[[int], Any]:
    return lambda n: DaskKMeans(K, init=centers, max_iter=n, tol=0, random_state=0).fit(X)


def medians(fits: dict[str, Callable[[int], Any]], repeats: int) -> dict[str, float]:
    """Median seconds of an iteration of each implementation, interleaved."""
    seconds: dict[str, list[float]] = {name: [] for name in fits}
    for _ in range(repeats):
        for name, fit in fits.items():
            seconds[name].append(per_iteration(fit, LONGER if name in ("memory", "sklearn") else LONG))
    return {name: statistics.median(found) for name, found in seconds.items()}


def compare(n: int, p: int, repeats: int) -> None:
    """All implementations on one machine, by scheduler and number of chunks."""
    print(f"\n{n} x {p}, {K} clusters, {SELECTED} features; ms per iteration (ratio to SKFR in memory)")
    names = ["in memory", "sparsek on Dask", "KMeans", "dask-ml", "bare sum"]
    names = [name for name in names if DaskKMeans is not None or name != "dask-ml"]
    print(f"{'scheduler':<10} {'chunks':>6} " + " ".join(f"{name:>16}" for name in names))
    for name in SETTINGS:
        with setting(name):
            for chunks in CHUNKS:
                rows = overlapping(n, p, chunks)
                X = np.concatenate([block(i, n // chunks, p) for i in range(chunks)])
                centers = X[:K].copy()
                fits = {"memory": skfr(sparsek, X, centers), "ours": skfr(sparsek, rows, centers)}
                labels = fits["memory"](LONG).labels_
                assert (fits["ours"](LONG).labels_.compute() != labels).mean() < 1e-5, "differ beyond ties"
                fits["sklearn"] = kmeans(X, centers)
                found = medians(fits, repeats)
                if DaskKMeans is not None:
                    found |= medians({"dask-ml": dask_kmeans(rows, centers)}, 1)
                base = found["memory"]
                found["bare"] = bare(rows)
                shown = [f"{1e3 * value:8.1f} ({value / base:5.2f})" for value in found.values()]
                print(f"{name:<10} {chunks:6d} {' '.join(shown)}", flush=True)


def bare(rows: da.Array) -> float:
    """Seconds of Dask's own sum of one number per chunk, the cost of the smallest graph."""
    ones = rows.map_blocks(lambda chunk: np.ones((1, 1)), chunks=((1,) * rows.numblocks[0], (1,)))
    seconds = []
    for _ in range(7):
        begin = time.perf_counter()
        ones.sum().compute()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)


def overhead(repeats: int, chunks: tuple[int, int] = (16, 512)) -> dict[str, float]:
    """Seconds that a chunk adds to an iteration, by scheduler, measured on nearly empty chunks."""
    found = {}
    for name in SETTINGS:
        seconds = []
        with setting(name):
            for number in chunks:
                rows = overlapping(100 * number, 40, number)
                fit = skfr(sparsek, rows, rows[:K].compute())
                fit(SHORT)
                seconds.append(medians({"ours": fit}, repeats)["ours"])
        found[name] = (seconds[1] - seconds[0]) / (chunks[1] - chunks[0])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=640_000)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if DaskKMeans is None:
        print("dask-ml is not installed (pip install dask-ml): its KMeans is not timed.")
    with threadpool_limits(1):
        print("BLAS threads:", {lib["internal_api"]: lib["num_threads"] for lib in threadpool_info()})
        compare(options.rows, options.columns, options.repeats)
        for name, seconds in overhead(options.repeats).items():
            print(f"per chunk and iteration, {name}: {1e3 * seconds:.2f} ms")


if __name__ == "__main__":
    main()
