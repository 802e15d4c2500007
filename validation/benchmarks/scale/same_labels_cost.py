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
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

ROOT = Path(__file__).parents[3]
ENGINES = ("numpy", "compiled")
THREADS = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
LEAST_SECONDS, MOST_REPEATS = 1.0, 41
"""Fits that together take less than so many seconds are repeated further, at most so often."""
HOLES = 0.15
"""Share of missing entries."""


class Case(NamedTuple):
    """A fit.

    Attributes
    ----------
    call : str
        The estimator; `centers` stands for the given centres.
    size : tuple of int
        Numbers of rows, columns, clusters and columns in which the groups differ.
    kind : str
        "normal", "whole" for 0, 1, 2, "holes" or "words"; with " float32" in single precision.
    source : str
        "array", "csr", "npy", "parquet", or "dask" and a number of chunks.
    """

    call: str
    size: tuple[int, int, int, int]
    kind: str = "normal"
    source: str = "array"

    @property
    def name(self) -> str:
        """The case in words."""
        return f"`{self.call}` | {', '.join(map(str, self.size[:3]))} | {self.kind}, {self.source}"


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
    Case(f"SKFR(10, 20, {GIVEN})", (10_000, 100, 10, 20), "holes"),
    Case(f"SparseKMeans(3, l1_bound=1.5, {GIVEN})", SMALL),
    Case(f"SparseKMeans(3, l1_bound=1.5, n_init=20, {DRAWN})", SMALL),
    *(Case(f"SparseKMeans(10, l1_bound=3.0, {start})", size)
      for size in ((400, 1000, 10, 10), (10_000, 200, 10, 20))
      for start in (f"refine=False, {GIVEN}", DRAWN)),
    Case(f"SparseKMeans(10, l1_bound=3.0, {GIVEN})", (10_000, 100, 10, 20), "whole"),
    Case(f"SparseKMeans(10, l1_bound=3.0, {GIVEN})", FILE),
    Case(f"KPod(3, {GIVEN})", SMALL, "holes"),
    Case(f"KPod(3, n_init=20, {DRAWN})", SMALL, "holes"),
    Case(f"KPod(5, {DRAWN})", (2000, 50, 5, 10), "holes"),
    Case(f"KPod(10, {GIVEN})", (20_000, 50, 10, 10), "holes"),
    Case(f"KPod(10, {GIVEN})", (20_000, 50, 10, 10), "whole"),
    Case(f"SKFR(2, 200, n_init=5, {DRAWN})", WORDS, "words", "csr"),
    Case(f"SKFR(2, 200, {GIVEN})", WORDS, "words", "csr"),
    Case(f"SparseKMeans(2, l1_bound=8.0, n_init=5, {DRAWN})", WORDS, "words", "csr"),
    Case(f"SKFR(10, 20, {GIVEN})", (10_000, 100, 10, 20), "whole", "csr"),
    *(Case(f"{call}, {GIVEN}, memory_limit='40MB')", FILE, kind, source) for call, kind, source in (
        ("SKFR(10, 10", "normal", "npy"), ("SKFR(10, 10", "normal", "parquet"),
        ("SKFR(10, 10", "whole", "npy"), ("SparseKMeans(10, l1_bound=3.0", "normal", "npy"),
    )),
    Case(f"KPod(10, {GIVEN}, memory_limit='10MB')", (30_000, 50, 10, 10), "holes", "npy"),
    *(Case(f"{call}, {GIVEN})", (n, 100, 10, 20), "normal", f"dask {chunks}") for call, n, chunks in (
        ("SKFR(10, 20", 100_000, 8), ("SKFR(10, 20", 100_000, 64),
        ("SparseKMeans(10, l1_bound=3.0", 30_000, 8),
    )),
)  # fmt: skip


def make_data(case: Case, folder: Path) -> None:
    """Write the rows of a case, and centres, which are rows."""
    from validation.benchmarks.methods.skfr import mixture
    from validation.benchmarks.methods.sparse_input import word_counts

    rng = np.random.default_rng(0)
    rows = rng.choice(case.size[0], case.size[2], replace=False)
    if case.kind == "words":
        words = word_counts(*case.size[:3], 70)
        sp.save_npz(folder / "X.npz", words)
        np.save(folder / "centers.npy", words[np.sort(rows)].toarray())
        return
    X = mixture(case.size, 0)
    if "whole" in case.kind:
        X = np.clip(np.rint(X + 1), 0, 2)
    if "float32" in case.kind:
        X = X.astype(np.float32)
    np.save(folder / "centers.npy", X[rows])
    if "holes" in case.kind:
        X[rng.random(X.shape) < HOLES] = np.nan
    if case.source == "parquet":
        import pandas as pd

        frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
        frame.to_parquet(folder / "X.parquet", row_group_size=len(X) // 10)
    elif case.source == "csr":
        sp.save_npz(folder / "X.npz", sp.csr_array(X))
    else:
        np.save(folder / "X.npy", X)


@lru_cache(maxsize=1)
def load_data(source: str, folder: str) -> Any:
    """The rows in their form, in the worker."""
    if source in ("npy", "parquet"):
        return Path(folder) / f"X.{source}"
    if source == "csr":
        return sp.load_npz(Path(folder) / "X.npz")
    X = np.load(Path(folder) / "X.npy")
    if source.startswith("dask"):
        import dask
        import dask.array as da

        dask.config.set(scheduler="synchronous")
        return da.from_array(X, chunks=(-(-len(X) // int(source.split()[1])), X.shape[1]))
    return X


def work() -> None:
    """Answer requests, a line of JSON each: seconds of a fit, and a digest of its answer."""
    import sparsek

    warnings.simplefilter("ignore")
    print(json.dumps(sparsek.__file__), flush=True)
    for line in sys.stdin:
        call, source, folder, engine = json.loads(line)
        X, module = load_data(source, folder), sparsek
        # Older checkouts have classes of their own for Dask.
        if source.startswith("dask") and importlib.util.find_spec("sparsek.dask"):
            module = importlib.import_module("sparsek.dask")
        names = {"centers": np.load(Path(folder) / "centers.npy")}
        names |= {name: getattr(module, name, None) for name in ("SKFR", "SparseKMeans", "KPod")}
        with sparsek.set_engine(engine):
            begin = time.perf_counter()
            fit = eval(call, names).fit(X)
            seconds = time.perf_counter() - begin
        answer = np.asarray(fit.labels_).astype(np.int64).tobytes() + str(fit.n_iter_).encode()
        print(json.dumps([seconds, hashlib.sha256(answer).hexdigest()]), flush=True)


class Worker:
    """A process that fits with the package of a checkout."""

    def __init__(self, checkout: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=checkout,
            env=os.environ | THREADS | {"PYTHONPATH": str(checkout)},
        )
        self.package = Path(self._answer()).parent
        if self.package != checkout / "sparsek":
            raise SystemExit(f"error: {checkout} has no sparsek of its own; {self.package} was imported")

    def _answer(self) -> Any:
        """The next line of the process."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("error: a worker ended; its message is above")
        return json.loads(line)

    def fit(self, *request: Any) -> tuple[float, str]:
        """Seconds and digest of a fit."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        seconds, digest = self._answer()
        return seconds, digest

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def time_case(case: Case, workers: list[Worker], repeats: int) -> Iterator[str]:
    """A line of the table for each engine."""
    with tempfile.TemporaryDirectory() as folder:
        make_data(case, Path(folder))
        for engine in ENGINES:
            request = (case.call, case.source, folder, engine)
            digests = [worker.fit(*request)[1] for worker in workers]  # also loads and compiles
            times: list[list[float]] = [[], []]
            end = time.perf_counter() + LEAST_SECONDS
            for done in range(max(repeats, MOST_REPEATS)):
                if done >= repeats and time.perf_counter() > end:
                    break
                for side in (0, 1) if done % 2 else (1, 0):
                    times[side].append(workers[side].fit(*request)[0])
            before, now = (1e3 * statistics.median(seconds) for seconds in times)
            ratios = f"{now / before:.2f} | {min(times[1]) / min(times[0]):.2f}"
            same = "equal" if digests[0] == digests[1] else "other"
            yield f"| {case.name} | {engine} | {before:.2f} | {now:.2f} | {ratios} | {same} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path, metavar="PATH", help="top of the other checkout")
    parser.add_argument("--only", default="", metavar="WORDS", help="cases whose line has all these words")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work()
        return
    if options.against is None:
        parser.error("--against names the top of the checkout to compare with")
    os.environ.update(THREADS)
    workers = [Worker(options.against.resolve()), Worker(ROOT)]
    print(f"{', '.join(f'{name}={value}' for name, value in THREADS.items())}\n")
    print("| call | n, p, k | data | engine | before, ms | now, ms | ratio | of least | answer |")
    print("|---|---|---|---|---|---|---|---|---|")
    for case in CASES:
        if all(word in case.name for word in options.only.split()):
            for line in time_case(case, workers, options.repeats):
                print(line, flush=True)
    for worker in workers:
        worker.close()


if __name__ == "__main__":
    main()
