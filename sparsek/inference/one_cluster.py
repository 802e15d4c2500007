"""A test of one cluster against more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from sparsek.core.tasks import last_step, summed_up
from sparsek.errors import SelectionWarning
from sparsek.inference.monte_carlo import matrix_with_holes
from sparsek.inference.weights import unweighted
from sparsek.inputs.arguments import JOBS, MOST_RUNS, AnEstimator, check_arguments, count
from sparsek.inputs.indices import aligned
from sparsek.inputs.mixed import CodedRows
from sparsek.methods.search.base import found_scale
from sparsek.methods.search.kinds import categories_of, coding_for, dense, loaded
from sparsek.methods.search.nulls.one_cluster import (
    NO_NULL_WEIGHTS,
    NULLS_ARE_DENSE,
    far_rows,
    null_fits,
    null_p_value,
    peak_p_value,
    without_factors,
)
from sparsek.methods.search.row_arguments import row_arguments


@dataclass(frozen=True, slots=True)
class OneClusterTest:
    """A test of one cluster against more.

    The parameters are attributes too.

    Parameters
    ----------
    p_value : float
        The larger one of the two p-values below.
    n_clusters : tuple of int
        Numbers of clusters that were tried.
    explained : ndarray of shape (1 + n_null, n_values)
        Logarithm of what the clusters explain, by number of clusters: of the data, then of the sets without
        clusters.
    null_p_value : float
        Share of the sets, the data among them, in which the clusters are as clear.
    peak_p_value : float
        P-value of the hypothesis that for each number of clusters some two of them have one peak together.
    far_rows : ndarray of int
        Rows that are farther from every other row than normal rows are; looked for where the test refuses an
        answer, else empty.

    See Also
    --------
    test_one_cluster : Makes it.
    """

    p_value: float
    n_clusters: tuple[int, ...]
    explained: NDArray[Any]
    null_p_value: float
    peak_p_value: float
    far_rows: NDArray[np.intp]

    @property
    def refused(self) -> bool:
        """Whether the data differ from sets without clusters, and yet have one peak.

        Neither one cluster nor more is then an answer at level .05.
        """
        return _refuses(self.null_p_value, self.peak_p_value)

    def __str__(self) -> str:
        tried = ", ".join(map(str, self.n_clusters))
        n_null = len(self.explained) - 1
        text = (
            f"one cluster: p = {self.p_value:.3g} against {tried} clusters, by {n_null} sets without clusters"
        )
        if not self.refused:
            return text
        text += (
            f"; no answer: the data differ from those (p = {self.null_p_value:.3g}), but between their "
            f"clusters is no valley (p = {self.peak_p_value:.3g}). Rows of different scales, a curve, a "
            "gradient and clusters that overlap look like that"
        )
        if not len(self.far_rows):
            return text
        rows = ", ".join(map(str, self.far_rows[:SHOWN].tolist()))
        more = f" and {len(self.far_rows) - SHOWN} more" if len(self.far_rows) > SHOWN else ""
        one = len(self.far_rows) == 1
        return (
            f"{text}. {'Row' if one else 'Rows'} {rows}{more} {'is' if one else 'are'} far from all others; "
            f"test again without {'it' if one else 'them'}"
        )


LEVEL, SHOWN = 0.05, 5
"""Level at which an answer is refused, and how many far rows its sentence names."""


def _refuses(null_p_value: float, peak_p_value: float) -> bool:
    """Whether the data differ from sets without clusters, and yet have one peak."""
    return null_p_value <= LEVEL < peak_p_value


@unweighted(NO_NULL_WEIGHTS)
def test_one_cluster(
    X: ArrayLike,
    estimator: Any,
    n_clusters: Sequence[int] = (2, 3, 4, 5),
    *,
    n_null: int = 99,
    n_factors: int = 0,
    random_state: int = 0,
    n_jobs: int | None = None,
    batch: ArrayLike | None = None,
) -> OneClusterTest:
    """Test whether the rows are one cluster, or more.

    Assumes independent rows. There is more than one cluster where two things hold, each by a p-value of its
    own, of which p is the larger.

    The clusters are clearer than those of sets without clusters that are like the data: rows turned at
    random, which keeps their covariance matrix. A feature that does not look normal is turned as normal
    scores and then has its own margin, made unimodal. A feature with few values, such as an item of a
    questionnaire or a count, is turned as scores that have the correlations of the data after they got these
    values. The first p-value is the share of the sets, the data among them, whose clusters are as clear for
    any of the numbers of clusters.

    Every two clusters have peaks of their own, for one of the numbers of clusters. The rows are projected on
    the line through two centres, each row from a fit to nine tenths of the data without it, and the dip test
    asks whether the projections have one peak. So rows far out, a curve or a gradient are not found to be
    clusters, although no set without clusters is like them: the test then refuses an answer (`refused`).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data of any kind that the estimator takes, with NaN for missing values if it takes them. Categories
        have no order. Files and Dask collections are loaded.
    estimator : estimator
        A clusterer with the parameter `n_clusters`, or a Pipeline that ends in one. Never fitted itself;
        copies are.
    n_clusters : sequence of int, default=(2, 3, 4, 5)
        Numbers of clusters to try, each at least 2.
    n_null : int, default=99
        Number of sets without clusters; the smallest p-value is 1 / (n_null + 1).
    n_factors : int, default=0
        Number of principal components of the standardised columns that are removed from the data and from
        each set first, fewer than the features. With 1, clusters of a questionnaire are seen beyond a factor
        that runs through its answers, which hides them else.
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
        The p-values, and what the clusters of each set explain.

    Raises
    ------
    ValueError
        X has NaN and the estimator takes none, there are fewer than 4 rows, in a batch too, or values of a
        feature, or a number of clusters is below 2.

    See Also
    --------
    sparsek.ModelChoice : Makes this test where its grid has 1, unless the separation chooses.
    test_pairs : Test every two clusters for equal means.
    sparsek.FeatureFDR : Select features at a false discovery rate.

    Notes
    -----
    For rows from one normal distribution, whatever its covariance and for more features than rows too, turned
    rows are exchangeable with the data, and the first p-value is exact (Langsrud 2005), except for two
    choices the data make: which features look normal, and the scale of the columns of an estimator that
    chooses it. A feature looks normal where the test of Shapiro and Wilk does not reject it at .01, in up to
    2,000 rows, so that one normal feature in a hundred does not. For features that do not look normal the
    p-value is right up to the estimate of their margins, and of the correlations behind their steps. With
    missing values the correlations are those of the rows that know both features, and the sets have the same
    holes. Categories without an order keep their shares; they are ranked by their means of the first
    principal component, and correlated by these ranks.

    The second p-value compares with uniform projections, which have the largest dips of all with one peak. A
    third cluster may lie between two and fill the valley, so rows beyond a plane half way to it are left out.
    For each number of clusters the pair with the largest p-value counts, and of the numbers of clusters the
    smallest p-value, times how many there are. It needs clusters that are clearly apart, about four standard
    deviations along the line at 60 rows, and a fit that finds them: give it several starts. Clusters that are
    elongated along the direction in which they differ are not told from one elongated cluster.

    What the clusters explain is the fit's own criterion (`gap_objective_`, else `inertia_`), or the share of
    the variance of all features for a fit that has neither.

    References
    ----------
    Langsrud, O. (2005). Rotation tests. Statistics and Computing 15, 53-60.

    Hartigan, J. A. and Hartigan, P. M. (1985). The dip test of unimodality. Annals of Statistics 13, 70-84.

    John, C. R., Watson, D., Russ, D. et al. (2020). M3C: Monte Carlo reference-based consensus clustering.
    Scientific Reports 10, 1816.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SKFR, inference
    >>> X = np.random.default_rng(0).normal(size=(60, 8))
    >>> print(inference.test_one_cluster(X, SKFR(2, 4, n_init=3, standardize=True), (2, 3), n_null=19))
    one cluster: p = 1 against 2, 3 clusters, by 19 sets without clusters
    >>> X[:30, :4] += 3
    >>> print(inference.test_one_cluster(X, SKFR(2, 4, n_init=3, standardize=True), (2, 3), n_null=19))
    one cluster: p = 0.05 against 2, 3 clusters, by 19 sets without clusters
    """
    constraints: dict[str, list[Any]] = {
        "estimator": [AnEstimator(["fit", "get_params", "set_params"])],
        "n_null": [count(1, MOST_RUNS)],
        "n_factors": [count(0)],
        "random_state": [count(0)],
        "n_jobs": JOBS,
    }
    given = {"estimator": estimator, "n_null": n_null, "n_factors": n_factors}
    given |= {"random_state": random_state, "n_jobs": n_jobs}
    check_arguments("test_one_cluster", constraints, **given)
    data = _rows(X, estimator)
    if n_factors and categories_of(estimator, data).any():
        raise ValueError(f"n_factors={n_factors} takes columns of numbers, and the estimator has categories")
    if n_factors >= data.shape[1]:
        raise ValueError(f"n_factors={n_factors} must be below the number of features, {data.shape[1]}")
    tried = _numbers_of_clusters(n_clusters)
    name = _parameter_of(estimator)
    rows = row_arguments(SimpleNamespace(estimator=estimator), data, batch=aligned(batch, X, "batch"))
    settings = [{name: k} for k in tried]
    running = (int(random_state), n_jobs, 0, rows)
    # That few features are little better than all is no news where there are no clusters.
    with summed_up(without=(SelectionWarning,)):
        left = without_factors(data, n_factors)
        # What clusters explain is compared in one scale, not in one that each set chooses.
        estimator = clone(estimator).set_params(**found_scale(estimator, left, settings))
        explained = null_fits(estimator, settings, data, n_null, *running, n_factors)
        peaks = peak_p_value(estimator, settings, name, explained, left, *running)
    p_value = null_p_value(explained)
    far = np.empty(0, dtype=np.intp)
    if _refuses(p_value, peaks):
        far = far_rows(data, int(random_state))
    # One cluster is left only where both tests leave it, so that the larger p-value is that of both.
    return OneClusterTest(max(p_value, peaks), tried, explained, p_value, peaks, far)


def _rows(X: Any, estimator: Any) -> Any:
    """The rows in memory, of a sparse matrix as an array."""
    X = loaded(X, estimator)
    coding = coding_for(X, estimator)
    if coding is None:
        return matrix_with_holes(dense(X, estimator, NULLS_ARE_DENSE))
    values = matrix_with_holes(coding.table(X))
    return CodedRows(values, coding) if coding.unordered.any() else values


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
