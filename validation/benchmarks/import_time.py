"""Time `import sparsek` and its usual imports, each against scikit-learn's cluster module alone.

Run with ``python validation/benchmarks/import_time.py [--repeats 15]``. Every import runs in a fresh
interpreter, which times the import without its own start. Interleaved, medians of wall-clock time; the ratio
is the median of the ratios. One thread. The first round warms the disk cache and is left out.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys

import numpy as np

BASE = "import sklearn.cluster"
STATEMENTS = {
    BASE: "",
    "import sparsek": "1.3",
    "from sparsek import SKFR": "1.3",
    "from sparsek import SparseKMeans, PermutationGap": "1.3",
    "from sparsek import rcompat": "",
    "from sparsek import *": "",
}
CLOCK = "import time; begin = time.perf_counter(); {statement}; print(time.perf_counter() - begin)"


def seconds(statement: str) -> float:
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", CLOCK.format(statement=statement)]
    return float(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=15)
    repeats = parser.parse_args().repeats
    times = np.array([[seconds(statement) for statement in STATEMENTS] for _ in range(repeats + 1)])[1:]
    ratios = np.median(times / times[:, :1], axis=0)
    print(f"medians of {repeats}\n{'statement':>50} {'seconds':>8} {'ratio':>6} {'target':>7}")
    for (statement, target), spent, ratio in zip(
        STATEMENTS.items(), np.median(times, axis=0), ratios, strict=True
    ):
        print(f"{statement:>50} {spent:8.3f} {ratio:6.2f} {target and '< ' + target:>7}")


if __name__ == "__main__":
    main()
