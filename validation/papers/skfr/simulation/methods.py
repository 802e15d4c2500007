"""The methods that the SKFR paper compares, each as one function of a simulated sample and a seed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils import Bunch

from r_reference import bridge
from sparsek import SKFR, KPod, PermutationGap, SparseKMeans, rcompat
from sparsek.init import kmeans_plus_plus
from sparsek.rng import RRandom
from validation.papers.skfr.simulation.designs import R_SPARCL

N_SELECTED = 10
L1_GRID = (2.0, 3.0, 4.0, 6.0, 8.0, 10.0)
LEAST_WEIGHT = 0.1  # in the paper, sparse k-means selects the features above this weight


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of one method on one sample."""

    labels: NDArray[Any]  # (n,): clusters
    support: NDArray[np.bool_] | None = None  # Selected features, for methods that select features
    n_iter: float = float("nan")  # Iterations of the best start; NaN for methods without iterations
    # Number of features with a weight above 0; NaN for methods without weights
    n_nonzero: float = float("nan")


Method = Callable[[Bunch, int, int], Answer]


def _clusters(sample: Bunch) -> int:
    """Number of groups."""
    return len(np.unique(sample.target))


def _skfr(sample: Bunch, seed: int, n_init: int, **options: Any) -> Answer:
    """SKFR with the true number of features."""
    model = SKFR(
        _clusters(sample), N_SELECTED, n_init=n_init, random_state=seed, **options, standardize=True
    ).fit(sample.data)
    support = model.get_support()
    if model.scope == "local" and sample.informative.ndim == 2:
        support = None  # no error rates: the clusters are not matched with the true groups
    return Answer(model.labels_, support, model.n_iter_)


def standardized(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Columns of mean 0 and standard deviation 1."""
    Z: NDArray[np.float64] = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    return Z


def on_standardized(X: NDArray[np.float64], n_clusters: int, random_state: int) -> NDArray[np.intp]:
    """Labels of the nearest seeds of k-means++ on standardised columns."""
    Z = standardized(X)
    seeds = Z[kmeans_plus_plus(Z, n_clusters, random_state=random_state)]
    labels: NDArray[np.intp] = pairwise_distances_argmin(Z, seeds)
    return labels


def skfr1_paper(sample: Bunch, seed: int, n_init: int) -> Answer:
    """SKFR1 as in the paper: seeds on raw columns, unsquared distances."""
    return _skfr(sample, seed, n_init, init="paper")


def skfr1_standardized(sample: Bunch, seed: int, n_init: int) -> Answer:
    """SKFR1 with seeds on standardised columns."""
    return _skfr(sample, seed, n_init, init=on_standardized)


def skfr1_screened(sample: Bunch, seed: int, n_init: int) -> Answer:
    """SKFR1 with our default starts."""
    return _skfr(sample, seed, n_init, init="screened")


def skfr1_winsorized(sample: Bunch, seed: int, n_init: int) -> Answer:
    """SKFR1 with our default starts on data clipped at 4 robust standard deviations from the median."""
    return _skfr(sample, seed, n_init, init="screened", winsorize=4.0)


def skfr2_paper(sample: Bunch, seed: int, n_init: int) -> Answer:
    """SKFR2, seeds as in the paper."""
    return _skfr(sample, seed, n_init, scope="local", init="paper")


def skfr1_observed(sample: Bunch, seed: int, n_init: int) -> Answer:
    """SKFR1 on data with missing entries, which are left out."""
    return _skfr(sample, seed, n_init, init="paper", missing="observed")


def skfr1_mm(sample: Bunch, seed: int, n_init: int) -> Answer:
    """SKFR1 on data with missing entries, filled as in the paper."""
    return _skfr(sample, seed, n_init, init="paper", missing="mm")


def lloyd_raw(sample: Bunch, seed: int, n_init: int) -> Answer:
    """Lloyd's k-means on raw columns: SKFR that keeps every feature, not standardised."""
    X = sample.data
    model = SKFR(_clusters(sample), X.shape[1], standardize=False, init="paper")
    model.set_params(n_init=n_init, random_state=seed).fit(X)
    return Answer(model.labels_, n_iter=model.n_iter_)


def lloyd_standardized(sample: Bunch, seed: int, n_init: int) -> Answer:
    """Lloyd's k-means on standardised columns."""
    Z = standardized(sample.data)
    model = SKFR(_clusters(sample), Z.shape[1], init="paper", standardize=False)
    model.set_params(n_init=n_init, random_state=seed).fit(Z)
    return Answer(model.labels_, n_iter=model.n_iter_)


def _bounds(X: NDArray[np.float64]) -> list[float]:
    """The grid of bounds of sparse k-means."""
    return [bound for bound in L1_GRID if bound <= np.sqrt(X.shape[1])]


def sparse_kmeans(sample: Bunch, seed: int, n_init: int) -> Answer:
    """Sparse k-means (SKM) on raw columns, its bound by the permutation gap with 3 permutations."""
    X = sample.data
    model = SparseKMeans(
        _clusters(sample), init="k-means++", n_init=n_init, random_state=seed, refine=False, standardize=False
    )
    gap = PermutationGap(model, "l1_bound", _bounds(X), n_permutations=3, random_state=seed).fit(X)
    best = gap.best_estimator_
    return _weighted(best.labels_, best.feature_weights_, best.n_iter_)


def _weighted(labels: NDArray[Any], weights: NDArray[np.float64], n_iter: float = float("nan")) -> Answer:
    """The answer of sparse k-means."""
    return Answer(labels, weights > LEAST_WEIGHT, n_iter, float(np.count_nonzero(weights)))


def _call_sparcl(function: str, seed: int, **args: Any) -> dict[str, NDArray[Any]]:
    """The value of a call in a running R."""
    case = {"function": function, "package": "sparcl", "seed": seed, "sample_kind": "Rejection", "before": 0}
    outcome = bridge.run_case(case, args)
    if outcome["error"] is not None:
        raise RuntimeError(f"R's {function} stopped under seed {seed}: {outcome['error']}")
    return outcome["value"]


def sparcl_live(sample: Bunch, seed: int, n_init: int) -> Answer:
    """Sparse k-means of R's sparcl on raw columns, its bound by sparcl's own permutation gap."""
    X, k = sample.data, _clusters(sample)
    gap = _call_sparcl("KMeansSparseCluster.permute", seed, x=X, K=k, nperms=3, wbounds=_bounds(X))
    bound = float(gap["bestw"][0])
    fit = _call_sparcl("KMeansSparseCluster", seed, x=X, K=k, wbounds=bound, nstart=n_init)
    return _weighted(fit["1$Cs"].astype(int), fit["1$ws"])


def geometric_medians(sample: Bunch, seed: int, n_init: int) -> Answer:
    """Gmedian's kGmedian on raw columns, by `rcompat`."""
    fit = rcompat.kGmedian(sample.data, _clusters(sample), rng=RRandom(seed))
    return Answer(np.ravel(fit["cluster"]).astype(int))


def kpod(sample: Bunch, seed: int, n_init: int) -> Answer:
    """k-POD on raw columns, the start with the smallest loss over the observed entries."""
    model = KPod(_clusters(sample), init="k-means++", n_init=n_init, random_state=seed).fit(sample.data)
    return Answer(model.labels_, n_iter=model.n_iter_)


METHODS: dict[str, Method] = {
    "SKFR1": skfr1_paper,
    "SKFR1, standardised seeds": skfr1_standardized,
    "SKFR1, screened seeds": skfr1_screened,
    "SKFR1, winsorised, screened seeds": skfr1_winsorized,
    "SKFR2": skfr2_paper,
    "SKFR1, observed entries": skfr1_observed,
    "SKFR1, imputation": skfr1_mm,
    "Lloyd": lloyd_raw,
    "Lloyd, standardised": lloyd_standardized,
    "SKM": sparse_kmeans,
    R_SPARCL: sparcl_live,
    "geometric k-medians": geometric_medians,
    "k-POD": kpod,
}
"""The methods by the names used in tables and figures."""
