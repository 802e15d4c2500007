"""First calls in fresh processes: of every estimator and every R function, with numba and without.

``python validation/benchmarks/scale/first_calls.py`` prints seconds of processor time of whole processes that
make one call: with a plain installation (numba is hidden), with numba and no loops kept on disk (cold), and
with all loops of the call kept there (warm). A first call may take `MOST` times that of the plain
installation and `ALLOWANCE` seconds; the exit code is 1 where one takes more. One thread.

``--checkout PATH`` times the package of another checkout, ``--record`` writes the numbers to
`validation/results` for docs/speed.md, and words choose rows: ``first_calls.py SKFR kmeans``.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import pandas as pd

ROOT = Path(__file__).parents[3]
NAME = "first-calls"
"""Name of the files of the record, without extension."""
THREADS = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
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
CALL = """
import os, sys, time, warnings
warnings.simplefilter("ignore")
if "PLAIN" in os.environ:
    sys.modules["numba"] = None
import numpy as np
call, n, p = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
if call.startswith("case "):
    from r_reference.recipes import load_table, make_data
    from validation.parity.outcome import run_ours
    case = load_table()["cases"][int(call[5:])]
    run_ours(case, make_data(case["data"]))
else:
    import sparsek
    from sparsek import rcompat
    X = np.random.default_rng(0).normal(size=(n, p))
    X += np.outer(2.0 * (np.arange(n) % 3), np.arange(p) < max(2, p // 10))
    names = {name: getattr(sparsek, name) for name in sparsek.__all__}
    made = eval(call, names | {"X": X, "rcompat": rcompat})
    if not call.startswith("rcompat."):
        made.fit(X - X.min())
print(time.process_time())
"""


def all_calls() -> dict[str, tuple[str, int, int]]:
    """A label for every call, with the call and the numbers of rows and columns."""
    from r_reference.recipes import load_table
    from sparsek._registry import ESTIMATORS

    calls = {f"{call}, {n} x {p}": (call, n, p) for call, (n, p) in LARGER.items()}
    for row in ESTIMATORS:
        call = row.checks[0] if row.checks else f"{row.name}()"
        calls[f"{call}, {SMALL[0]} x {SMALL[1]}"] = (call, *SMALL)
    for number, case in enumerate(load_table()["cases"]):
        calls.setdefault(f"R's {case['function']}, a recorded case", (f"case {number}", 0, 0))
    return calls


def seconds(checkout: Path, call: tuple[str, int, int], folder: Path, plain: bool, engine: str) -> float:
    """Processor time of a process that makes the call; compiled loops are kept in the folder."""
    places = {"PYTHONPATH": str(checkout), "NUMBA_CACHE_DIR": str(folder), "SPARSEK_ENGINE": engine}
    done = subprocess.run(
        [sys.executable, "-c", CALL, *map(str, call)],
        env=os.environ | THREADS | places | ({"PLAIN": "1"} if plain else {}),
        cwd=checkout,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"error: {call[0]} failed with the package of {checkout}:\n{done.stderr}")
    return float(done.stdout.splitlines()[-1])


def measure(checkout: Path, label: str, call: tuple[str, int, int], runs: int) -> dict[str, float | str]:
    """The medians of some runs of each kind, in turn."""
    found: dict[str, list[float]] = {"plain": [], "cold": [], "warm": []}
    with tempfile.TemporaryDirectory() as place:
        full = Path(place) / "full"
        seconds(checkout, call, full, False, "compiled")
        for run in range(runs):
            empty = Path(place) / f"empty{run}"
            found["plain"].append(seconds(checkout, call, empty, True, "auto"))
            found["cold"].append(seconds(checkout, call, empty, False, "auto"))
            found["warm"].append(seconds(checkout, call, full, False, "auto"))
    return {"call": label, **{kind: median(times) for kind, times in found.items()}}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("words", nargs="*", help="rows whose label has one of these")
    parser.add_argument("--checkout", type=Path, default=ROOT)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--record", action="store_true", help=f"write validation/results/{NAME}.csv")
    options = parser.parse_args()
    print(f"{'plain':>8} {'cold':>8} {'warm':>8}  call")
    rows = []
    for label, call in all_calls().items():
        if options.words and not any(word in label for word in options.words):
            continue
        row = measure(options.checkout.resolve(), label, call, options.runs)
        row["within"] = max(row["cold"], row["warm"]) <= MOST * row["plain"] + ALLOWANCE
        mark = "" if row["within"] else "  MORE THAN ALLOWED"
        print(f"{row['plain']:8.2f} {row['cold']:8.2f} {row['warm']:8.2f}  {label}{mark}", flush=True)
        rows.append(row)
    table = pd.DataFrame(rows)
    print(f"{table['within'].sum()} of {len(table)} first calls are within {MOST} plain + {ALLOWANCE} s")
    if options.record:
        from validation.papers.shared.store import RESULTS, save_table

        save_table(table, RESULTS, NAME, f"first_calls.py --runs {options.runs}")
    return 0 if table["within"].all() else 1


if __name__ == "__main__":
    sys.exit(main())
