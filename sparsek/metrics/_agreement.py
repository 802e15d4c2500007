"""Agreement of predicted clusters with clusters that are found anew: a score for cross-validation."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from sparsek.inputs.arguments import AnEstimator, takes
from sparsek.inputs.indices import aligned
from sparsek.metrics._labels import encode


@takes(estimator=[AnEstimator(["fit_predict", "predict", "get_params"])])
def agreement_score(estimator: Any, X: ArrayLike, y: ArrayLike | None = None) -> float:
    """Score a fit by whether other rows have the clusters that it predicts; for ``scoring=``.

    A copy of the estimator is fitted to the rows of X, and its clusters are compared with those that the
    estimator predicts for them. It can compare values of `n_clusters` and of the number of features. `score`
    cannot, because it grows with more clusters and with fewer features.

    Parameters
    ----------
    estimator : fitted estimator
        A clusterer with `predict`, or a Pipeline that ends in one.
    X : array-like of shape (n_samples, n_features)
        Rows that the fit has not seen.
    y : array-like of shape (n_samples,) or None, default=None
        Classes; if given, they are compared with the predicted clusters instead, and nothing is fitted.

    Returns
    -------
    float
        Adjusted Rand index: 1 for the same clusters, around 0 for unrelated ones.

    See Also
    --------
    sparsek.PredictionStrength : Choose the number of clusters by prediction strength.
    sparsek.ModelChoice : Choose the numbers of clusters and features by several criteria.

    References
    ----------
    Tibshirani, R. and Walther, G. (2005). Cluster validation by prediction strength. JCGS 14, 511-528.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV, ShuffleSplit
    >>> from sparsek import SKFR
    >>> from sparsek.metrics import agreement_score
    >>> X = np.random.default_rng(0).normal(size=(90, 6))
    >>> X[:30, :2] += 8
    >>> X[30:60, 1:3] += 8
    >>> model = SKFR(n_features_to_select=3, n_init=3, random_state=0)
    >>> halves = ShuffleSplit(3, test_size=0.5, random_state=0)
    >>> grid = {"n_clusters": [2, 3, 5]}
    >>> GridSearchCV(model, grid, scoring=agreement_score, cv=halves).fit(X).best_params_
    {'n_clusters': 3}
    """
    predicted = estimator.predict(X)
    found = clone(estimator).fit_predict(X) if y is None else aligned(y, X, "y")
    return float(adjusted_rand_score(encode(found, "y"), predicted))
