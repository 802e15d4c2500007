"""Memory and time of fits by blocks of rows to data larger than memory, against reading the file.

Run with ``python validation/benchmarks/scale/scale.py memory [--gigabytes 4] [--columns 1000] [--memory-limit
2GB] [--folder DIR] [--float32] [--estimator SKFR] [--drop-caches]``. Nothing is asserted. One BLAS thread.

memory: writes a ``.npy`` file of normal numbers with 10 groups in its first 20 columns to a scratch folder,
which is removed at the end, and fits 10 clusters to it by path in a process of its own (SKFR with 20
features, SparseKMeans with an l1_bound of 3, or KPod after 5 % of the entries were made NaN). Printed: the
largest resident memory of that process (`ru_maxrss`), against the limit plus 300 MB for interpreter and
libraries; the time of every assignment with the bytes that it read; and the rate of only reading the file
from beginning to end, before and after the fit. The page cache may hold part of a file: ``--drop-caches``
(root only) empties it before each measurement. A file larger than the memory of the machine never fits in the
cache.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

GROUPS, INFORMATIVE = 10, 20
SHOWN = 12
"""Number of assignments that are printed one by one."""
SPREAD = 1.0
"""Standard deviation of the centres, in units of that of the noise: groups overlap."""
ALLOWANCE = 300e6
"""Bytes allowed beyond the limit, for the interpreter and its libraries."""


def write_data(file: Path, n: int, p: int, dtype: str, holes: float) -> None:
    """Write a ``.npy`` file of groups in noise, some of its entries NaN."""
    rng = np.random.default_rng(0)
    centers = rng.normal(0, SPREAD, (GROUPS, INFORMATIVE))
    stored = np.dtype(dtype)
    header = {"descr": stored.str, "fortran_order": False, "shape": (n, p)}
    with file.open("wb") as stream:
        np.lib.format.write_array_header_2_0(stream, header)
        step = max(1, 64_000_000 // (p * stored.itemsize))
        for start in range(0, n, step):
            X = rng.standard_normal((min(step, n - start), p), dtype=stored)
            X[:, :INFORMATIVE] += centers[rng.integers(GROUPS, size=len(X))]
            if holes:
                X[rng.random(X.shape, dtype=np.float32) < holes] = np.nan
            stream.write(X.data)


def drop_caches(wanted: bool) -> None:
    """Empty the page cache."""
    if wanted:
        subprocess.run(["sync"], check=True)
        Path("/proc/sys/vm/drop_caches").write_text("1", encoding="utf-8")


def read_rate(file: Path) -> float:
    """Bytes per second of reading the file into one buffer."""
    buffer, done = bytearray(32_000_000), 0
    begin = time.perf_counter()
    with file.open("rb", buffering=0) as stream:
        while got := stream.readinto(buffer):
            done += got
    return done / (time.perf_counter() - begin)


def fit_alone(file: str, estimator: str, limit: str) -> None:
    """Fit in this process, and print memory and times as JSON."""
    from threadpoolctl import threadpool_limits

    from sparsek import SKFR, KPod, SparseKMeans
    from sparsek.sources.files.opening import as_reader
    from sparsek.sources.local import LocalRows

    reader: Any = as_reader(file)
    read, assign, steps, count = reader.read, LocalRows.assign, [], [0, 0.0]

    def counted(start: int, stop: int) -> Any:
        begin = time.perf_counter()
        X = read(start, stop)
        count[0] += X.nbytes
        count[1] += time.perf_counter() - begin
        return X

    def timed(*arguments: Any, **options: Any) -> Any:
        begin, before = time.perf_counter(), count[0]
        moved = assign(*arguments, **options)
        steps.append((time.perf_counter() - begin, count[0] - before, moved.n_rows))
        return moved

    reader.read, LocalRows.assign = counted, timed  # type: ignore[method-assign]
    common = {"random_state": 0, "memory_limit": limit}
    model = {
        "SKFR": lambda: SKFR(GROUPS, INFORMATIVE, **common, standardize=True),
        "SparseKMeans": lambda: SparseKMeans(GROUPS, l1_bound=3, **common, standardize=False),
        "KPod": lambda: KPod(GROUPS, **common),
    }[estimator]()
    imported = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    begin = time.perf_counter()
    with threadpool_limits(1):
        model.fit(reader)
    found = {
        "seconds": time.perf_counter() - begin,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "imported": imported,
        "read": count[0],
        "reading": count[1],
        "steps": steps,
        "iterations": int(model.n_iter_),
        "sizes": np.bincount(model.labels_).tolist(),
    }
    if estimator != "KPod":
        found["selected"] = model.get_support(indices=True).tolist()
    print(json.dumps(found))


def run_memory(options: argparse.Namespace) -> None:
    """Fit a generated file under the limit, and print memory and time."""
    from sparsek.inputs.arguments import resolve_memory_limit

    dtype = "float32" if options.float32 else "float64"
    p = options.columns
    n = int(options.gigabytes * 1e9 / (p * np.dtype(dtype).itemsize))
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        file = Path(folder) / "data.npy"
        write_data(file, n, p, dtype, 0.05 if options.estimator == "KPod" else 0)
        size = file.stat().st_size
        print(f"\n{options.estimator}, {n} x {p} {dtype}, {size / 1e9:.2f} GB, limit {options.memory_limit}")
        drop_caches(options.drop_caches)
        rates = [read_rate(file)]
        drop_caches(options.drop_caches)
        command = [sys.executable, __file__, "--child", str(file), options.estimator, options.memory_limit]
        found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
        drop_caches(options.drop_caches)
        rates.append(read_rate(file))
    allowed = resolve_memory_limit(options.memory_limit) + ALLOWANCE
    print(
        f"largest resident memory {found['peak'] / 1e6:.0f} MB ({found['imported'] / 1e6:.0f} MB after the "
        f"imports); limit plus 300 MB: {allowed / 1e6:.0f} MB"
    )
    print(f"reading the file alone: {rates[0] / 1e9:.2f} and {rates[1] / 1e9:.2f} GB/s (before and after)")
    passes = found["read"] / size
    print(
        f"fit: {found['seconds']:.1f} s, {found['iterations']} iterations, {passes:.2f} times the file, "
        f"{found['seconds'] / passes:.1f} s per pass ({found['reading'] / passes:.1f} s reading, in another "
        f"thread); reading alone {size / np.mean(rates):.1f} s"
    )
    print(f"rows per cluster {found['sizes']}; selected {found.get('selected')}")
    print("assignments: seconds, share of the file read, rows that moved")
    for seconds, n_bytes, moved in found["steps"][:SHOWN]:
        print(f"{seconds:8.2f} {n_bytes / size:6.3f} {moved:10d}")
    seconds, n_bytes, moved = np.median(found["steps"][SHOWN:] or found["steps"], axis=0)
    print(f"{seconds:8.2f} {n_bytes / size:6.3f} {moved:10.0f}  median of the others", flush=True)


PARTS = {"memory": run_memory}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[])
    parser.add_argument("--gigabytes", type=float, default=4)
    parser.add_argument("--columns", type=int, default=1000)
    parser.add_argument("--memory-limit", default="2GB")
    parser.add_argument("--folder")
    parser.add_argument("--float32", action="store_true")
    parser.add_argument("--estimator", choices=["SKFR", "SparseKMeans", "KPod"], default="SKFR")
    parser.add_argument("--drop-caches", action="store_true")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        fit_alone(*options.child)
        return
    for part in options.parts or PARTS:
        PARTS[part](options)


if __name__ == "__main__":
    main()
