"""Simulation of an iteration of SKFR on Dask, for a plan of 100 workers and 1e9 x 1000 numbers.

Run with ``python validation/benchmarks/scale/scale_plan.py [--task-overhead 0.5] [--bandwidth 10] [--threads
8]``: milliseconds of the scheduler per task, gigabits per second of every worker, threads of a worker.
Measured on this machine: seconds of each task on one chunk of `MEASURED` rows, in one thread. Assumed:

- the rows (single precision) are persisted, chunk i on worker i modulo the number of workers;
- the scheduler handles tasks one after the other, `--task-overhead` each, from ready to running, and the
  client needs `CLIENT` seconds to write out each task's graph entry; both before or while workers compute;
- a chunk's labels and the change of its cluster sums are tasks of its worker; `FAN_IN` changes are added by a
  worker that has one of them, and the others reach it one after the other at the bandwidth, with `LATENCY`;
- the constants of the step reach every worker from the client in a tree of depth log2(workers).

Printed for several sizes of the chunks: tasks, memory of a chunk, bytes that move, depth of the tree, the
time of an iteration, the same for workers that cost nothing (the scheduler alone) and for a scheduler that
costs nothing (the workers alone). ``--check`` simulates 1 and 2 workers of this machine with 16 and 64 chunks
and runs them on a `LocalCluster`, whose overhead per task is measured first, with empty tasks.
"""

from __future__ import annotations

import argparse
import heapq
import logging
import statistics
import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from sparsek.core.scaling import identity
from sparsek.sources.blocks import DenseSteps, Subspace
from sparsek.sources.dask.graph import FAN_IN
from sparsek.sources.dask.rows import ChunkStep, _add_changes, _change, _nearest

N, P, K, SELECTED = 1_000_000_000, 1000, 10, 100
WORKERS, MEASURED, MOVED = 100, 20_000, 0.02
CLIENT, LATENCY = 50e-6, 1e-3


@dataclass(frozen=True)
class Costs:
    """Seconds per row in the two tasks of a chunk, per addition, of the scheduler per task, and per byte."""

    nearest: float
    change: float
    add: float
    task: float
    byte: float


def median_time(work: Any, repeats: int = 7) -> float:
    """Median seconds of a call."""
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)


def measured(p: int, selected: int, task: float, byte: float, dtype: Any = np.float32) -> Costs:
    """Costs of the tasks on this machine, in one thread."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((MEASURED, p)).astype(dtype)
    subspace = Subspace(np.sort(rng.choice(p, selected, replace=False)))
    centers = rng.standard_normal((K, selected)).astype(dtype)
    step = ChunkStep(DenseSteps(identity(p, dtype), K), slice(None), subspace, centers)
    labels = _nearest(step, [X])
    old = labels.copy()
    old[:: int(1 / MOVED)] = (old[:: int(1 / MOVED)] + 1) % K
    change = _change(step, [X], labels, old)
    return Costs(
        median_time(lambda: _nearest(step, [X])) / MEASURED,
        median_time(lambda: _change(step, [X], labels, old)) / MEASURED,
        median_time(lambda: _add_changes([change] * FAN_IN)),
        task,
        byte,
    )


def simulate(n_chunks: int, rows: float, workers: int, threads: int, p: int, costs: Costs) -> float:
    """Simulated seconds of an iteration: every task passes the scheduler, then a thread of its worker."""
    depth = int(np.ceil(np.log2(max(workers, 2))))
    constants = 8 * (3 * p + K * SELECTED) * costs.byte + LATENCY
    begin = CLIENT * 2.2 * n_chunks + depth * constants
    free = [[begin] * threads for _ in range(workers)]
    network = [begin] * workers
    partial = 8 * K * (p + 1)
    # Ready tasks by time: (when, number, level, index); level -1 labels, 0 changes, 1 and up the tree.
    ready = [(begin, i, -1, i) for i in range(n_chunks)]
    heapq.heapify(ready)
    waiting: dict[tuple[int, int], list[Any]] = {}
    sizes = [n_chunks]
    while sizes[-1] > 1:
        sizes.append(-(-sizes[-1] // FAN_IN))
    scheduler, number, end = begin, n_chunks, begin
    places = {(0, i): i % workers for i in range(n_chunks)}
    while ready:
        when, _, level, i = heapq.heappop(ready)
        scheduler = max(scheduler, when) + costs.task
        worker = places[max(level, 0), i]
        start = scheduler
        if level > 0:
            children = range(i * FAN_IN, min((i + 1) * FAN_IN, sizes[level - 1]))
            moved = sum(places[level - 1, child] != worker for child in children)
            if moved:
                network[worker] = max(network[worker], start) + moved * (partial * costs.byte + LATENCY)
                start = network[worker]
        seconds = {-1: costs.nearest * rows, 0: costs.change * rows}.get(level, costs.add)
        end = max(start, heapq.heappop(free[worker])) + seconds
        heapq.heappush(free[worker], end)
        number += 1
        if level < 0:
            heapq.heappush(ready, (end, number, 0, i))
        elif sizes[level] > 1:
            parent = (level + 1, i // FAN_IN)
            arrived = waiting.setdefault(parent, [])
            arrived.append((end, worker))
            if len(arrived) == min(FAN_IN, sizes[level] - parent[1] * FAN_IN):
                last, places[parent] = max(arrived)
                heapq.heappush(ready, (last, number, *parent))
    return end


def plan(costs: Costs, threads: int) -> None:
    """The table for sizes of the chunks."""
    print(
        f"\n{N:.0e} x {P} float32 = {4 * N * P / 1e12:.0f} TB, {WORKERS} workers of {threads} threads "
        f"({4 * N * P / WORKERS / 1e9:.0f} GB each); {K} clusters, {SELECTED} features, "
        f"{MOVED:.0%} of the rows move"
    )
    print(
        f"measured, per million rows and thread: labels {1e6 * costs.nearest:.2f} s, changes "
        f"{1e6 * costs.change:.2f} s; adding {FAN_IN} changes {1e3 * costs.add:.2f} ms; assumed: "
        f"{1e3 * costs.task:.2f} ms of the scheduler per task, {8e-9 / costs.byte:.0f} Gbit/s"
    )
    free = Costs(0, 0, 0, costs.task, 0)
    alone = Costs(costs.nearest, costs.change, costs.add, 0, costs.byte)
    print("chunk MB  chunks   tasks  depth  moved MB  iteration s  scheduler alone  workers alone")
    for megabytes in (64, 128, 256, 512, 1024, 2048, 4096):
        rows = megabytes * 1e6 / (4 * P)
        n_chunks = int(np.ceil(N / rows))
        depth = int(np.ceil(np.log(n_chunks) / np.log(FAN_IN)))
        tree = int(n_chunks / (FAN_IN - 1))
        moved = 8 * K * (P + 1) * (n_chunks + tree) + WORKERS * 8 * (3 * P + K * SELECTED)
        seconds = [simulate(n_chunks, rows, WORKERS, threads, P, c) for c in (costs, free, alone)]
        print(
            f"{megabytes:8d} {n_chunks:7d} {2 * n_chunks + tree:7d} {depth:6d} {moved / 1e6:9.0f} "
            f"{seconds[0]:12.1f} {seconds[1]:16.1f} {seconds[2]:14.1f}"
        )


def check() -> None:
    """Compare simulated with measured iterations on this machine."""
    from scale_dask import overlapping, per_iteration, setting, skfr

    import sparsek

    p, rows = 100, 10_000
    print("\nworkers  chunks  measured ms  simulated ms   (overhead per task found from empty tasks)")
    for workers in (1, 2):
        with setting(f"{workers} worker" + "s" * (workers > 1)):
            seconds = {}
            for size, chunks in ((100, 16), (100, 128), (rows, 16), (rows, 64)):
                X = overlapping(size * chunks, p, chunks)
                fit = skfr(sparsek, X, X[:K].compute())
                seconds[size, chunks] = per_iteration(fit)
            task = (seconds[100, 128] - seconds[100, 16]) / (112 * 2.14)
            fixed = seconds[100, 16] - 16 * 2.14 * task
            costs = measured(p, 20, max(task - CLIENT, 0), 1e-9, np.float64)
            for chunks in (16, 64):
                found = fixed + simulate(chunks, rows, workers, 1, p, costs)
                print(
                    f"{workers:7d} {chunks:7d} {1e3 * seconds[rows, chunks]:12.0f} {1e3 * found:13.0f}   "
                    f"({1e3 * task:.2f} ms)",
                    flush=True,
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--task-overhead", type=float, default=0.5)
    parser.add_argument("--bandwidth", type=float, default=10)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with threadpool_limits(1):
        if options.check:
            check()
        costs = measured(P, SELECTED, 1e-3 * options.task_overhead, 8e-9 / options.bandwidth)
        plan(costs, options.threads)


if __name__ == "__main__":
    main()
