"""The methods that the paper compares, each as one run."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from sparsek import IFPCA, MADDKMeans, SparseMinMaxKMeans, SpectralGEM, rcompat
from sparsek.methods.spectral.spectral_gem import complete_linkage
from sparsek.rng import RRandom
from validation.papers.minmax.designs import FOUR, MADD, SPARSE, VARIANTS
from validation.papers.minmax.samples import load_sample, row_coordinates, scaled
from validation.papers.shared.runs import quietly


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of one run."""

    labels: NDArray[Any]  # (n,): clusters
    n_features: int | None = None  # Number of features retained, for methods that select features


@dataclass(frozen=True, slots=True)
class Run:
    """One run: data set, scaling, number of the run, and s (NaN for methods without s)."""

    data: str
    scaling: str
    trial: int
    bound: float

    @property
    def X(self) -> NDArray[np.float64]:
        """The data as the methods get them."""
        return scaled(self.data, self.scaling)

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return load_sample(self.data).n_clusters


def _kmeans(run: Run, init: str, n_init: int) -> Answer:
    """Lloyd's k-means on standardised columns."""
    model = KMeans(run.n_clusters, init=init, n_init=n_init, random_state=run.trial)
    return Answer(model.fit(row_coordinates(run.data)).labels_)


def _hier(run: Run) -> Answer:
    """Complete linkage on standardised columns."""
    return Answer(complete_linkage(scaled(run.data, "standardised"), run.n_clusters))


def _spectral(run: Run) -> Answer:
    """k-means on the first singular vectors of standardised columns."""
    return Answer(SpectralGEM(run.n_clusters, n_init=200, random_state=run.trial).fit(run.X).labels_)


def _ifpca(run: Run) -> Answer:
    """Influential features PCA, with newly drawn null scores."""
    model = IFPCA(run.n_clusters, null_seed=run.trial, cache=False, random_state=run.trial)
    model.fit(run.X)
    return Answer(model.labels_, model.hc_index_)


def _madd(run: Run, version: int) -> Answer:
    """K-means on MADD from one random labelling."""
    model = MADDKMeans(run.n_clusters, version=version, n_init=1, random_state=run.trial)
    return Answer(model.fit(run.X).labels_)


def _sparse(run: Run) -> Answer:
    """sparcl's sparse k-means."""
    (fit,) = rcompat.KMeansSparseCluster(
        run.X, run.n_clusters, wbounds=run.bound, nstart=20, rng=RRandom(run.trial + 1)
    )
    return Answer(fit.Cs, int(np.count_nonzero(fit.ws)))


def minmax_model(n_clusters: int, bound: float, trial: int, **options: Any) -> SparseMinMaxKMeans:
    """Sparse MinMax k-means as released, one start."""
    return SparseMinMaxKMeans(n_clusters, l1_bound=bound, n_init=1, random_state=trial + 1, **options)


def _minmax(run: Run, variant: str) -> Answer:
    """Sparse MinMax k-means."""
    model = minmax_model(run.n_clusters, run.bound, run.trial, variant=variant).fit(run.X)
    return Answer(model.labels_, model.n_features_retained_)


METHODS: dict[str, Callable[[Run], Answer]] = {
    "kmeans": lambda run: _kmeans(run, "random", 30),
    "kmeans++": lambda run: _kmeans(run, "k-means++", 1),
    "Hier": _hier,
    "SpecGem": _spectral,
    MADD[0]: lambda run: _madd(run, 0),
    MADD[1]: lambda run: _madd(run, 1),
    MADD[2]: lambda run: _madd(run, 2),
    FOUR["IF-HCT-PCA"]: _ifpca,
    SPARSE: _sparse,
    **{name: partial(_minmax, variant=variant) for name, variant in VARIANTS.items()},
}
"""The methods by the names used in tables."""


def answer(method: str, run: Run) -> Answer:
    """One run, without warnings of fits that end early: the scores show their quality."""
    with quietly():
        for message in ("none of the .* smallest p-values", "only .* directions asked for"):
            warnings.filterwarnings("ignore", message, UserWarning)
        return METHODS[method](run)
