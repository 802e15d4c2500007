"""How often intervals of FitUncertainty hold the weight that they are for, at level 0.9.

Run with ``python validation/benchmarks/methods/uncertainty.py [--trials 100] [--resamples 50]``. Two groups
of half the rows differ in the first three of six features. The truth is the mean weight over 300 other data
sets. One line for each method, number of rows and estimator: shares of the data sets whose interval holds the
truth, means over the three features that matter and over the other three, and mean lengths.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from sparsek import SKFR, FitUncertainty, SparseKMeans

MODELS = {
    "SparseKMeans": SparseKMeans(2, l1_bound=2, n_init=2, random_state=0, standardize=False),
    "SKFR": SKFR(2, 3, n_init=2, random_state=0, standardize=True),
}
OTHERS = 300


def groups(n: int, seed: int) -> np.ndarray:
    """Two groups that differ in three of six features."""
    X = np.random.default_rng(seed).normal(size=(n, 6))
    X[: n // 2, :3] += [4.0, 3.0, 3.0]
    return X


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--resamples", type=int, default=50)
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    lines = []
    for name, model in MODELS.items():
        for n in (40, 160):
            others = [clone(model).fit(groups(n, 10_000 + seed)).feature_weights_ for seed in range(OTHERS)]
            truth = np.mean(others, axis=0)
            for method in ("bootstrap", "subsampling"):
                found = [
                    FitUncertainty(model, method, n_resamples=options.resamples, level=0.9, random_state=seed)
                    .fit(groups(n, seed))
                    .weight_intervals_
                    for seed in range(options.trials)
                ]
                low, high = np.array(found).transpose(1, 0, 2)
                held, length = ((low <= truth) & (truth <= high)).mean(axis=0), (high - low).mean(axis=0)
                lines.append(
                    {
                        "estimator": name,
                        "rows": n,
                        "method": method,
                        "held, matter": held[:3].mean(),
                        "held, others": held[3:].mean(),
                        "length, matter": length[:3].mean(),
                        "length, others": length[3:].mean(),
                    }
                )
    print(pd.DataFrame(lines).round(3).to_string(index=False))


if __name__ == "__main__":
    main()
