"""All pairs of clusters in one call."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.cluster import KMeans

from sparsek.core.tasks import last_step
from sparsek.errors import EmptyClusterError
from sparsek.inference.exact import test_kmeans
from sparsek.inference.features import adjusted, is_exact_tree
from sparsek.inference.hierarchical import test_hierarchical
from sparsek.inference.monte_carlo import FIT_PARAMS, test_clusters
from sparsek.inference.recorded import NotRepeatable, labels_of
from sparsek.inference.results import ClusterTest
from sparsek.inference.weights import unweighted
from sparsek.inputs.arguments import takes
from sparsek.methods.skfr.estimator import SKFR
from sparsek.rcompat.stats.api_kmeans import KMeansResult


@unweighted()
@takes(fit_params=FIT_PARAMS)
def test_pairs(
    model: Any,
    X: ArrayLike,
    sigma: Any = None,
    *,
    n_draws: int = 2000,
    fit_params: Mapping[str, Any] | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Test every two clusters for equal means, and adjust the p-values.

    Assumes independent rows and normal noise with one standard deviation or covariance matrix (`sigma`); an
    `AssumptionWarning` says where the data do not look like it. Each pair is tested by `test_kmeans` or
    `test_hierarchical` where the fit can be repeated step by step, else by `test_clusters`.

    Parameters
    ----------
    model : estimator or KMeansResult
        The fitted model.
    X : array-like of shape (n_samples, n_features)
        The data of the fit.
    sigma : None, float, str or array-like of shape (n_features, n_features)
    n_draws : int, default=2000
        Number of draws for each pair where p is not exact, each of which is a fit.
    fit_params : mapping or None, default=None
        Further arguments of `fit` for these.
    random_state : int, default=0
        Seed of the draws.
    n_jobs : int or None, default=None
        Tasks of joblib that run at a time.

    Returns
    -------
    DataFrame
        A row for each pair: ``a`` and ``b``, their labels; ``statistic``; ``p_value``; ``p_holm``, adjusted
        for the chance of any false rejection (Holm 1979); ``standard_error`` of p_value, 0 if exact;
        ``naive_p_value``, not valid after clustering.

    Raises
    ------
    ValueError
        There are fewer than two clusters, X is not the data of the fit, or sigma is not positive (definite).

    Warns
    -----
    AssumptionWarning
        The noise is skewed, has heavy tails, or is not as `sigma` says.
    UserWarning
        The data have ties and a p-value is NaN, or few draws kept the clusters.

    See Also
    --------
    test_kmeans : Test two clusters of k-means.
    test_hierarchical : Test two clusters of a hierarchical clustering.
    test_clusters : Test two clusters of any estimator.
    test_features : Test many features between two clusters.

    References
    ----------
    Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of
    Statistics 6, 65-70.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import inference
    >>> X = np.random.default_rng(0).normal(size=(36, 3))
    >>> X[:12] += 6
    >>> model = inference.LinkageClustering(3, "ward").fit(X)
    >>> inference.test_pairs(model, X, sigma=1.0)[["a", "b", "p_holm"]].round(3)
       a  b  p_holm
    0  0  1   0.000
    1  0  2   0.000
    2  1  2   0.317
    """
    last = last_step(model)
    labels = np.unique(labels_of(last))
    labels = labels[labels >= 0].tolist()
    if len(labels) < 2:
        raise ValueError(f"two clusters are needed for a test; the model has {len(labels)}")
    exact = _exact_test(last) if last is model else None
    drawing: dict[str, Any] = {"n_draws": n_draws, "random_state": random_state, "n_jobs": n_jobs}

    def test(a: int, b: int) -> ClusterTest:
        if exact is not None and not fit_params:
            try:
                found: ClusterTest = exact(model, X, a, b, sigma)
                return found
            except (NotRepeatable, EmptyClusterError):
                if isinstance(model, KMeansResult):
                    raise
        return test_clusters(model, X, a, b, sigma, fit_params=fit_params, **drawing)

    found = [test(a, b) for a, b in combinations(labels, 2)]
    p_values = np.array([one.p_value for one in found])
    return pd.DataFrame(
        {
            "a": [one.a for one in found],
            "b": [one.b for one in found],
            "statistic": [one.statistic for one in found],
            "p_value": p_values,
            "p_holm": adjusted(p_values, "holm"),
            "standard_error": [one.standard_error for one in found],
            "naive_p_value": [one.naive_p_value for one in found],
        }
    )


def _exact_test(model: Any) -> Any:
    """The exact test of this class of model; None for a class without one."""
    if isinstance(model, KMeans | KMeansResult | SKFR):
        return test_kmeans
    return test_hierarchical if is_exact_tree(model) else None
