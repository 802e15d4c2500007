"""Rules for the number of clusters: our default, and others. Each is given rows and numbers to try."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.impute import SimpleImputer
from sklearn.metrics import calinski_harabasz_score, silhouette_score
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

from sparsek import SKFR, ModelChoice, rcompat
from sparsek.errors import RError
from sparsek.rng import RRandom
from validation.benchmarks.clusters.page import OURS, SLOW

STARTS = 10
REFERENCES = 10
"""Reference sets of the gap statistic."""
COVARIANCES = ("spherical", "diag", "tied", "full")
MOST_COLUMNS_OF_FULL = 30
"""Mixtures with full covariances are not fitted to more columns: they have more numbers than rows."""


def _k_means(X: np.ndarray, k: int) -> KMeans:
    return KMeans(k, n_init=STARTS, random_state=0).fit(X)


def ours(X: np.ndarray, ks: range) -> tuple[int, int, int]:
    """The default of ModelChoice, and the numbers between which it says that others may fit as well."""
    found = ModelChoice(SKFR(), {"n_clusters": list(ks)}, refit=False, random_state=0).fit(X)
    return (int(found.best_params_["n_clusters"]), *found.searches_["separation"].interval_)


def ours_named(criterion: str) -> Callable[[np.ndarray, range], int]:
    """Another criterion of ModelChoice, with its default rule, on all features."""

    def choose(X: np.ndarray, ks: range) -> int:
        model = SKFR(n_features_to_select=X.shape[1])
        choice = ModelChoice(model, {"n_clusters": list(ks)}, criterion, refit=False, random_state=0)
        return int(choice.fit(X).best_params_["n_clusters"])

    return choose


def uniform_gap(X: np.ndarray, ks: range) -> int:
    """Tibshirani, Walther and Hastie (2001): a uniform reference, and the rule of one standard error."""
    rng = np.random.default_rng(0)

    def logs(rows: np.ndarray) -> np.ndarray:
        return np.array([np.log(_k_means(rows, k).inertia_) for k in ks])

    references = np.array(
        [logs(rng.uniform(X.min(axis=0), X.max(axis=0), X.shape)) for _ in range(REFERENCES)]
    )
    gaps = references.mean(axis=0) - logs(X)
    errors = references.std(axis=0) * np.sqrt(1 + 1 / REFERENCES)
    reached = gaps[:-1] >= gaps[1:] - errors[1:]
    return ks[int(np.argmax(reached))] if reached.any() else ks[-1]


def cluster_gap(X: np.ndarray, ks: range) -> int:
    """R's cluster::clusGap with its default reference, box along principal axes, and rule firstSEmax."""

    def clusters(rows: np.ndarray, k: int) -> dict[str, np.ndarray]:
        return {"cluster": _k_means(rows, k).labels_ + 1}

    table = np.asarray(rcompat.clusGap(X, clusters, max(ks), B=REFERENCES, rng=RRandom(0)).Tab)
    return int(rcompat.maxSE(table[:, 2], table[:, 3]))


def _best(score: Callable[[np.ndarray, np.ndarray], float]) -> Callable[[np.ndarray, range], int]:
    def choose(X: np.ndarray, ks: range) -> int:
        tried = [k for k in ks if k > 1]
        return tried[int(np.argmax([score(X, _k_means(X, k).labels_) for k in tried]))]

    return choose


def mixtures(X: np.ndarray, ks: range) -> int:
    """The number with the least BIC over four kinds of covariances."""
    kinds = COVARIANCES if X.shape[1] <= MOST_COLUMNS_OF_FULL else COVARIANCES[:2]
    found = {
        (k, kind): GaussianMixture(k, covariance_type=kind, n_init=3, random_state=0).fit(X).bic(X)
        for k in ks
        for kind in kinds
    }
    return int(min(found, key=lambda one: found[one])[0])


def majority(X: np.ndarray, ks: range) -> int:
    """R's NbClust: the number that most of its indices choose; 0 where it has no answer, as for n below p."""
    if X.shape[1] >= len(X):
        return 0
    found = rcompat.NbClust(X, min_nc=2, max_nc=max(ks), method="kmeans", rng=RRandom(0))
    chosen = np.asarray(found.Best_nc)[0]
    values, votes = np.unique(chosen[chosen > 1], return_counts=True)
    return int(values[np.argmax(votes)])


METHODS: dict[str, Callable[[np.ndarray, range], Any]] = {
    OURS: ours,
    "uniform gap, one error": uniform_gap,
    "silhouette": _best(silhouette_score),
    "Calinski-Harabasz": _best(calinski_harabasz_score),
    "mixtures by BIC": mixtures,
    "clusGap": cluster_gap,
    "NbClust": majority,
}
"""The rules by name."""
OLD = {name: ours_named(name) for name in SLOW}
"""Other criteria of ModelChoice, on all features: hundreds of fits that choose their own take too long."""
OLD_DRAWS, OLD_COLUMNS = 2, 300
"""With `--criteria` they are run on so many sets of a family, of at most so many columns."""


def prepared(X: np.ndarray) -> np.ndarray:
    """Standardised rows with means in holes, which the other rules get; ours gets the rows as they are."""
    kept = X[:, np.nanstd(X, axis=0) > 0]
    found: np.ndarray = StandardScaler().fit_transform(SimpleImputer().fit_transform(kept))
    return found


def choose(name: str, X: np.ndarray, ks: range) -> tuple[float, float, float]:
    """The number of clusters that a rule chooses, and for ours the least and the largest that may fit."""
    # The test of one cluster that the other criteria make takes complete data.
    own = name == OURS or (name in OLD and not np.isnan(X).any())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = (METHODS | OLD)[name](X if own else prepared(X), ks)
        except RError:  # NbClust where a matrix of scatter has no inverse
            found = 0
    return found if isinstance(found, tuple) else (found, np.nan, np.nan)
