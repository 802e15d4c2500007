"""Exact tests of means of clusters of k-means and of trees: p-values from truncated chi and normal laws."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.errors import callers_level
from sparsek.inference.assumptions import warn_of_assumptions
from sparsek.inference.noise import resolve_noise
from sparsek.inference.recorded import kmeans_steps, labels_of
from sparsek.inference.results import ClusterTest
from sparsek.inference.weights import unweighted
from sparsek.inputs.containers import as_array, numbers
from sparsek.selective.intervals import Conditions, explain_ties
from sparsek.selective.line import difference_contrast, make_line
from sparsek.selective.truncated import log_chi_probability, truncated_chi_tail

Array = NDArray[Any]


@unweighted()
def test_kmeans(model: Any, X: ArrayLike, a: int, b: int, sigma: Any = None) -> ClusterTest:
    r"""Test whether two clusters of k-means have the same mean, given all steps of the algorithm.

    Assumes independent rows and normal noise with one standard deviation or covariance matrix (`sigma`). On
    skewed, heavy-tailed or correlated noise beside one number the p-value is too small; an
    `AssumptionWarning` says where the data look like that.

    Let :math:`\phi = \|X^T \nu\|` be the distance of the two means. The p-value is the probability that a chi
    variable of scale :math:`\sigma\|\nu\|` is at least :math:`\phi`, given where it lies: Lloyd's algorithm
    takes the same steps on the data whose two clusters are moved apart or together until they have this
    distance.

    Parameters
    ----------
    model : KMeans, SKFR or KMeansResult
        The fitted model: scikit-learn's KMeans with ``init="random"`` and an integer `random_state`, or with
        centres that do not come from X; SKFR with ``standardize=False`` and row numbers, labels or such
        centres as `init`, whose selected features are conditioned on too; the result of
        ``sparsek.rcompat.kmeans(..., algorithm="Lloyd")``.
    X : array-like of shape (n_samples, n_features)
        The data of the fit, complete.
    a, b : int
        Labels of two clusters, as the model numbers them.
    sigma : None, float, str or array-like of shape (n_features, n_features)

    Returns
    -------
    ClusterTest
        Statistic, p-value and the set of distances that keep all steps.

    Raises
    ------
    ValueError
        The steps cannot be repeated (see `model`), a or b is no label, or sigma is not positive (definite).
    TypeError
        The model is of another class.
    EmptyClusterError
        A cluster lost all its rows on the way.

    Warns
    -----
    AssumptionWarning
        The noise is skewed or has heavy tails, or is not as `sigma` says.
    UserWarning
        The data have ties, as rounded data do, that decide the p-value, which is NaN; the text names rows.

    See Also
    --------
    sparsek.rcompat.kmeans_inference : R's test of two clusters of k-means.
    test_hierarchical : Test two clusters of a hierarchical clustering.
    test_feature : Test two clusters in one feature.
    estimate_sigma : Estimate the noise that the tests need.

    Notes
    -----
    Starts are conditioned on, and must not depend on the data: k-means++ and screened starts do. The steps of
    all `n_init` starts are conditioned on, which costs power; one start costs least.

    References
    ----------
    Chen, Y. T. and Witten, D. M. (2023). Selective inference for k-means clustering. JMLR 24(152), 1-41.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import KMeans
    >>> from sparsek import inference
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> model = KMeans(2, init="random", n_init=1, random_state=2).fit(X)
    >>> found = inference.test_kmeans(model, X, 0, 1, sigma=1.0)
    >>> print(found)
    clusters 0 and 1: statistic 1.71, selective p = 0.0964, naive p = 4.44e-10
    """
    return exact_difference(model, X, a, b, sigma, kmeans_steps)


def exact_difference(model: Any, X: ArrayLike, a: int, b: int, sigma: Any, steps: Any) -> ClusterTest:
    """The test of two means; ``steps(model, X, line)`` gives the conditions that keep the clusters."""
    data, contrast = checked(model, X, a, b)
    noise = resolve_noise(sigma, data)
    warn_of_assumptions(data, labels_of(model), noise)
    difference = contrast @ data
    statistic = noise.length(difference)
    if statistic == 0:
        raise ValueError(f"the means of clusters {a} and {b} are equal: there is no difference to test")
    # The data move along the observed direction of the difference, as in Gao, Bien and Witten (2022).
    line = make_line(data, contrast, difference / statistic)
    intervals, tied = moved_by(statistic, steps(model, data, line), least=0.0)
    scale = noise.unit() * float(np.linalg.norm(contrast))
    p = data.shape[1]
    return ClusterTest(
        a,
        b,
        statistic,
        # In units of its standard deviation, the length of p normal differences has the chi law.
        np.nan if tied else truncated_chi_tail(statistic / scale, intervals / scale, p),
        float(np.exp(log_chi_probability(statistic / scale, np.inf, p))),
        intervals,
        noise.sigma,
    )


def checked(model: Any, X: ArrayLike, a: int, b: int) -> tuple[Array, Array]:
    """Data as numbers, and the contrast of two clusters; ValueError for anything that does not fit."""
    data = complete_matrix(X)
    labels = labels_of(model)
    if labels.shape != (len(data),):
        raise ValueError(f"X has {len(data)} rows and the model {len(labels)} labels; pass the X of the fit")
    return data, checked_contrast(labels, a, b)


def complete_matrix(X: ArrayLike) -> Array:
    """Finite numbers with two dimensions, in double precision; ValueError for anything else."""
    data = as_array(numbers(X, "X"), "X", np.float64)
    if data.ndim != 2:
        raise ValueError(f"X must have two dimensions; got {data.ndim}")
    if not np.isfinite(data).all():
        row, column = np.argwhere(~np.isfinite(data))[0]
        raise ValueError(
            f"X[{row}, {column}] is {data[row, column]}; the exact tests need complete data: impute, or use "
            "test_clusters"
        )
    return data


def checked_contrast(labels: Array, a: Any, b: Any) -> Array:
    """The contrast of two clusters; ValueError if they are no two of the labels."""
    found = np.unique(labels)
    for name, value in (("a", a), ("b", b)):
        if not np.isscalar(value) or isinstance(value, bool) or value not in found:
            raise ValueError(f"{name}={value!r} is no label; the labels are {found.tolist()}")
    if a == b:
        raise ValueError(f"a and b must be different clusters; got {a} twice")
    return difference_contrast(labels, a, b)


def moved_by(statistic: float, conditions: Conditions, least: float) -> tuple[Array, bool]:
    """Intervals of the statistic from those of its change, and whether ties, of which it warns, decide p."""
    changes = conditions.intervals(least - statistic)
    ties = explain_ties(conditions, statistic, changes)
    if ties:
        warnings.warn(f"p is NaN: {ties}", stacklevel=callers_level())
    return np.maximum(changes + statistic, least), bool(ties)


def check_feature(j: Any, n_features: int) -> None:
    """ValueError if j is no feature."""
    if isinstance(j, bool) or not isinstance(j, int | np.integer) or not 0 <= j < n_features:
        raise ValueError(f"j must be a feature from 0 to {n_features - 1}; got {j!r}")
