"""Measure the memory that a fit takes beside its data, as a share of their bytes.

Run with ``python validation/benchmarks/scale/memory.py [--against PATH] [--only WORDS]``. PATH is the top of
another checkout, whose numbers are then shown too. ``--engines numpy`` leaves out the compiled loops. One
thread. Every number comes from a process of its own. It first makes some small fits, which import modules and
load compiled loops.

"traced" is the largest sum of what Python and numpy allocated during the fit, by tracemalloc. "process" is
the largest resident memory during the same fit in another process, less that before it. It also counts memory
of compiled libraries, and whole pages: 4 kB, or 2 MB in large arrays. So it is rough for a few megabytes of
data. It needs Linux's ``/proc``.

"bytes of data" are those of the array. For genotypes in one byte each they are those of the same numbers in
double precision, of which a fit may take half. For SKFR the goal is 0.15 and the share of the selected
columns.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import tempfile
import tracemalloc
from pathlib import Path
from typing import Any, NamedTuple

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

GIVEN, DRAWN = "init=centers, n_init=1", "random_state=0"
END = ", n_jobs=1, max_iter=10)"
"""One thread, and few iterations of each start: later ones take no more memory."""
SKFR_SIZES = ((400, 1000, 10, 10), (10_000, 1000, 10, 20), (100_000, 200, 20, 20), (500, 20_000, 5, 100))
SPARSE_SIZES = ((400, 1000, 10, 10), (10_000, 200, 10, 20), (100_000, 200, 20, 20))
GENOTYPES = (20_000, 500, 10, 20)
BESIDE = 0.15
"""Aimed at for SKFR, beside the selected columns."""
WEIGHTED, BYTES = 0.3, 0.5
"""Aimed at for SparseKMeans, and for whole numbers of one byte."""
WARM_SIZES = ((60, 16), (400, 1000), (6000, 16))
"""Most rows and columns of the small fits. Few rows run as one stack, many keep bounds on distances, and
single rows are moved where there are fewer rows than columns."""
STATUS, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def skfr(n_clusters: int, n_selected: int | None, start: str) -> str:
    """A call of SKFR; no number of features for the default, half of them."""
    number = "" if n_selected is None else f"{n_selected}, "
    return f"SKFR({n_clusters}, {number}{start}{END}"


CASES = (
    *(Case(skfr(size[2], s, start), size)
      for size in SKFR_SIZES for s in (None, size[3]) for start in (GIVEN, DRAWN)),
    *(Case(f"SparseKMeans({size[2]}, l1_bound=3.0, n_init=10, {DRAWN}{END}", size)
      for size in SPARSE_SIZES),
    Case(f"KPod(10, {GIVEN}{END}", (10_000, 200, 10, 20), "10 % holes"),
    *(Case(skfr(10, 20, start), GENOTYPES, kind)
      for kind in ("whole", "whole int8") for start in (GIVEN, DRAWN)),
    *(Case(skfr(10, 20, start), (10_000, 1000, 10, 20), "normal float32") for start in (GIVEN, DRAWN)),
)  # fmt: skip


class Measured(NamedTuple):
    """What a fit takes beside its data, in bytes, and the share of columns that it selects."""

    # traced, process: largest allocation by tracemalloc; growth of the resident memory, None without
    # ``/proc``
    traced: float
    process: float | None
    selected: float  # Share of the columns


def answer(call: str, folder: str, traced: bool) -> tuple[float | None, float]:
    """Bytes that a fit takes beside its data, and the share of columns that it selects, in the worker."""
    X: Any = load_data("array", folder)
    for n_rows, n_columns in WARM_SIZES:
        warm_up(call, X[:n_rows, :n_columns], folder)
    model = make_model(call, "array", folder)
    taken = traced_growth(model, X) if traced else process_growth(model, X)
    weights = np.atleast_2d(getattr(model, "feature_weights_", np.ones(X.shape[1])))
    return taken, float((weights > 0).any(axis=0).mean())


def warm_up(call: str, X: Any, folder: str) -> None:
    """A fit of a few rows and columns, which imports what it needs and loads compiled loops."""
    model = make_model(call, "array", folder)
    if not isinstance(getattr(model, "init", None), str):
        model.set_params(init=model.init[:, : X.shape[1]])
    model.fit(np.ascontiguousarray(X))


def traced_growth(model: Any, X: Any) -> float:
    """Largest sum of the bytes allocated during a fit."""
    tracemalloc.start()
    model.fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return float(peak)


def process_growth(model: Any, X: Any) -> float | None:
    """Largest resident memory during a fit less that before it; None without ``/proc``."""
    if not RESET.exists():
        return None
    give_back = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if give_back is not None:
        give_back(0)  # memory that was freed would hide growth
    RESET.write_text("5")  # the largest resident memory is the present one again
    before = resident_peak()
    model.fit(X)
    return resident_peak() - before


def resident_peak() -> float:
    """Largest resident memory of this process, in bytes."""
    lines = STATUS.read_text().splitlines()
    return 1024 * float(next(line for line in lines if line.startswith("VmHWM")).split()[1])


def measure(case: Case, checkout: Path, engine: str, folder: str) -> Measured:
    """Both numbers of a fit, each from a process of its own."""
    found = []
    for traced in (True, False):
        worker = Worker(__file__, checkout, SPARSEK_ENGINE=engine)
        found.append(worker.ask(case.call, folder, traced))
        worker.close()
    (traced_bytes, selected), (process_bytes, _) = found
    return Measured(traced_bytes, process_bytes, selected)


def bytes_of(case: Case) -> float:
    """Bytes of the data, for whole numbers of one byte those in double precision."""
    return float(case.size[0] * case.size[1] * (4 if "float32" in case.kind else 8))


def goal_of(case: Case, selected: float) -> float | None:
    """The share aimed at, if there is one."""
    if "int8" in case.kind:
        return BYTES
    if case.call.startswith("SKFR"):
        return BESIDE + selected
    return WEIGHTED if case.call.startswith("SparseKMeans") else None


def line_of(case: Case, engine: str, sides: list[Measured]) -> str:
    """A line of the table; this checkout comes first."""
    goal = goal_of(case, sides[0].selected)
    data = bytes_of(case)
    shares = ["no /proc" if taken is None else f"{taken / data:.3f}" for side in sides for taken in side[:2]]
    aim = "" if goal is None else f"{goal:.3f}"
    return f"| {case.name} | {engine} | {data:,.0f} | {' | '.join(shares)} | {aim} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path, metavar="PATH", help="top of another checkout")
    parser.add_argument("--only", default="", metavar="WORDS", help="cases whose line has all these words")
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    options = parser.parse_args()
    os.environ.update(THREADS)
    checkouts = [ROOT] if options.against is None else [ROOT, options.against.resolve()]
    heads = [f"{kind}{of}" for of in ("", ", other")[: len(checkouts)] for kind in ("traced", "process")]
    print(f"| call | n, p, k | data | engine | bytes of data | {' | '.join(heads)} | goal |")
    print("|---" * (6 + len(heads)) + "|")
    for case in CASES:
        if not case.has(options.only):
            continue
        with tempfile.TemporaryDirectory() as folder:
            make_data(case, Path(folder))
            for engine in options.engines:
                sides = [measure(case, checkout, engine, folder) for checkout in checkouts]
                print(line_of(case, engine, sides), flush=True)


if __name__ == "__main__":
    main()
