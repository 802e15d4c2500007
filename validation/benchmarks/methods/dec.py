"""Time deep embedded clustering of scikit-learn's digits at the quick setting against its target.

Run with ``python validation/benchmarks/methods/dec.py [--repeats 3]``. Medians of wall-clock and processor
time of whole fits, in double and single precision, and the accuracy. ``--threads 1 2`` compares numbers of
BLAS threads; this is meaningless on a busy machine, where the threads wait for each other.
"""

from __future__ import annotations

import argparse
import statistics
import time
from itertools import product

import numpy as np
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_info

from sparsek import DEC
from sparsek.metrics import misclassification_error

TARGET = 60.0
"""Targets in seconds, on 2 cores."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, nargs="+", default=[1])
    options = parser.parse_args()
    X, y = load_digits(return_X_y=True)
    DEC(2, hidden_sizes=(4,), layer_epochs=1, finetune_epochs=1, random_state=0).fit(X[:50])  # imports
    print("BLAS:", [lib["internal_api"] for lib in threadpool_info() if lib["user_api"] == "blas"])
    print(f"{'type':<8} {'threads':>7} {'wall s':>7} {'cpu s':>6} {'target':>6} {'accuracy':>8} {'steps':>6}")
    times: dict[tuple[str, int], list[tuple[float, float]]] = {}
    models = {}
    for _ in range(options.repeats):
        for dtype, threads in product((np.float64, np.float32), options.threads):  # interleaved
            case = np.dtype(dtype).name, threads
            begin = time.perf_counter(), time.process_time()
            models[case] = DEC(10, blas_threads=threads, random_state=0).fit(X.astype(dtype))
            spent = time.perf_counter() - begin[0], time.process_time() - begin[1]
            times.setdefault(case, []).append(spent)
    for case, spent in times.items():
        wall, cpu = (statistics.median(values) for values in zip(*spent, strict=True))
        accuracy = 1 - misclassification_error(y, models[case].labels_)
        name, threads = case
        numbers = f"{wall:7.1f} {cpu:6.1f} {TARGET:6.0f} {accuracy:8.3f} {models[case].n_iter_:6d}"
        print(f"{name:<8} {threads:>7} {numbers}")


if __name__ == "__main__":
    main()
