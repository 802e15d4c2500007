"""What FactorSparseMixture finds where columns share factors, beside k-means, SKFR and normal mixtures.

Run with ``python validation/benchmarks/methods/factor_mixture.py`` for designs with and without factors, with
``--trials 3`` and ``--first 200``, the first seed; with folders of ``.npz`` files of ``X`` and ``y`` for real
data; and with ``--large`` for the time of 5,000 x 5,000 and 100,000 x 200. It prints the mean adjusted Rand
index of each method. The oracle is k-means on the columns that differ, without the factors.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

from sparsek import SKFR, FactorSparseMixture

BASE = {"n": 150, "p": 300, "k": 3, "q": 12, "r": 3, "loading": 0.9, "share": 1.0, "shift": 2.0}
DESIGNS: dict[str, dict[str, float]] = {
    "base": {},
    "1 factor": {"r": 1},
    "5 factors": {"r": 5},
    "factors on a fifth": {"share": 0.2},
    "100 x 1000": {"n": 100, "p": 1000},
    "60 x 200": {"n": 60, "p": 200},
    "1000 x 50": {"n": 1000, "p": 50},
    "5 columns differ": {"q": 5},
    "50 columns differ": {"q": 50},
    "weak, 300 rows": {"n": 300, "shift": 1.2},
    "strong factors": {"loading": 2.0},
    "300 x 10, 1 factor": {"n": 300, "p": 10, "r": 1, "q": 5},
    "6 clusters": {"n": 300, "k": 6},
    "no factors": {"r": 0},
    "no factors, 6 clusters": {"r": 0, "n": 300, "k": 6},
    "no factors, 60 x 1000": {"r": 0, "n": 60, "p": 1000, "q": 20},
}
LARGE = {
    "5000 x 5000": {"n": 5000, "p": 5000, "q": 20},
    "100000 x 200": {"n": 100_000, "p": 200},
}
Sample = tuple[np.ndarray, np.ndarray, np.ndarray]


def draw(seed: int, **changed: float) -> Sample:
    """Rows, their clusters, and the columns that differ without the factors."""
    of = BASE | changed
    n, p, k, q, r = (int(of[name]) for name in "npkqr")
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.arange(n) % k)
    means = of["shift"] * rng.choice([-1.0, 1.0], size=(k, q))
    X = rng.normal(size=(n, p))
    X[:, :q] += means[truth]
    plain = X[:, :q].copy()
    load = of["loading"] * rng.normal(size=(p, r)) * (rng.random(p) < of["share"])[:, None]
    return X + rng.normal(size=(n, r)) @ load.T, truth, plain


def normal_mixture(X: np.ndarray, k: int, seed: int) -> np.ndarray:
    """Full covariances on standardised columns, where these are at most 60."""
    Z = StandardScaler().fit_transform(X)
    labels: np.ndarray = GaussianMixture(k, reg_covar=1e-4, n_init=5, random_state=seed).fit_predict(Z)
    return labels


def on_components(X: np.ndarray, k: int, seed: int) -> np.ndarray:
    """The same on ten components."""
    Z = StandardScaler().fit_transform(X)
    return normal_mixture(PCA(min(10, *Z.shape), random_state=seed).fit_transform(Z), k, seed)


METHODS: dict[str, Callable[[np.ndarray, int, int], Any]] = {
    "k-means": lambda X, k, seed: KMeans(k, n_init=10, random_state=seed).fit_predict(
        StandardScaler().fit_transform(X)
    ),
    "SKFR": lambda X, k, seed: SKFR(k, random_state=seed).fit_predict(X),
    "mixture": normal_mixture,
    "on components": on_components,
    "this": lambda X, k, seed: FactorSparseMixture(k, random_state=seed).fit_predict(X),
}


def indices(X: np.ndarray, truth: np.ndarray, seed: int) -> dict[str, float]:
    """The adjusted Rand index of each method; NaN for full covariances of more than 60 columns."""
    found = {}
    for name, method in METHODS.items():
        wide = name == "mixture" and X.shape[1] > 60
        labels = truth if wide else method(X, len(np.unique(truth)), seed)
        found[name] = np.nan if wide else adjusted_rand_score(truth, labels)
    return found


def of_design(name: str, seeds: range) -> dict[str, float]:
    """Mean indices of a design."""
    rows = []
    for seed in seeds:
        X, truth, plain = draw(seed, **DESIGNS[name])
        best = KMeans(len(np.unique(truth)), n_init=10, random_state=seed).fit_predict(plain)
        rows.append(indices(X, truth, seed) | {"oracle": adjusted_rand_score(truth, best)})
    return dict(pd.DataFrame(rows).mean())


def of_file(path: Path, seed: int) -> dict[str, float]:
    """Indices of a set with known classes."""
    with np.load(path) as file:
        X, truth = file["X"].astype(float), file["y"]
    return indices(X, truth, seed)


def of_large(name: str, seed: int) -> dict[str, float]:
    """Index and seconds of a large design."""
    X, truth, _ = draw(seed, **LARGE[name])
    begin, processor = time.perf_counter(), time.process_time()
    model = FactorSparseMixture(int(BASE["k"]), random_state=seed).fit(X)
    spent = {"seconds": time.perf_counter() - begin, "of processor": time.process_time() - processor}
    return {"this": adjusted_rand_score(truth, model.labels_), **spent}


def main() -> None:
    """Print one line for each design or set, and the means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--first", type=int, default=200)
    parser.add_argument("--large", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    tasks: dict[str, Callable[[], dict[str, float]]] = {}
    if given.large:
        tasks = {name: lambda name=name: of_large(name, given.first) for name in LARGE}
    elif given.folders:
        paths = sorted(path for folder in given.folders for path in folder.glob("*.npz"))
        tasks = {path.stem: lambda path=path: of_file(path, given.first) for path in paths}
    else:
        seeds = range(given.first, given.first + given.trials)
        tasks = {name: lambda name=name: of_design(name, seeds) for name in DESIGNS}
    rows = {}
    for name, task in tasks.items():
        rows[name] = task()
        print(f"{name:24}", *(f"{key} {value:.3f}" for key, value in rows[name].items()), flush=True)
    print(pd.DataFrame(rows).T.mean().round(4).to_string())


if __name__ == "__main__":
    main()
