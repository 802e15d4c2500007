"""What a test answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ClusterTest:
    """A test of equal means of two clusters, in all features or in one.

    The parameters are attributes too.

    Parameters
    ----------
    a, b : int
        The labels of the clusters.
    statistic : float
        Distance of the two means: Euclidean, in the unit of X; under a full covariance matrix Mahalanobis,
        dimensionless. For one feature: mean of a minus mean of b, with its sign, in the unit of the feature.
    p_value : float
        Probability of a statistic as large, given the clusters. NaN if ties decide it, or no draw kept them.
    naive_p_value : float
        The same without the condition, not valid after clustering.
    intervals : ndarray of shape (m, 2) or None
        The values of the statistic that keep the clusters, ascending; None where p is a Monte Carlo estimate.
    sigma : float or ndarray of shape (n_features, n_features)
        Standard deviation of the noise in the unit of X, or its covariance matrix.
    standard_error : float, default=0.0
        Monte Carlo error of `p_value`; 0 for an exact one.
    n_effective : float, default=inf
        Effective number of Monte Carlo draws; infinite for an exact p-value.
    feature : int or None, default=None
        The feature; None for all of them.

    See Also
    --------
    test_kmeans : Test two clusters of k-means.
    test_hierarchical : Test two clusters of a hierarchical clustering.
    test_clusters : Test two clusters of any estimator.
    """

    a: int
    b: int
    statistic: float
    p_value: float
    naive_p_value: float
    intervals: NDArray[Any] | None
    sigma: Any
    standard_error: float = 0.0
    n_effective: float = float("inf")
    feature: int | None = None

    def __str__(self) -> str:
        what = "" if self.feature is None else f", feature {self.feature}"
        error = f" (standard error {self.standard_error:.2g})" if self.intervals is None else ""
        return (
            f"clusters {self.a} and {self.b}{what}: statistic {self.statistic:.4g}, "
            f"selective p = {self.p_value:.3g}{error}, naive p = {self.naive_p_value:.3g}"
        )
