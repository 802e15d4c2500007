"""Time fits of this checkout against those of another one: what the same labels everywhere cost.

Run with ``python validation/benchmarks/scale/same_labels_cost.py --against PATH [--only WORDS]``, where PATH
is the top of the other checkout. Each side has a process of its own, which stays; the fits are interleaved,
engine by engine; medians of wall-clock time, as a table in Markdown. One thread. Sizes are those of
docs/speed.md, the largest of them cut to a few seconds: arrays, sparse matrices, files read by blocks and
Dask collections. Whole numbers have many equal distances, which take longest. "of least": the ratio of
the shortest times, which other work on the machine changes least. The last column tells whether
labels and numbers of iterations of the two sides are equal.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from validation.benchmarks.scale.checkouts import (
    ENGINES,
    ROOT,
    THREADS,
    Case,
    Worker,
    load_data,
    make_data,
    make_model,
)

LEAST_SECONDS, MOST_REPEATS = 1.0, 41
"""Fits that together take less than so many seconds are repeated further, at most so often."""
GIVEN = "init=centers, n_init=1"
DRAWN = "random_state=0"
SMALL, FILE, WORDS = (150, 4, 3, 2), (200_000, 50, 10, 10), (1993, 4862, 2, 0)
CASES = (
    *(Case(f"SKFR({size[2]}, {size[3]}, {GIVEN})", size) for size in (
        SMALL, (400, 1000, 10, 10), (10_000, 1000, 10, 20), (100_000, 200, 20, 20), (500, 20_000, 5, 100)
    )),
    *(Case(f"SKFR(10, 10, n_init=20, {DRAWN})", (400, p, 10, 10)) for p in (20, 200, 1000)),
    Case(f"SKFR(10, 10, scope='local', {GIVEN})", (10_000, 200, 10, 20)),
    Case(f"SKFR(3, 2, {DRAWN})", SMALL),
    Case(f"SKFR(10, 20, {DRAWN})", (10_000, 1000, 10, 20)),
    Case(f"SKFR(10, 20, init='k-means++', n_init=20, {DRAWN})", (10_000, 100, 10, 20)),
    Case(f"SKFR(10, 10, n_init=1, {DRAWN})", FILE),
    Case(f"SKFR(10, 20, {GIVEN})", (10_000, 1000, 10, 20), "normal float32"),
    Case(f"SKFR(10, 20, {GIVEN})", (10_000, 100, 10, 20), "whole"),
    Case(f"SKFR(10, 10, n_init=20, {DRAWN})", (400, 100, 10, 10), "whole"),
    Case(f"SKFR(10, 20, {GIVEN})", (10_000, 100, 10, 20), "15 % holes"),
    Case(f"SparseKMeans(3, l1_bound=1.5, {GIVEN})", SMALL),
    Case(f"SparseKMeans(3, l1_bound=1.5, n_init=20, {DRAWN})", SMALL),
    *(Case(f"SparseKMeans(10, l1_bound=3.0, {start})", size)
      for size in ((400, 1000, 10, 10), (10_000, 200, 10, 20))
      for start in (f"refine=False, {GIVEN}", DRAWN)),
    Case(f"SparseKMeans(10, l1_bound=3.0, {GIVEN})", (10_000, 100, 10, 20), "whole"),
    Case(f"SparseKMeans(10, l1_bound=3.0, {GIVEN})", FILE),
    Case(f"KPod(3, {GIVEN})", SMALL, "15 % holes"),
    Case(f"KPod(3, n_init=20, {DRAWN})", SMALL, "15 % holes"),
    Case(f"KPod(5, {DRAWN})", (2000, 50, 5, 10), "15 % holes"),
    Case(f"KPod(10, {GIVEN})", (20_000, 50, 10, 10), "15 % holes"),
    Case(f"KPod(10, {GIVEN})", (20_000, 50, 10, 10), "whole"),
    Case(f"SKFR(2, 200, n_init=5, {DRAWN})", WORDS, "words", "csr"),
    Case(f"SKFR(2, 200, {GIVEN})", WORDS, "words", "csr"),
    Case(f"SparseKMeans(2, l1_bound=8.0, n_init=5, {DRAWN})", WORDS, "words", "csr"),
    Case(f"SKFR(10, 20, {GIVEN})", (10_000, 100, 10, 20), "whole", "csr"),
    *(Case(f"{call}, {GIVEN}, memory_limit='40MB')", FILE, kind, source) for call, kind, source in (
        ("SKFR(10, 10", "normal", "npy"), ("SKFR(10, 10", "normal", "parquet"),
        ("SKFR(10, 10", "whole", "npy"), ("SparseKMeans(10, l1_bound=3.0", "normal", "npy"),
    )),
    Case(f"KPod(10, {GIVEN}, memory_limit='10MB')", (30_000, 50, 10, 10), "15 % holes", "npy"),
    *(Case(f"{call}, {GIVEN})", (n, 100, 10, 20), "normal", f"dask {chunks}") for call, n, chunks in (
        ("SKFR(10, 20", 100_000, 8), ("SKFR(10, 20", 100_000, 64),
        ("SparseKMeans(10, l1_bound=3.0", 30_000, 8),
    )),
)  # fmt: skip


def answer(call: str, source: str, folder: str, engine: str) -> tuple[float, str]:
    """Seconds of a fit, and a digest of its answer."""
    import sparsek

    X, model = load_data(source, folder), make_model(call, source, folder)
    with sparsek.set_engine(engine):
        begin = time.perf_counter()
        fit = model.fit(X)
        seconds = time.perf_counter() - begin
    found = np.asarray(fit.labels_).astype(np.int64).tobytes() + str(fit.n_iter_).encode()
    return seconds, hashlib.sha256(found).hexdigest()


def time_case(case: Case, workers: list[Worker], repeats: int) -> Iterator[str]:
    """A line of the table for each engine."""
    with tempfile.TemporaryDirectory() as folder:
        make_data(case, Path(folder))
        for engine in ENGINES:
            request = (case.call, case.source, folder, engine)
            digests = [worker.ask(*request)[1] for worker in workers]  # also loads and compiles
            times: list[list[float]] = [[], []]
            end = time.perf_counter() + LEAST_SECONDS
            for done in range(max(repeats, MOST_REPEATS)):
                if done >= repeats and time.perf_counter() > end:
                    break
                for side in (0, 1) if done % 2 else (1, 0):
                    times[side].append(workers[side].ask(*request)[0])
            before, now = (1e3 * statistics.median(seconds) for seconds in times)
            ratios = f"{now / before:.2f} | {min(times[1]) / min(times[0]):.2f}"
            same = "equal" if digests[0] == digests[1] else "other"
            yield f"| {case.name} | {engine} | {before:.2f} | {now:.2f} | {ratios} | {same} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path, metavar="PATH", help="top of the other checkout")
    parser.add_argument("--only", default="", metavar="WORDS", help="cases whose line has all these words")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    if options.against is None:
        parser.error("--against names the top of the checkout to compare with")
    os.environ.update(THREADS)
    workers = [Worker(__file__, path) for path in (options.against.resolve(), ROOT)]
    print(f"{', '.join(f'{name}={value}' for name, value in THREADS.items())}\n")
    print("| call | n, p, k | data | engine | before, ms | now, ms | ratio | of least | answer |")
    print("|---|---|---|---|---|---|---|---|---|")
    for case in CASES:
        if case.has(options.only):
            for line in time_case(case, workers, options.repeats):
                print(line, flush=True)
    for worker in workers:
        worker.close()


if __name__ == "__main__":
    main()
