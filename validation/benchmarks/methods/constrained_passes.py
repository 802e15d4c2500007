"""Time passes of the assignment step of PCKMeans: the first, where no label is known, and the second.

Run with ``python validation/benchmarks/methods/constrained_passes.py [--repeats 20]``. One BLAS thread,
medians. Whole fits are timed by ``python -m validation speed alone.constrained methods.peers``.
"""

from __future__ import annotations

import argparse

import numpy as np

from sparsek.core.scaling import prepare
from sparsek.methods.constrained.assignment import assign_in_order, build_pattern
from sparsek.methods.constrained.costs import PairSquares, measure_extents
from sparsek.methods.constrained.pckm import coefficients, unknown_labels
from validation.benchmarks.data import problem
from validation.benchmarks.rows import interleaved, one_thread, print_threads

SIZES = {(400, 18, 3, 7000): 2.0, (10_000, 20, 10, 10_000): None, (100_000, 20, 10, 100_000): None}
"""Rows, columns, clusters and pairs; targets in milliseconds."""


def time_passes(n: int, p: int, k: int, m: int, repeats: int) -> dict[str, float]:
    """Seconds of both passes."""
    X, _, constraints = problem(n, p, k, m)
    Z, scaling = prepare(X, None, standardize=False, by_column=False)
    pattern = build_pattern(constraints)
    extents = measure_extents(Z[:, :-1], -scaling.offset, "box")
    ones = np.ones(p)
    values = PairSquares(Z[:, :-1], pattern).costs(ones, extents.under(ones)).together
    base = coefficients(Z[np.random.default_rng(1).choice(n, k, replace=False), :-1]) @ Z.T
    unknown = unknown_labels(n, k)
    labels = assign_in_order(base, pattern, values, unknown)
    calls = {
        "first": lambda: assign_in_order(base, pattern, values, unknown),
        "second": lambda: assign_in_order(base, pattern, values, labels),
    }
    return interleaved(calls, repeats)[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=20)
    options = parser.parse_args()
    with one_thread():
        print_threads()
        print(f"{'n, p, k, pairs':>26} {'first ms':>9} {'second ms':>9} {'target':>8}")
        for size, target in SIZES.items():
            times = time_passes(*size, options.repeats)
            ms = " ".join(f"{1e3 * value:9.2f}" for value in times.values())
            print(f"{size!s:>26} {ms} {target or '':>8}", flush=True)


if __name__ == "__main__":
    main()
