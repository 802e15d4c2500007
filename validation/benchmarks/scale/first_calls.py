"""First calls in fresh processes: usual commands on iris, beside those of another checkout.

``python validation/benchmarks/scale/first_calls.py --against CHECKOUT`` prints seconds of processor time, the
least of some runs, with the package of this checkout and of another. Every call is timed twice: with all that
it imports of sparsek and scikit-learn, and without. Each checkout keeps compiled loops in a directory of its
own, from a first round on. One thread.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris

ROOT = Path(__file__).parents[3]
THREADS = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
CALLS = {
    "sparsek.SKFR": "(3, n_features_to_select=2, random_state=0).fit(X)",
    "sparsek.SparseKMeans": "(3, l1_bound=1.5, random_state=0).fit(X)",
    "sparsek.KPod": "(3, random_state=0).fit(holes)",
    "rcompat.kmeans": "(X, 3)",
    "rcompat.hclust": "(rcompat.dist(X))",
    "rcompat.rnorm": "(1000)",
    "rcompat.sample": "(1000)",
    "rcompat.rgamma": "(1000, 2)",
    "rcompat.KMeansSparseCluster": "(X, 3, wbounds=1.5, silent=True)",
    "rcompat.ewkm": "(X, 3)",
    "rcompat.Gmedian": "(X)",
}
COMMANDS = {"sparsek fit": "fit iris.csv --k 3 --select 2 --no-plots"}
TIMED_CALL = """
import sys, time, numpy
begin = time.process_time()
import sparsek
from sparsek import rcompat
rcompat.set_seed(1)
X = numpy.loadtxt("iris.csv", delimiter=",", skiprows=1)
holes = numpy.where(numpy.arange(X.size).reshape(X.shape) % 9, X, numpy.nan)
name, arguments = sys.argv[1:]
first = eval(name)
imported = time.process_time()
eval("first" + arguments)
end = time.process_time()
print(end - begin, end - imported)
"""
TIMED_COMMAND = """
import time
begin = time.process_time()
from sparsek.cli import main
try:
    main()
except SystemExit as ended:
    assert not ended.code
print(time.process_time() - begin, "nan")
"""


def first_call(checkout: Path, name: str, folder: Path) -> list[float]:
    """Seconds that a call or a command takes in a fresh process, and those of a call after its imports."""
    code, arguments = TIMED_CALL, [name, CALLS.get(name, "")]
    if name in COMMANDS:
        code, arguments = TIMED_COMMAND, COMMANDS[name].split()
    places = {
        "PYTHONPATH": str(checkout),
        "NUMBA_CACHE_DIR": str(folder / f"loops{checkout.resolve() == ROOT}"),
    }
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=os.environ | THREADS | places,
        cwd=folder,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"error: {name} failed with the package of {checkout}:\n{done.stderr}")
    return [float(number) for number in done.stdout.splitlines()[-1].split()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, required=True, help="top of another checkout")
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        rows = load_iris().data
        np.savetxt(folder / "iris.csv", rows, fmt="%g", delimiter=",", header="a,b,c,d", comments="")
        print(f"{'':>27} {'there':>7} {'here':>7} {'ratio':>6}   imported: {'there':>7} {'here':>7}")
        for name in [*CALLS, *COMMANDS]:
            times = np.array([
                [first_call(checkout, name, folder) for checkout in (options.against.resolve(), ROOT)]
                for _ in range(options.runs + 1)
            ])[1:]  # fmt: skip
            (there, there_imported), (here, here_imported) = times.min(axis=0)
            print(
                f"{name:>27} {there:7.3f} {here:7.3f} {here / there:6.2f}"
                f"{there_imported:20.3f} {here_imported:7.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
