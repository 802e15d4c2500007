"""The dip test of one feature in the clusters between two."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.inference.exact import check_feature, checked
from sparsek.inference.recorded import labels_of
from sparsek.inference.results import ClusterTest
from sparsek.inference.weights import unweighted
from sparsek.selective.dip import between_clusters, dip_test


@unweighted()
def test_multimodal(model: Any, X: ArrayLike, j: int, a: int, b: int) -> ClusterTest:
    """Test whether a feature has one mode among the rows of two clusters and of those between them.

    Assumes independent rows, and nothing of the noise but a single mode.

    Clusters are ordered by their mean of the feature. The dip of the rows of all clusters from a to b in this
    order is the largest distance of their distribution to the nearest one with a single mode (Hartigan and
    Hartigan 1985). Its p-value compares with uniform data, whatever the clustering (Hivert et al. 2024).

    Parameters
    ----------
    model : estimator or KMeansResult
        The fitted model.
    X : array-like of shape (n_samples, n_features)
        The data of the fit, complete.
    j : int
        The feature, from 0.
    a, b : int
        Labels of two clusters.

    Returns
    -------
    ClusterTest
        Its statistic is the dip, dimensionless; its p-value and its naive one are the same, there are no
        intervals, and sigma is NaN.

    Raises
    ------
    ImportError
        diptest is missing.
    ValueError
        j is no feature, a or b is no label, or X is not the data of the fit.

    See Also
    --------
    sparsek.rcompat.test_multimod : R's test of the number of modes.
    test_feature : Test two clusters in one feature.

    References
    ----------
    Hivert, B., Agniel, D., Thiebaut, R. and Hejblum, B. P. (2024). Post-clustering difference testing: valid
    inference and practical considerations. Computational Statistics and Data Analysis 193, 107916.
    """
    data, _ = checked(model, X, a, b)
    check_feature(j, data.shape[1])
    values = between_clusters(data[:, j], labels_of(model), a, b)
    statistic, p = dip_test(np.sort(values))
    return ClusterTest(a, b, statistic, p, p, None, float("nan"), feature=j)
