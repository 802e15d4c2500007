"""A test of one cluster against more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from numpy.typing import ArrayLike, NDArray

from sparsek.core.tasks import last_step, summed_up
from sparsek.errors import SelectionWarning
from sparsek.inference.exact import complete_matrix
from sparsek.inference.weights import unweighted
from sparsek.inputs.arguments import JOBS, MOST_RUNS, AnEstimator, check_arguments, count
from sparsek.methods.search.one_cluster import NO_NULL_WEIGHTS, null_fits, null_p_value
from sparsek.methods.search.row_arguments import row_arguments


@dataclass(frozen=True, slots=True)
class OneClusterTest:
    """A test of one cluster against more.

    The parameters are attributes too.

    Parameters
    ----------
    p_value : float
        Share of the sets, the data among them, in which the clusters are as clear.
    n_clusters : tuple of int
        Numbers of clusters that were tried.
    explained : ndarray of shape (1 + n_null, n_values)
        Logarithm of what the clusters explain, by number of clusters: of the data, then of the sets without
        clusters.

    See Also
    --------
    test_one_cluster : Makes it.
    """

    p_value: float
    n_clusters: tuple[int, ...]
    explained: NDArray[Any]

    def __str__(self) -> str:
        tried = ", ".join(map(str, self.n_clusters))
        n_null = len(self.explained) - 1
        return (
            f"one cluster: p = {self.p_value:.3g} against {tried} clusters, by {n_null} sets without clusters"
        )


@unweighted(NO_NULL_WEIGHTS)
def test_one_cluster(
    X: ArrayLike,
    estimator: Any,
    n_clusters: Sequence[int] = (2, 3, 4, 5),
    *,
    n_null: int = 99,
    random_state: int = 0,
    n_jobs: int | None = None,
    batch: ArrayLike | None = None,
) -> OneClusterTest:
    """Test whether the rows are one cluster, or more.

    Assumes independent rows of one unimodal distribution, normal or a Gaussian copula with any unimodal
    margins; covariance and margins are those of the data. The data are clustered, and so are sets without
    clusters that are like them: rows turned at random, which keeps their covariance matrix. A feature that
    does not look normal is turned as normal scores and then has its own margin, made unimodal. A feature with
    few values, such as an item of a questionnaire or a count, is turned as scores that have the correlations
    of the data after they got these values. p is the share of the sets, the data among them, whose clusters
    are as clear for any of the numbers of clusters.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, complete.
    estimator : estimator
        A clusterer with the parameter `n_clusters`, or a Pipeline that ends in one. Never fitted itself;
        copies are.
    n_clusters : sequence of int, default=(2, 3, 4, 5)
        Numbers of clusters to try, each at least 2.
    n_null : int, default=99
        Number of sets without clusters; the smallest p-value is 1 / (n_null + 1).
    random_state : int, default=0
        Seed of the sets and of the fits.
    n_jobs : int or None, default=None
        Sets that are clustered at a time, by joblib. Results do not depend on it.
    batch : array-like of shape (n_samples,) or None, default=None
        Label of the batch of each row, for an estimator that takes it. Rows are turned within their batches,
        each with the covariance and the margins of its batch.

    Returns
    -------
    OneClusterTest
        The p-value, and what the clusters of each set explain.

    Raises
    ------
    ValueError
        X has NaN or fewer than 4 rows, a batch has fewer, or a number of clusters is below 2.

    See Also
    --------
    sparsek.ModelChoice : Makes this test where its grid has 1, unless the separation chooses.
    test_pairs : Test every two clusters for equal means.
    sparsek.FeatureFDR : Select features at a false discovery rate.

    Notes
    -----
    For rows from one normal distribution, whatever its covariance and for more features than rows too, turned
    rows are exchangeable with the data, and the p-value is exact (Langsrud 2005), except for one choice the
    data make: which features look normal. A feature does so where the test of Shapiro and Wilk does not
    reject it at .01, in up to 2,000 rows, so that one normal feature in a hundred does not. For features
    that do not look normal the p-value is right up to the estimate of their margins, and of the correlations
    behind their steps. Rows far out, rows that differ in scale, curves and gradients are no Gaussian copula,
    and are found to be clusters. Clusters that are elongated along the direction in which they differ are not
    told from one elongated cluster.

    What the clusters explain is the fit's own criterion (`gap_objective_`, else `inertia_`), or the share of
    the variance of all features for a fit that has neither.

    References
    ----------
    Langsrud, O. (2005). Rotation tests. Statistics and Computing 15, 53-60.

    John, C. R., Watson, D., Russ, D. et al. (2020). M3C: Monte Carlo reference-based consensus clustering.
    Scientific Reports 10, 1816.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SKFR, inference
    >>> X = np.random.default_rng(0).normal(size=(60, 8))
    >>> print(inference.test_one_cluster(X, SKFR(2, 4, n_init=3, standardize=True), (2, 3), n_null=19))
    one cluster: p = 0.25 against 2, 3 clusters, by 19 sets without clusters
    >>> X[:30, :4] += 3
    >>> print(inference.test_one_cluster(X, SKFR(2, 4, n_init=3, standardize=True), (2, 3), n_null=19))
    one cluster: p = 0.05 against 2, 3 clusters, by 19 sets without clusters
    """
    constraints: dict[str, list[Any]] = {
        "estimator": [AnEstimator(["fit", "get_params", "set_params"])],
        "n_null": [count(1, MOST_RUNS)],
        "random_state": [count(0)],
        "n_jobs": JOBS,
    }
    given = {"estimator": estimator, "n_null": n_null, "random_state": random_state, "n_jobs": n_jobs}
    check_arguments("test_one_cluster", constraints, **given)
    data = complete_matrix(X)
    tried = _numbers_of_clusters(n_clusters)
    name = _parameter_of(estimator)
    rows = row_arguments(SimpleNamespace(estimator=estimator), data, batch=batch)
    # That few features are little better than all is no news where there are no clusters.
    with summed_up(without=(SelectionWarning,)):
        settings = [{name: k} for k in tried]
        explained = null_fits(estimator, settings, data, n_null, int(random_state), n_jobs, 0, rows)
    return OneClusterTest(null_p_value(explained), tried, explained)


def _numbers_of_clusters(given: Any) -> tuple[int, ...]:
    """The numbers of clusters, each once, ascending; ValueError for anything else than whole ones above 1."""
    several = isinstance(given, Iterable) and bool(getattr(given, "ndim", True))
    values = list(given) if several else []
    one = count(2)
    whole = [k for k in values if one.is_satisfied_by(k) or (isinstance(k, float) and k.is_integer())]
    if not values or len(whole) < len(values) or min(whole) < 2:
        raise ValueError(f"n_clusters must be whole numbers of at least 2; got {given!r}")
    return tuple(sorted({int(k) for k in whole}))


def _parameter_of(estimator: Any) -> str:
    """The name of the number of clusters in ``estimator.get_params()``."""
    known = estimator.get_params()
    names = [name for name in known if name.rpartition("__")[2] == "n_clusters"]
    if not names:
        raise ValueError(
            f"{type(last_step(estimator)).__name__} has no parameter n_clusters, so that no numbers of "
            "clusters can be tried"
        )
    return str(min(names, key=len))
