"""What the default choice of the number of features finds, beside the best number and beside k-means.

Run with ``python validation/benchmarks/methods/default_size.py`` and ``--trials 30``, ``--minutes 25``,
``--method SKFR`` for one estimator, or ``--output DIR``, the folder of the record. The page on SKFR has the
record of validation/results.

One line for each sample: adjusted Rand index of the default with the true groups; the largest one of 16
numbers of features (or bounds), equally spaced in the logarithm, which needs the truth; that of k-means on
standardised columns; how many of the columns that differ the default misses, and how many of the others it
takes; whether it warned; and its cost, the processor time of the default in units of that of the fit with the
chosen value and scale given. Each time is the quickest of three, which other work on the machine disturbs
least. The gene expression data are read from SPARSEK_DATA.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from sparsek import SKFR, SparseKMeans
from sparsek.errors import SelectionWarning
from validation.benchmarks.default_page import NAME, table_of, verdict
from validation.papers.shared.store import RESULTS, save_table

N_VALUES = 16
REPEATS = 3
GENES = ("brain", "colon", "leukemia", "lymphoma", "prostate", "srbct")
CORNERS = 4 * np.array([[0, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 1]])
METHODS: dict[str, tuple[Any, str]] = {
    "SKFR": (SKFR, "n_features_to_select"),
    "SparseKMeans": (SparseKMeans, "l1_bound"),
}
Sample = tuple[np.ndarray, np.ndarray]


def readme(seed: int) -> Sample:
    """The data of README: four kinds of 20 rows, 18 of 2,000 columns differ."""
    rng, truth = np.random.default_rng(seed), np.repeat([0, 1, 2, 3], 20)
    X = rng.normal(size=(80, 2000))
    for k in range(3):
        X[truth == k, 6 * k : 6 * k + 6] += 3
    return X, truth


def corners(p: int) -> Callable[[int], Sample]:
    """The data of the page on choosing k and s, with p columns, of which 4 differ."""

    def draw(seed: int) -> Sample:
        truth = np.repeat([0, 1, 2], 30)
        X = np.random.default_rng(seed).normal(size=(90, p))
        X[:, :4] += CORNERS[truth]
        return X, truth

    return draw


def shifted(X: np.ndarray, k: int, informative: int, spread: float, rng: np.random.Generator) -> Sample:
    """Rows of k groups whose first columns have normal centres."""
    truth = np.arange(len(X)) % k
    X[:, :informative] += spread * rng.normal(size=(k, informative))[truth]
    return X, truth


def neighbours(seed: int) -> Sample:
    """Noise in which neighbouring columns have correlation 0.5; 20 of 200 columns differ."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(100, 200))
    for j in range(1, 200):
        X[:, j] = 0.5 * X[:, j - 1] + np.sqrt(0.75) * X[:, j]
    return shifted(X, 4, 20, 1.5, rng)


def factors(seed: int) -> Sample:
    """Noise of which five factors, common to all 200 columns, are more than half; 20 columns differ."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(100, 200)) + 0.5 * rng.normal(size=(100, 5)) @ rng.normal(size=(5, 200))
    return shifted(X, 4, 20, 1.7, rng)


def heavy_tails(seed: int) -> Sample:
    """Noise of Student's t with 4 degrees of freedom; 20 of 500 columns differ."""
    rng = np.random.default_rng(seed)
    return shifted(rng.standard_t(4, size=(90, 500)), 3, 20, 1.8, rng)


def skewed_counts(seed: int) -> Sample:
    """Overdispersed counts of columns with very different means; 25 of 500 columns differ."""
    rng, truth = np.random.default_rng(seed), np.arange(120) % 3
    means = np.tile(rng.gamma(1, 5, size=500) + 0.3, (3, 1))
    means[:, :25] *= np.exp(rng.normal(size=(3, 25)))
    return rng.poisson(means[truth] * rng.gamma(2, 0.5, size=(120, 500))).astype(float), truth


def no_clusters(seed: int) -> Sample:
    """Independent normal columns, and groups that nothing tells."""
    return np.random.default_rng(seed).normal(size=(100, 200)), np.arange(100) % 4


DESIGNS: dict[str, Callable[[int], Sample]] = {
    "README": readme,
    "corners, p = 20": corners(20),
    "corners, p = 200": corners(200),
    "corners, p = 1000": corners(1000),
    "correlated neighbours": neighbours,
    "common factors": factors,
    "t with 4 degrees of freedom": heavy_tails,
    "skewed counts": skewed_counts,
    "no clusters": no_clusters,
}


def many_rows(seed: int) -> Sample:
    """500,000 rows of three groups that overlap; 5 of 20 columns differ."""
    rng = np.random.default_rng(seed)
    return shifted(rng.normal(size=(500_000, 20)), 3, 5, 1.5, rng)


DIFFER = {
    "README": 18,
    "corners, p = 20": 4,
    "corners, p = 200": 4,
    "corners, p = 1000": 4,
    "correlated neighbours": 20,
    "common factors": 20,
    "t with 4 degrees of freedom": 20,
    "skewed counts": 25,
    "no clusters": 0,
    "500,000 rows": 5,
}
"""How many of the first columns differ."""
ONCE: dict[str, Callable[[int], Sample]] = {"500,000 rows": many_rows} | {
    name: partial(lambda name, seed: genes(name), name) for name in GENES
}
"""Designs of one sample."""


def genes(name: str) -> Sample:
    """A set of gene expression data."""
    import os

    with np.load(Path(os.environ["SPARSEK_DATA"]) / "microarray" / f"{name}.npz") as file:
        return file["X"].astype(float), np.unique(file["y"], return_inverse=True)[1]


def quickest(make: Callable[[], Any], X: np.ndarray) -> tuple[float, Any]:
    """The least processor time of some equal fits, in seconds, and the last of these."""
    times = []
    for _ in range(REPEATS):
        begin = time.process_time()
        model = make().fit(X)
        times.append(time.process_time() - begin)
    return min(times), model


def measure(method: str, X: np.ndarray, truth: np.ndarray, seed: int, differ: int | None) -> dict[str, Any]:
    """The measures of one sample; the first columns differ, or it is not known which."""
    kind, name = METHODS[method]
    k = len(np.unique(truth))
    fresh = partial(kind, k, random_state=seed)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        seconds, model = quickest(fresh, X)
    path = model.selection_path_
    chosen = path.loc[path["chosen"], name].item()
    top = X.shape[1] if method == "SKFR" else np.sqrt(X.shape[1])
    values = np.geomspace(1, top, N_VALUES)
    values = np.unique(values.round().astype(int)) if method == "SKFR" else values * (1 - 1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scale = {"standardize": model.scaling_}
        given, _ = quickest(partial(fresh, **{name: chosen}, **scale), X)
        best = {
            value: adjusted_rand_score(truth, fresh(**{name: value}).fit(X).labels_)
            for value in np.maximum(values, 1).tolist()
        }
    plain = KMeans(k, n_init=20, random_state=seed).fit(StandardScaler().fit_transform(X))
    return {
        "chosen": chosen,
        "ARI": adjusted_rand_score(truth, model.labels_),
        "best": max(best, key=lambda value: best[value]),
        "best ARI": max(best.values()),
        "k-means": adjusted_rand_score(truth, plain.labels_),
        "missed": np.nan if differ is None else differ - model.get_support()[:differ].sum(),
        "false": np.nan if differ is None else model.get_support()[differ:].sum(),
        "warned": any(issubclass(one.category, SelectionWarning) for one in found),
        "cost": seconds / given,
        "seconds": seconds,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--trials", type=int, default=30, help="samples of each design")
    parser.add_argument("--minutes", type=float, default=np.inf, help="leave out what is not done by then")
    parser.add_argument("--method", choices=METHODS, action="append", help="may be repeated; default: all")
    parser.add_argument("--output", type=Path, default=RESULTS, help="default: validation/results")
    options = parser.parse_args()
    end, methods = time.monotonic() + 60 * options.minutes, options.method or list(METHODS)
    samples: list[tuple[str, str, int]] = [(method, name, 0) for method in methods for name in ONCE]
    samples += [
        (method, name, trial) for trial in range(options.trials) for method in methods for name in DESIGNS
    ]
    lines: list[dict[str, Any]] = []
    for method, design, trial in samples:
        if time.monotonic() > end:
            break
        X, truth = (DESIGNS | ONCE)[design](trial)
        with threadpool_limits(1):
            found = measure(method, X, truth, trial, DIFFER.get(design))
        lines.append({"method": method, "design": design, "trial": trial, **found})
    table = pd.DataFrame(lines)
    complete = table[table["design"].isin(DESIGNS)]
    done = int(complete.groupby(["method", "design"]).size().min()) if len(complete) else 0
    table = table[(table["trial"] < done) | ~table["design"].isin(DESIGNS)]
    table = table.sort_values(["method", "trial"], kind="stable")
    only = "".join(f" --method {method}" for method in options.method or [])
    save_table(table, options.output, NAME, f"default_size.py --trials {done}{only}")
    print(table_of(table).to_string(index=False))
    print(verdict(table))


if __name__ == "__main__":
    main()
