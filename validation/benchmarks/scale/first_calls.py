"""First calls of every estimator and every R function, with numba and without, each in a process of its own.

``python validation/benchmarks/scale/first_calls.py`` prints seconds of processor time of the first call: with
a plain installation (numba is hidden), with numba and no loops kept on disk (cold), and with all loops of the
call kept there (warm). The processes are forks of one that has imported numpy, scipy, scikit-learn and
sparsek, so that what all calls import does not count. A first call may take `MOST` times that of the plain
installation and `ALLOWANCE` seconds; the exit code is 1 where one takes more. One thread.

With ``PYTHONPATH=CHECKOUT`` it times the package of another checkout, ``--record`` writes the numbers to
`validation/results` for docs/speed.md, and words choose rows: ``first_calls.py SKFR kmeans``.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import warnings
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

import sparsek
import sparsek.rcompat
from r_reference.recipes import load_table, make_data
from sparsek._registry import ESTIMATORS
from validation.parity.outcome import run_ours

NAME = "first-calls"
"""Name of the files of the record, without extension."""
MOST, ALLOWANCE = 1.3, 0.2
LARGER = {
    "SKFR(3)": (5000, 30),
    "SKFR(4)": (100_000, 50),
    "SKFR(5, n_features_to_select=5)": (100_000, 100),
    "SparseKMeans(3)": (100, 2000),
    "SparseKMeans(4)": (20_000, 50),
    "KPod(3)": (5000, 30),
    "PowerKMeans(3)": (20_000, 30),
    "rcompat.kmeans(X, 3, nstart=20)": (20_000, 30),
    "rcompat.hclust(rcompat.dist(X))": (3000, 10),
    "rcompat.KMeansSparseCluster(X, 3, wbounds=3, silent=True)": (200, 2000),
    "rcompat.ewkm(X, 3)": (20_000, 30),
    "rcompat.kGmedian(X, 3)": (50_000, 20),
    "rcompat.rnorm(10_000_000)": (1, 1),
}
"""Calls on data of some size, beside the estimators and R functions on small data."""
SMALL = (150, 4)


def all_calls() -> dict[str, tuple[str, int, int]]:
    """A label for every call, with the call and the numbers of rows and columns."""
    calls = {f"{call}, {n} x {p}": (call, n, p) for call, (n, p) in LARGER.items()}
    for row in ESTIMATORS:
        call = row.checks[0] if row.checks else f"{row.name}()"
        calls[f"{call}, {SMALL[0]} x {SMALL[1]}"] = (call, *SMALL)
    for number, case in enumerate(load_table()["cases"]):
        calls.setdefault(f"R's {case['function']}, a recorded case", (f"case {number}", 0, 0))
    return calls


def seconds(call: tuple[str, int, int], folder: Path, engine: str, plain: bool = False) -> float:
    """Processor time that a new process takes for the call; compiled loops are kept in the folder."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.environ["NUMBA_CACHE_DIR"] = str(folder)
            if plain:
                sys.modules["numba"] = None  # type: ignore[assignment]  # as if it were not installed
            warnings.simplefilter("ignore")
            make_call(*call, engine)
            os.write(writing, str(time.process_time()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading) as answer:
        found = answer.read()
    os.waitpid(child, 0)
    if not found:
        raise SystemExit(f"error: {call[0]} failed, see above")
    return float(found)


def make_call(call: str, n: int, p: int, engine: str) -> None:
    """Make a call on three groups of rows, or on the data of its recorded case."""
    with sparsek.set_engine(engine):
        if call.startswith("case "):
            case = load_table()["cases"][int(call[5:])]
            run_ours(case, make_data(case["data"]))
            return
        X = np.random.default_rng(0).normal(size=(n, p))
        X += np.outer(2.0 * (np.arange(n) % 3), np.arange(p) < max(2, p // 10))
        names = {name: getattr(sparsek, name) for name in sparsek.__all__}
        made = eval(call, names | {"X": X, "rcompat": sparsek.rcompat})
        if not call.startswith("rcompat."):
            made.fit(X - X.min())


def measure(label: str, call: tuple[str, int, int], runs: int) -> dict[str, float | str]:
    """The medians of some runs of each kind, in turn."""
    found: dict[str, list[float]] = {"plain": [], "cold": [], "warm": []}
    with tempfile.TemporaryDirectory() as place:
        full = Path(place) / "full"
        seconds(call, full, "compiled")
        for run in range(runs):
            empty = Path(place) / f"empty{run}"
            found["plain"].append(seconds(call, empty, "auto", plain=True))
            found["cold"].append(seconds(call, empty, "auto"))
            found["warm"].append(seconds(call, full, "auto"))
    return {"call": label, **{kind: median(times) for kind, times in found.items()}}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("words", nargs="*", help="rows whose label has one of these")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--record", action="store_true", help=f"write validation/results/{NAME}.csv")
    options = parser.parse_args()
    threadpool_limits(1)
    _ = sparsek.SKFR, sparsek.rcompat.kmeans  # names of sparsek import their modules when they are asked for
    print(f"{'plain':>8} {'cold':>8} {'warm':>8}  call")
    rows = []
    for label, call in all_calls().items():
        if options.words and not any(word in label for word in options.words):
            continue
        row = measure(label, call, options.runs)
        row["within"] = max(row["cold"], row["warm"]) <= MOST * row["plain"] + ALLOWANCE
        mark = "" if row["within"] else "  MORE THAN ALLOWED"
        print(f"{row['plain']:8.2f} {row['cold']:8.2f} {row['warm']:8.2f}  {label}{mark}", flush=True)
        rows.append(row)
    table = pd.DataFrame(rows)
    print(f"{table['within'].sum()} of {len(table)} first calls are within {MOST} plain + {ALLOWANCE} s")
    if options.record:
        from validation.papers.shared.store import RESULTS, load_table, save_table

        scale = f"first_calls.py --runs {options.runs}"
        if options.words:  # the other rows stay
            kept, about = load_table(NAME, RESULTS)
            table = pd.concat([kept[~kept["call"].isin(table["call"])], table], ignore_index=True)
            scale = f"{about['scale']}, then --runs {options.runs} {' '.join(options.words)}"
        save_table(table, RESULTS, NAME, scale)
    return 0 if table["within"].all() else 1


if __name__ == "__main__":
    sys.exit(main())
