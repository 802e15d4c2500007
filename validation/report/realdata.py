"""Real data: iris, wine and WDBC from scikit-learn, clustered by every method, scored against the classes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score, normalized_mutual_info_score

from sparsek import (
    SKFR,
    EntropyWeightedKMeans,
    GeometricKMedians,
    KPod,
    SparseAgglomerativeClustering,
    SparseKMeans,
    rcompat,
)

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

SEED = 1
N_STARTS = 20
LOADERS: dict[str, Callable[[], Any]] = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "WDBC": datasets.load_breast_cancer,
}
SCORES: dict[str, Callable[[IntArray, IntArray], float]] = {
    "ARI": adjusted_rand_score,
    "AMI": adjusted_mutual_info_score,
    "NMI (min)": lambda a, b: normalized_mutual_info_score(a, b, average_method="min"),
    "NMI (geometric)": lambda a, b: normalized_mutual_info_score(a, b, average_method="geometric"),
    "NMI (arithmetic)": lambda a, b: normalized_mutual_info_score(a, b, average_method="arithmetic"),
    "NMI (max)": lambda a, b: normalized_mutual_info_score(a, b, average_method="max"),
}


@dataclass(frozen=True, slots=True)
class Clustering:
    """Result of one method on one data set; `weights` is None for methods without feature weights."""

    method: str  # The method's name
    call: str  # The function or class used
    labels: IntArray  # (n,): cluster of each row
    # (p,): feature weights, dimensionless; 0 for a feature that is left out
    weights: FloatArray | None = None


def choose_bound(n_features: int) -> float:
    """The bound of ``SparseKMeans(l1_bound=None)``, but at least 1.2, the smallest of sparcl's own tuning."""
    return max(1.2, float(np.sqrt(n_features)) / 2)


def cluster(x: FloatArray, n_clusters: int, l1_bound: float) -> Iterator[Clustering]:
    """Results of every method on one data set; `x` raw, shape (n, p), columns in their own units."""
    z = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    for name, data in (("raw", x), ("standardised", z)):
        rcompat.set_seed(SEED)
        fit = rcompat.kmeans(data, n_clusters, nstart=N_STARTS)
        yield Clustering(f"k-means, {name}", "rcompat.kmeans", fit.cluster)

    rcompat.set_seed(SEED)
    (fit,) = rcompat.KMeansSparseCluster(z, n_clusters, wbounds=l1_bound, nstart=N_STARTS)
    yield Clustering("sparse k-means", "rcompat.KMeansSparseCluster", fit.Cs, fit.ws)

    common = {"n_clusters": n_clusters, "n_init": N_STARTS, "random_state": SEED}
    yield _fitted("sparse k-means", SparseKMeans(l1_bound=l1_bound, standardize=False, **common), z)
    # None is half of the features; "auto" takes all of those of these data sets.
    ranking = SKFR(n_features_to_select=None, **common, standardize=True)
    yield _fitted("k-means with feature ranking", ranking, x)
    yield _fitted(
        "sparse agglomerative, average", SparseAgglomerativeClustering(n_clusters, l1_bound=l1_bound), z
    )
    yield _fitted("entropy-weighted k-means", EntropyWeightedKMeans(**common), z)
    yield _fitted("geometric k-medians", GeometricKMedians(**common), z)
    yield _fitted("k-POD, a tenth of the values removed", KPod(**common), remove_values(z))


def remove_values(z: FloatArray) -> FloatArray:
    """A copy with a random tenth of the values missing."""
    missing = z.copy()
    missing.flat[np.random.default_rng(SEED).permutation(z.size)[: z.size // 10]] = np.nan
    return missing


def _fitted(method: str, estimator: Any, data: FloatArray) -> Clustering:
    """An estimator's clusters and weights; weights are averaged over clusters if each has its own."""
    fit = estimator.fit(data)
    weights = getattr(fit, "feature_weights_", None)
    if weights is not None and weights.ndim == 2:
        weights = weights.mean(axis=0)
    return Clustering(method, type(fit).__name__, fit.labels_, weights)


def _describe(clustering: Clustering, features: list[str], classes: IntArray) -> dict[str, Any]:
    """One row of the report: scores against the classes, and the features kept with their weights."""
    row: dict[str, Any] = {"method": clustering.method, "call": clustering.call}
    row["scores"] = {name: float(score(classes, clustering.labels)) for name, score in SCORES.items()}
    row["sizes"] = sorted(np.unique(clustering.labels, return_counts=True)[1].tolist(), reverse=True)
    weights = clustering.weights
    if weights is None:
        return row | {"selected": None, "weights": None}
    order = [j for j in np.argsort(-weights, kind="stable") if weights[j] > 0]
    return row | {"selected": [features[j] for j in order], "weights": weights.tolist()}


def analyse(name: str) -> dict[str, Any]:
    """All methods on one data set, scored against its known classes."""
    bunch = LOADERS[name]()
    x = np.asarray(bunch.data, dtype=float)
    classes = np.asarray(bunch.target)
    n_clusters = len(np.unique(classes))
    features = [str(feature).removesuffix(" (cm)") for feature in bunch.feature_names]
    l1_bound = choose_bound(x.shape[1])
    rows = [_describe(found, features, classes) for found in cluster(x, n_clusters, l1_bound)]
    n, p = x.shape
    return {
        "name": name,
        "n": n,
        "p": p,
        "n_clusters": n_clusters,
        "l1_bound": l1_bound,
        "seed": SEED,
        "features": features,
        "rows": rows,
    }
