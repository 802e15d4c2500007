"""Level and power of the tests after clustering, and their sets by brute force.

Level: data without groups, sizes n and p drawn for every data set. Power: groups whose means lie apart by
delta, as in Chen and Witten (2023) and Gao, Bien and Witten (2022), and one sparse design of ours. Detection
is the share of data sets in which both tested clusters are true groups, conditional power the share of those
with p below 0.05.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.stats import kstest
from sklearn.cluster import KMeans

from sparsek import SKFR, SparseKMeans, inference, rcompat
from sparsek.errors import AssumptionWarning, EmptyClusterError
from sparsek.rng import RRandom
from sparsek.selective.line import difference_contrast
from validation.papers.shared.runs import on_one_thread, quietly

ROWS, COLUMNS = (30, 75, 150), (2, 10, 50, 200)
LINKAGES = ("single", "average", "centroid", "ward", "mcquitty", "median")
DRAWN = "SparseKMeans, drawn"
N_DRAWS = 300
TOGETHER = 25
"""Data sets of one task."""
DELTAS = (4.0, 5.0, 6.0, 7.0, 8.0)


def _fit(method: str, X: np.ndarray, k: int, seed: int) -> Any:
    """The model of a method, from starts that do not look at the data."""
    rng = np.random.default_rng([seed, 1])
    if method == "k-means":
        return KMeans(k, init="random", n_init=1, random_state=seed).fit(X)
    if method == "SKFR":
        rows = rng.choice(len(X), k, replace=False)
        return SKFR(k, max(1, X.shape[1] // 4), standardize=False, init=rows).fit(X)
    if method == DRAWN:
        model = SparseKMeans(
            k, l1_bound=None, init="k-means++", n_init=2, refine=None, random_state=seed, standardize=False
        )
        return model.fit(X)
    return inference.LinkageClustering(k, method).fit(X)


def _test(method: str, model: Any, X: np.ndarray, a: int, b: int) -> inference.ClusterTest:
    """The test of a method."""
    if method == DRAWN:
        return inference.test_clusters(model, X, a, b, sigma=1.0, n_draws=N_DRAWS)
    run = inference.test_hierarchical if method in LINKAGES else inference.test_kmeans
    return run(model, X, a, b, sigma=1.0)


@contextmanager
def noise_as_designed() -> Iterator[None]:
    """Suppress the warnings of noise that is not as assumed: what a design or a chance draw does is known."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssumptionWarning)
        yield


def null_p_values(method: str, seeds: range) -> list[tuple[float, float]]:
    """Selective and naive p-values in data sets without groups; none where fewer than two clusters remain."""
    found = []
    with on_one_thread(), quietly(), noise_as_designed():
        for seed in seeds:
            rng = np.random.default_rng(seed)
            small = method == DRAWN
            n = int(rng.choice(ROWS[:1] if small else ROWS))
            X = rng.normal(size=(n, int(rng.choice(COLUMNS[:2] if small else COLUMNS))))
            model = _fit(method, X, 3, seed)
            labels = np.unique(model.labels_)
            if len(labels) > 1:
                a, b = rng.choice(labels, 2, replace=False).tolist()
                one = _test(method, model, X, a, b)
                found.append((one.p_value, one.naive_p_value))
    return found


def run_level(n_exact: int, n_drawn: int, n_jobs: int) -> pd.DataFrame:
    """Level of every method."""
    rows = []
    for method in ("k-means", "SKFR", *LINKAGES, DRAWN):
        total = n_drawn if method == DRAWN else n_exact
        parts = [range(first, min(first + TOGETHER, total)) for first in range(0, total, TOGETHER)]
        some = Parallel(n_jobs=n_jobs)(delayed(_quiet_null)(method, part) for part in parts)
        p, naive = np.array([pair for part in some for pair in part]).T
        p = p[~np.isnan(p)]
        row = {"method": method, "data_sets": len(p), "ks_p": kstest(p, "uniform").pvalue}
        row |= {f"below_{level}": np.mean(p < level) for level in (0.01, 0.05, 0.1)}
        rows.append(row | {"naive_below_0.05": np.mean(naive < 0.05)})
    return pd.DataFrame(rows)


def _quiet_null(method: str, seeds: range) -> list[tuple[float, float]]:
    """The same without warnings about few draws."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "p rests on|no draw kept")
        return null_p_values(method, seeds)


def triangle(rng: np.random.Generator, delta: float, n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Three groups whose means are the corners of an equilateral triangle with sides of length delta."""
    return triangle_means(delta, n, p) + rng.normal(size=(n, p)), np.arange(n) % 3


def sparse_groups(rng: np.random.Generator, delta: float, n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Three groups on a line in a quarter of the features, neighbours delta apart."""
    truth = np.arange(n) % 3
    means = np.zeros((3, p))
    informative = p // 4
    means[:, :informative] = (np.arange(3)[:, None] - 1) * delta / np.sqrt(informative)
    return means[truth] + rng.normal(size=(n, p)), truth


Design = Callable[[np.random.Generator, float, int, int], tuple[np.ndarray, np.ndarray]]
DESIGNS: dict[str, tuple[Design, int, int, tuple[str, ...]]] = {
    "triangle, n=150, p=10": (triangle, 150, 10, ("k-means", "ward", "average")),
    "triangle, n=30, p=10": (triangle, 30, 10, ("k-means", "ward", "average")),
    "sparse, n=90, p=40": (sparse_groups, 90, 40, ("k-means", "SKFR", "ward")),
}
"""Design, numbers of rows and features, and methods compared, by name."""


def _power(design: str, method: str, delta: float, seed: int) -> float | None:
    """p-value of two clusters if both are true groups, else None."""
    make, n, p, _ = DESIGNS[design]
    rng = np.random.default_rng([seed, int(10 * delta)])
    X, truth = make(rng, delta, n, p)
    with on_one_thread(), quietly():
        model = _fit(method, X, 3, seed)
        labels = np.unique(model.labels_)
        if len(labels) < 3:
            return None
        a, b = rng.choice(labels, 2, replace=False).tolist()
        for label in (a, b):
            own = model.labels_ == label
            if not np.array_equal(truth == truth[np.argmax(own)], own):
                return None
        return _test(method, model, X, a, b).p_value


def run_power(n_samples: int, n_jobs: int) -> pd.DataFrame:
    """Detection and conditional power by design, method and delta."""
    rows = []
    for design, (_, _, _, methods) in DESIGNS.items():
        for method in methods:
            for delta in DELTAS:
                found = Parallel(n_jobs=n_jobs)(
                    delayed(_power)(design, method, delta, seed) for seed in range(n_samples)
                )
                p = np.array([one for one in found if one is not None])
                row = {"design": design, "method": method, "delta": delta, "samples": n_samples}
                row |= {"detection": len(p) / n_samples, "power": np.mean(p < 0.05) if len(p) else np.nan}
                rows.append(row)
    return pd.DataFrame(rows)


def _steps(X: np.ndarray, rows: np.ndarray) -> list[bytes]:
    """Labels of every iteration of Lloyd's algorithm from rows of X."""
    centers, steps = X[rows], []
    while True:
        labels = (((X[:, None, :] - centers) ** 2).sum(axis=2)).argmin(axis=1)
        steps.append(labels.tobytes())
        counts = np.bincount(labels, minlength=len(rows))
        if (len(steps) > 1 and steps[-1] == steps[-2]) or not counts.all():
            return steps
        onehot = labels[None] == np.arange(len(rows))[:, None]
        centers = (onehot @ X) / counts[:, None]


def disagreements(seed: int, n_points: int) -> tuple[int, int] | None:
    """Grid points where the set and repeated steps disagree, and points outside the set; None if no test."""
    rng = np.random.default_rng(seed)
    n, p, k = int(rng.integers(8, 40)), int(rng.integers(1, 8)), int(rng.integers(2, 5))
    X = rng.normal(size=(n, p))
    X[: n // 2, 0] += 4 * (seed % 2)
    with on_one_thread(), quietly():
        model = rcompat.kmeans(X, k, iter_max=200, algorithm="Lloyd", rng=RRandom(seed))
        try:
            found = inference.test_kmeans(model, X, 1, 2, sigma=1.0)
        except (EmptyClusterError, ValueError):
            return None
        rows = model.lloyd_record.rows[0]
        wanted = _steps(X, rows)
        nu = difference_contrast(model.cluster, 1, 2)
        part = np.outer(nu / (nu @ nu), nu @ X) / found.statistic
        wrong = outside = 0
        for phi in np.linspace(0, 3 * found.statistic, n_points):
            if np.abs(found.intervals - phi).min() < 1e-7 * found.statistic:
                continue
            inside = ((found.intervals[:, 0] <= phi) & (phi <= found.intervals[:, 1])).any()
            wrong += inside != (_steps(X + (phi - found.statistic) * part, rows) == wanted)
            outside += not inside
    return wrong, outside


def run_sets(n_samples: int, n_points: int, n_jobs: int) -> pd.DataFrame:
    """Brute force over a grid of distances."""
    found = Parallel(n_jobs=n_jobs)(delayed(disagreements)(seed, n_points) for seed in range(n_samples))
    counted = np.array([one for one in found if one is not None])
    wrong, outside = counted.sum(axis=0)
    row = {"data_sets": len(counted), "points": n_points, "outside": outside, "disagreements": wrong}
    return pd.DataFrame([row])


NOISE_DESIGNS = {"independent": np.eye(10), "correlated": 0.5 * np.eye(10) + 0.5}
"""Covariance of ten features."""
ESTIMATES = ("known", "median", "sample", "shrunk", "held out, median", "held out, shrunk")


def _noise_p_values(design: str, delta: float, seed: int) -> list[float]:
    """p-values of two of three Ward clusters of 60 rows under every estimate of the noise."""
    rng = np.random.default_rng([seed, int(delta)])
    covariance = NOISE_DESIGNS[design]
    X = triangle_means(delta, 120) + rng.normal(size=(120, 10)) @ np.linalg.cholesky(covariance).T
    held, X = X[60:], X[:60]
    with on_one_thread(), noise_as_designed():
        model = inference.LinkageClustering(3, "ward").fit(X)
        sigmas: list[Any] = [1.0 if design == "independent" else covariance, "median", "sample", "shrunk"]
        sigmas += [inference.estimate_sigma(held, method) for method in ("median", "shrunk")]
        return [inference.test_hierarchical(model, X, 0, 1, sigma).p_value for sigma in sigmas]


def triangle_means(delta: float, n: int, p: int = 10) -> np.ndarray:
    """Means of the rows of `triangle`."""
    means = np.zeros((n, p))
    truth = np.arange(n) % 3
    means[truth == 0, 0], means[truth == 1, 0] = -delta / 2, delta / 2
    means[truth == 2, 1] = delta * np.sqrt(3) / 2
    return means


def run_noise(n_samples: int, n_jobs: int) -> pd.DataFrame:
    """Share of p-values below .05 by the estimate of the noise, without groups and with groups apart."""
    rows = []
    for design in NOISE_DESIGNS:
        shares = []
        for delta in (0.0, 7.0):
            found = Parallel(n_jobs=n_jobs)(
                delayed(_noise_p_values)(design, delta, seed) for seed in range(n_samples)
            )
            shares.append(np.mean(np.array(found) < 0.05, axis=0))
        for sigma, level, power in zip(ESTIMATES, *shares, strict=True):
            rows.append(
                {"design": design, "sigma": sigma, "samples": n_samples, "level": level, "power": power}
            )
    return pd.DataFrame(rows)
