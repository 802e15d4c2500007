"""Compare the starts of SKFR.

Run with ``python -m validation.papers.skfr.simulation.starts [--trials N] [--data FOLDER]``.

Prints medians of the adjusted Rand index of the best of 20 starts, of the share of the variance that it
explains, and of the share of single starts that end within 1 % of the best explained share of the trial. Real
data are `.npz` files with arrays X and y.
"""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.metrics import adjusted_rand_score

from sparsek import SKFR
from sparsek.datasets import make_brodinova, make_partially_observed, make_subset_attributes
from validation.papers.skfr.simulation.methods import on_standardized

STARTS = {
    "screened": {"init": "screened"},
    "k-means++, raw columns": {"init": "k-means++"},
    "k-means++, standardised columns": {"init": on_standardized},
}
SIZES = (20, 200, 1000)
N_SELECTED = 10
CLOSE = 0.99


def simulated(trial: int) -> Iterator[tuple[str, np.ndarray, np.ndarray, str]]:
    """Designs A, A with rescaled columns, B and C (complete) at three sizes."""
    for p in SIZES:
        sample = make_brodinova(p, random_state=trial)
        yield f"A, p = {p}", sample.data, sample.target, "global"
        units = np.random.default_rng(trial).lognormal(0, 3, p)
        yield f"A in other units, p = {p}", sample.data * units, sample.target, "global"
        sample = make_subset_attributes(n_features=p, random_state=trial)
        yield f"B, p = {p}", sample.data, sample.target, "local"
        sample = make_partially_observed(n_features=p, random_state=trial)
        yield f"C, p = {p}", sample.complete, sample.target, "global"


def real(folder: Path | None) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """scikit-learn's data sets, and the files of a folder."""
    for load in (load_iris, load_wine, load_breast_cancer, load_digits):
        bunch = load()
        yield load.__name__.removeprefix("load_"), bunch.data, bunch.target
    for path in sorted(folder.rglob("*.npz")) if folder else ():
        with np.load(path, allow_pickle=False) as file:
            if {"X", "y"} <= set(file.files) and file["X"].ndim == 2:
                yield path.stem, file["X"].astype(float), file["y"]


def compare(
    name: str, X: np.ndarray, y: np.ndarray, scope: str, s: int, seed: int
) -> list[dict[str, object]]:
    """Results of every kind of start on one data set."""
    k = len(np.unique(y))
    fits = {
        start: SKFR(k, s, scope=scope, random_state=seed, **options, standardize=True).fit(X)
        for start, options in STARTS.items()
    }
    truth = np.unique(y, return_inverse=True)[1]
    fits["true labels"] = SKFR(k, s, scope=scope, init=truth, standardize=True).fit(X)
    share = {start: 1 - fit.start_objectives_ / fit.tss_ for start, fit in fits.items()}
    best = max(values.max() for values in share.values())
    return [
        {
            "data": name,
            "start": start,
            "ari": adjusted_rand_score(y, fit.labels_),
            "explained": share[start].max(),
            "success": float((share[start] >= CLOSE * best).mean()),
        }
        for start, fit in fits.items()
    ]


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=30)
    parser.add_argument("--data", type=Path, default=os.environ.get("SPARSEK_DATA"))
    options = parser.parse_args()
    tasks = [(*case, N_SELECTED, trial) for trial in range(options.trials) for case in simulated(trial)]
    folder = Path(options.data) if options.data else None
    for name, X, y in real(folder):
        for s in sorted({max(1, X.shape[1] // 10), max(1, X.shape[1] // 3)}):
            tasks += [(f"{name}, s = {s} of {X.shape[1]}", X, y, "global", s, seed) for seed in range(3)]
    rows = Parallel(n_jobs=-1)(delayed(compare)(*task) for task in tasks)
    table = pd.DataFrame([row for group in rows for row in group])
    medians = table.groupby(["data", "start"], sort=False).median()
    for measure in ("ari", "explained", "success"):
        print(f"{measure}\n{medians[measure].unstack(sort=False).round(3).to_string()}\n")


if __name__ == "__main__":
    main()
