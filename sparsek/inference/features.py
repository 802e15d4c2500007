"""Tests of single features between two clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering, KMeans

from sparsek.errors import EmptyClusterError
from sparsek.inference.assumptions import warn_of_assumptions
from sparsek.inference.exact import check_feature, checked, checked_contrast, moved_by
from sparsek.inference.hierarchical import LinkageClustering, linkage_of, tree_steps
from sparsek.inference.monte_carlo import (
    FIT_PARAMS,
    Draws,
    Refits,
    check_fit_params,
    check_seed_and_draws,
    draw_statistics,
    matrix_with_holes,
    refit_draws,
    refit_labels,
    warn_of_few_draws,
)
from sparsek.inference.noise import Noise, resolve_noise
from sparsek.inference.recorded import NotRepeatable, kmeans_steps, labels_of
from sparsek.inference.results import ClusterTest
from sparsek.inference.weights import unweighted
from sparsek.inputs.arguments import AnEstimator, takes
from sparsek.inputs.containers import column_labels, has_columns
from sparsek.methods.search.stability import StabilitySelection
from sparsek.methods.skfr.estimator import SKFR
from sparsek.rcompat.stats.api_kmeans import KMeansResult
from sparsek.selective.line import difference_contrast, make_line
from sparsek.selective.truncated import truncated_normal_two_sided

Array = NDArray[Any]

MODEL = [AnEstimator(["fit", "get_params"]), KMeansResult]
"""What `model` may be."""


@unweighted()
@takes(model=MODEL, fit_params=FIT_PARAMS)
def test_feature(
    model: Any,
    X: ArrayLike,
    j: int,
    a: int,
    b: int,
    sigma: Any = None,
    *,
    n_draws: int = 2000,
    fit_params: Mapping[str, Any] | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> ClusterTest:
    r"""Test whether two clusters have the same mean in one feature.

    Assumes independent rows and noise with one standard deviation or covariance matrix (`sigma`). It
    should be normal; means of one feature are nearly so for skewed or heavy-tailed noise too, and p hardly
    suffers.

    The difference of the two means of feature j is normal under the hypothesis. The p-value is the
    probability that its size is at least as observed, given that it lies where the clustering stays the same
    (Chen and Gao 2023). Under a covariance matrix :math:`\Sigma` feature l moves with it, by
    :math:`\Sigma_{lj} / \Sigma_{jj}`, so that all that is held fixed is independent of the difference.

    Parameters
    ----------
    model : estimator or KMeansResult
        The fitted model. Exact for those of `test_kmeans` and `test_hierarchical`, given all steps; by
        importance sampling, as `test_clusters`, for any other estimator.
    X : array-like of shape (n_samples, n_features)
        The data of the fit.
    j : int
        The feature, from 0.
    a, b : int
        Labels of two clusters.
    sigma : None, float, str or array-like of shape (n_features, n_features)
    n_draws : int, default=2000
        Number of draws where p is not exact, each of which is a fit.
    fit_params : mapping or None, default=None
        Further arguments of `fit` for these.
    random_state : int, default=0
        Seed of the draws.
    n_jobs : int or None, default=None
        Tasks of joblib that run at a time.

    Returns
    -------
    ClusterTest
        Its statistic is the difference of the two means, with its sign; its `intervals` are None where p is
        an estimate.

    Raises
    ------
    ValueError
        j is no feature, a or b is no label, X is not the data of the fit, or sigma is not positive
        (definite).

    Warns
    -----
    AssumptionWarning
        The noise is not as `sigma` says.
    UserWarning
        The data have ties that decide p, which is NaN; or few draws kept the clusters.

    See Also
    --------
    sparsek.rcompat.kmeans_inference_1f : R's test of one feature between two clusters of k-means.
    sparsek.rcompat.test_hier_clusters_exact_1f : R's test of one feature between two clusters of a tree.
    test_features : Test two clusters in many features.

    References
    ----------
    Chen, Y. T. and Gao, L. L. (2023). Testing for a difference in means of a single feature after clustering.
    arXiv:2311.16375.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import inference
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> X[:30, 0] += 6
    >>> model = inference.LinkageClustering(2, "ward").fit(X)
    >>> [inference.test_feature(model, X, j, 0, 1, sigma=1.0).p_value < 0.05 for j in range(3)]
    [True, False, False]
    """
    steps = _exact_steps(model)
    data = matrix_with_holes(X)
    check_feature(j, data.shape[1])
    if steps is not None and not np.isnan(data).any():
        try:
            return _exact(model, X, j, a, b, sigma, steps)
        except (NotRepeatable, EmptyClusterError):
            if isinstance(model, KMeansResult):
                raise
    check_seed_and_draws(model, n_draws, random_state)
    check_fit_params(model, fit_params)
    return _drawn(model, X, j, (a, b), sigma, dict(fit_params or {}), (n_draws, random_state, n_jobs))


@unweighted()
@takes(model=MODEL, fit_params=FIT_PARAMS)
def test_features(
    model: Any,
    X: ArrayLike,
    a: int,
    b: int,
    sigma: Any = None,
    *,
    features: Sequence[int] | None = None,
    n_resamples: int = 50,
    n_draws: int = 2000,
    fit_params: Mapping[str, Any] | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Test many features between two clusters, and adjust the p-values.

    Assumes independent rows and noise with one standard deviation or covariance matrix (`sigma`). It
    should be normal; means of one feature are nearly so for skewed or heavy-tailed noise too, and p hardly
    suffers.

    Parameters
    ----------
    model : estimator or KMeansResult
        The fitted model, as for `test_feature`.
    X : array-like of shape (n_samples, n_features)
        The data of the fit.
    a, b : int
        Labels of two clusters.
    sigma : None, float, str or array-like of shape (n_features, n_features)
        Noise, as for `test_feature`.
    features : sequence of int or None, default=None
        The features to test. None means those that the model selects, or all if it selects none.
    n_resamples : int, default=50
        Random halves of the rows from which the model selects features again; 0 leaves the selection
        frequencies out.
    n_draws : int, default=2000
        Number of draws for each feature where p is not exact.
    fit_params : mapping or None, default=None
        Further arguments of `fit` for these.
    random_state : int, default=0
        Seed of the draws and of the resamples.
    n_jobs : int or None, default=None
        Tasks of joblib that run at a time.

    Returns
    -------
    DataFrame
        A row for each feature, with its number as index (its name too, if X has names, as column "name"):
        ``estimate``, the difference of the two means; ``p_value``; ``p_holm``, adjusted for the chance of
        any false rejection (Holm 1979); ``p_by``, for the share of false rejections under any dependence
        (Benjamini and Yekutieli 2001); ``standard_error`` of p_value; ``selection_frequency`` among the
        resamples, NaN for a model that selects none.

    Raises
    ------
    TypeError
        If `features` is no list.
    ValueError
        As `test_feature`, and for a negative number of resamples.

    Warns
    -----
    AssumptionWarning
        The noise is not as `sigma` says.

    See Also
    --------
    test_feature : Test two clusters in one feature.
    test_multimodal : Test whether a feature has one mode in two clusters.

    Notes
    -----
    Resamples have other rows, so that a model whose `init` names rows or labels takes its default starts
    there.

    References
    ----------
    Benjamini, Y. and Yekutieli, D. (2001). The control of the false discovery rate in multiple testing under
    dependency. Annals of Statistics 29, 1165-1188.
    """
    if isinstance(n_resamples, bool) or not isinstance(n_resamples, Integral) or n_resamples < 0:
        raise ValueError(f"n_resamples must be a whole number of at least 0; got {n_resamples!r}")
    names = column_labels(X) if has_columns(X) else None
    n_features = matrix_with_holes(X).shape[1]
    selects = hasattr(model, "get_support")
    if features is None:
        features = (model.get_support(indices=True) if selects else np.arange(n_features)).tolist()
    if not np.iterable(features):
        raise TypeError(f"features must be a list of column numbers, counted from 0; got {features!r:.60}")
    options: dict[str, Any] = {
        "n_draws": n_draws,
        "fit_params": fit_params,
        "random_state": random_state,
        "n_jobs": n_jobs,
    }
    found = [test_feature(model, X, j, a, b, sigma, **options) for j in features]
    p_values = np.array([one.p_value for one in found])
    table = {
        "estimate": [one.statistic for one in found],
        "p_value": p_values,
        "p_holm": adjusted(p_values, "holm"),
        "p_by": adjusted(p_values, "fdr_by"),
        "standard_error": [one.standard_error for one in found],
        "selection_frequency": np.full(len(found), np.nan),
    }
    if selects and n_resamples:
        shares = _frequencies(model, X, n_resamples, random_state, n_jobs)
        table["selection_frequency"] = shares[list(features)]
    frame = pd.DataFrame(table, index=pd.Index(list(features), name="feature"))
    if names is not None:
        frame.insert(0, "name", [names[j] for j in features])
    return frame


def adjusted(p_values: Array, method: str) -> Array:
    """Adjusted p-values; NaN stays NaN and counts for nothing."""
    from statsmodels.stats.multitest import multipletests  # slow to import

    found = np.array(p_values, dtype=np.float64)
    known = ~np.isnan(found)
    # One is its own adjustment. `multipletests` collects garbage, which takes a second in a large program.
    if known.sum() > 1:
        # NaN counts for nothing: only known p-values are adjusted for each other.
        found[known] = multipletests(p_values[known], method=method)[1]
    return found


def _frequencies(model: Any, X: Any, n_resamples: int, seed: int, n_jobs: int | None) -> Array:
    """Share of random halves of the rows from which the model selects each feature."""
    again = clone(model)
    if not isinstance(getattr(again, "init", ""), str) and not callable(again.init):
        again.set_params(init=type(model)().init)
    search = StabilitySelection(again, n_resamples=n_resamples, random_state=seed, n_jobs=n_jobs)
    return np.asarray(search.fit(X).selection_frequencies_)


def _exact_steps(model: Any) -> Any:
    """The function that follows the steps of this class of model; None for a class without one."""
    if isinstance(model, LinkageClustering | AgglomerativeClustering):
        return tree_steps if is_exact_tree(model) else None
    return kmeans_steps if isinstance(model, KMeans | KMeansResult | SKFR) else None


def is_exact_tree(model: Any) -> bool:
    """Whether the model is a tree with an exact set."""
    try:
        return linkage_of(model) != "complete"
    except (TypeError, ValueError):
        return False


def _exact(model: Any, X: ArrayLike, j: int, a: int, b: int, sigma: Any, steps: Any) -> ClusterTest:
    """The test from a truncated normal law."""
    data, contrast = checked(model, X, a, b)
    noise = resolve_noise(sigma, data)
    warn_of_assumptions(data, labels_of(model), noise, feature=j)
    deviation, direction = noise.feature(j, data.shape[1])
    statistic = float(contrast @ data[:, j])
    conditions = steps(model, data, make_line(data, contrast, direction))
    intervals, tied = moved_by(statistic, conditions, least=-np.inf)
    scale = deviation * float(np.linalg.norm(contrast))
    p = np.nan if tied else truncated_normal_two_sided(statistic / scale, intervals / scale)
    naive = _two_sided(statistic / scale)
    return ClusterTest(a, b, statistic, p, naive, intervals, noise.sigma, feature=j)


def _drawn(
    model: Any, X: ArrayLike, j: int, pair: tuple[int, int], sigma: Any, params: dict[str, Any], how: Any
) -> ClusterTest:
    """The test by importance sampling."""
    n_draws, seed, n_jobs = how
    data = matrix_with_holes(X)
    labels = refit_labels(model, data, params)
    checked_contrast(labels, *pair)
    noise = resolve_noise(sigma, data)
    warn_of_assumptions(data, labels, noise, feature=j)
    deviation, move, observed = _feature_move(data, labels, j, pair, noise)
    statistic = float(observed @ np.nan_to_num(data[:, j]))
    scale = deviation * float(np.linalg.norm(observed))
    # Draws are around the statistic and not around 0, because the clusters mostly stay the same near it.
    values = draw_statistics(statistic, scale, n_draws, seed)
    # The density of N(0, scale) over that of the draws, N(statistic, scale), as a logarithm.
    log_weights = ((values - statistic) ** 2 - values**2) / (2 * scale**2)
    draws = Draws(statistic, values, log_weights)
    refits = Refits(model, params, data, move, labels, pair)
    p, error, effective = draws.estimate(refit_draws(refits, draws, seed, n_jobs, 0, None))
    warn_of_few_draws(effective)
    naive = _two_sided(statistic / scale)
    return ClusterTest(*pair, statistic, p, naive, None, noise.sigma, error, effective, j)


def _feature_move(
    X: Array, labels: Array, j: int, pair: tuple[int, int], noise: Noise
) -> tuple[float, Array, Array]:
    """Standard deviation, change of the data for a unit of the difference, contrast of the observed rows."""
    deviation, direction = noise.feature(j, X.shape[1])
    seen = ~np.isnan(X[:, j])
    if not noise.is_isotropic and np.isnan(X).any():
        raise ValueError("X has NaN, for which sigma must be a number, not a covariance matrix")
    for label in pair:
        if not (seen & (labels == label)).any():
            raise ValueError(f"feature {j} has no observed entry in cluster {label}; test another feature")
    contrast = np.zeros(len(X))
    contrast[seen] = difference_contrast(labels[seen], *pair)
    # Rows move along nu / |nu|^2, so that the difference of the two means grows by 1 for each unit.
    return deviation, np.outer(contrast / (contrast @ contrast), direction), contrast


def _two_sided(z: float) -> float:
    """P(|Z| >= |z|) for a standard normal Z."""
    return float(2 * np.exp(log_ndtr(-abs(z))))
