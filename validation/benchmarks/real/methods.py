"""The methods of the comparison on real data: others first, then ours as they are by default.

A method is given the rows and the number of clusters, and nothing else.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import sparsek
from sparsek import rcompat
from sparsek.rng import RRandom
from validation.benchmarks.real.page import K_MEANS

STARTS, SEED = 20, 0
COMPONENTS = 10
"""Most principal components that the mixture sees."""
PERMUTATIONS = 5
OURS = (
    *("SKFR", "SparseKMeans", "RobustSparseKMeans", "SparseMinMaxKMeans"),
    *("SparseAgglomerativeClustering", "SparseKernelKMeans", "IFPCA", "SpectralGEM"),
    *("EntropyWeightedKMeans", "EntropyWeightedPowerKMeans", "PowerKMeans", "MinMaxKMeans"),
    *("GeometricKMedians", "MADDKMeans", "KernelKMeans", "SelfOrganizingMap", "FactorSparseMixture"),
)
"""Estimators that need no more than a number of clusters, and take seconds."""
SCALED = ("SKFR", "SparseKMeans")
"""Estimators that are also run on columns as they are and on standardised ones."""


class Permuted(ClusterMixin, BaseEstimator):
    """sparcl's sparse k-means on columns as they are, at the bound that its permutations choose."""

    def __init__(self, n_clusters: int) -> None:
        self.n_clusters = n_clusters

    def fit(self, X: np.ndarray, y: None = None) -> Permuted:
        """Choose the bound and cluster the rows."""
        rng = RRandom(SEED)
        gap = rcompat.KMeansSparseCluster_permute(X, self.n_clusters, PERMUTATIONS, silent=True, rng=rng)
        (found,) = rcompat.KMeansSparseCluster(X, self.n_clusters, gap.bestw, silent=True, rng=rng)
        self.labels_, self.weights_ = np.asarray(found.Cs), np.asarray(found.ws)
        return self

    def get_support(self) -> np.ndarray:
        """The features with a weight."""
        return self.weights_ > 0


class OneCall(ClusterMixin, BaseEstimator):
    """What `sparsek.cluster` finds."""

    def __init__(self, n_clusters: int) -> None:
        self.n_clusters = n_clusters

    def fit(self, X: np.ndarray, y: None = None) -> OneCall:
        """Choose the family and cluster the rows."""
        self.found_ = sparsek.cluster(X, self.n_clusters, compare=False, random_state=SEED)
        self.labels_ = self.found_.labels_
        return self

    def get_support(self) -> np.ndarray:
        """The features in which the clusters differ."""
        return np.asarray(self.found_.get_support())


@dataclass(frozen=True, slots=True)
class Method:
    """A method of the comparison."""

    name: str
    columns: str  # "raw", "standardised" or "ranges"; "" if the method scales columns in a way of its own
    make: Callable[[int, int, int], Any]  # From the numbers of rows, columns and clusters


def _k_means(k: int) -> KMeans:
    return KMeans(k, n_init=STARTS, random_state=SEED)


def _mixture(n: int, p: int, k: int) -> Any:
    return make_pipeline(
        StandardScaler(),
        PCA(min(COMPONENTS, n - 1, p), random_state=SEED),
        GaussianMixture(k, n_init=STARTS, random_state=SEED),
    )


PEERS = (
    Method(K_MEANS["raw"], "raw", lambda n, p, k: _k_means(k)),
    Method(
        K_MEANS["standardised"], "standardised", lambda n, p, k: make_pipeline(StandardScaler(), _k_means(k))
    ),
    Method(K_MEANS["ranges"], "ranges", lambda n, p, k: make_pipeline(MinMaxScaler(), _k_means(k))),
    Method(
        "Ward",
        "standardised",
        lambda n, p, k: make_pipeline(StandardScaler(), AgglomerativeClustering(k)),
    ),
    Method("Gaussian mixture", "standardised", _mixture),
    Method("sparcl's permute", "raw", lambda n, p, k: Permuted(k)),
)


def _ours(name: str, **settings: Any) -> Method:
    """An estimator of sparsek by default, or with these settings."""
    kind = getattr(sparsek, name)
    if "random_state" in kind().get_params():
        settings = {**settings, "random_state": SEED}
    shown = ", ".join(f"{key}={value}" for key, value in settings.items() if key != "random_state")
    standardize = {**kind().get_params(), **settings}.get("standardize")
    columns = {True: "standardised", False: "raw"}.get(standardize, "")
    return Method(f"{name}({shown})" if shown else name, columns, lambda n, p, k: kind(k, **settings))


METHODS = (
    *PEERS,
    Method("cluster", "", lambda n, p, k: OneCall(k)),
    *(_ours(name) for name in OURS),
    *(_ours(name, standardize=value) for name in SCALED for value in (True, False)),
)


def run(method: Method, X: np.ndarray, k: int) -> tuple[np.ndarray | None, dict[str, Any]]:
    """The clusters that a method finds, None if it raises an error, and what the record says of its run."""
    begin, model, labels = perf_counter(), method.make(*X.shape, k), None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        names = set()
        try:
            labels = model.fit_predict(X)
        except ValueError as error:
            names = {type(error).__name__}
    seconds = perf_counter() - begin
    selects = labels is not None and hasattr(model, "get_support")
    features = int(model.get_support().sum()) if selects else np.nan
    names |= {one.category.__name__ for one in caught}
    return labels, {"features": features, "warnings": " ".join(sorted(names)), "seconds": seconds}
