"""Tests of the means of two clusters of any estimator, by importance sampling and refitting."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln
from sklearn.base import clone

from sparsek.core.checkpoint import open_checkpoint
from sparsek.core.tasks import last_step, run_tasks, summed_up
from sparsek.errors import callers_level
from sparsek.inference.assumptions import warn_of_assumptions
from sparsek.inference.exact import checked_contrast
from sparsek.inference.noise import resolve_noise
from sparsek.inference.results import ClusterTest
from sparsek.inference.weights import unweighted
from sparsek.inputs.arguments import MOST_RUNS, SEED_SEQUENCE, AnEstimator, count, takes
from sparsek.inputs.containers import as_array, numbers
from sparsek.selective.truncated import log_chi_probability

Array = NDArray[Any]
FIT_PARAMS = [Mapping, None]
"""What `fit_params` may be."""
TOGETHER = 20
"""Draws of one task."""
FEW_DRAWS = 100
"""An effective number of draws below this gives a warning: the standard error of p may exceed 0.05."""


@dataclass(frozen=True, slots=True)
class Draws:
    """Values of a statistic drawn around the observed one, and their weights."""

    observed: float  # The statistic of the data
    values: Array  # (n_draws,): normal draws around it; the first is the observed one
    log_weights: Array  # (n_draws,): log density under the hypothesis minus log density of the draw

    def estimate(self, kept: Array) -> tuple[float, float, float]:
        """P-value, standard error and effective number of draws; `kept` says which keep the clusters."""
        log_weights = np.where(kept, self.log_weights, -np.inf)
        if not np.isfinite(log_weights).any():
            return np.nan, np.nan, 0.0
        # Only ratios of weights count, and with the largest at 1 none overflows.
        weights = np.exp(log_weights - log_weights.max())
        shares = weights / weights.sum()
        beyond = np.abs(self.values) >= abs(self.observed)
        p = float(shares[beyond].sum())
        squares = shares * shares
        # The delta method for a ratio of weighted sums.
        variance = (1 - p) ** 2 * squares[beyond].sum() + p**2 * squares[~beyond].sum()
        # Kish's effective number: the squared sum of the weights, which is 1, over the sum of their squares.
        return p, float(np.sqrt(variance)), float(1 / squares.sum())


@unweighted()
@takes(estimator=[AnEstimator(["fit", "get_params"])], fit_params=FIT_PARAMS)
def test_clusters(
    estimator: Any,
    X: ArrayLike,
    a: int,
    b: int,
    sigma: Any = None,
    *,
    n_draws: int = 2000,
    fit_params: Mapping[str, Any] | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
    checkpoint: str | os.PathLike[str] | None = None,
) -> ClusterTest:
    """Test whether two clusters of any estimator have the same mean, by importance sampling.

    Assumes independent rows and normal noise with one standard deviation or covariance matrix (`sigma`). On
    skewed, heavy-tailed or correlated noise beside one number the p-value is too small; an
    `AssumptionWarning` says where the data look like that.

    A distance of the two means is drawn `n_draws` times around the observed one. For each draw the data are
    moved to have this distance, and clustered again. p is the weighted share of distances at least as large
    among the draws that give the same two clusters. Weights turn the normal law of the draws into the chi law
    under the hypothesis (Gao, Bien and Witten 2022, Section 4.1). The observed distance counts as the first
    draw (Harrison 2012), so that few draws do not give a p-value that is too small.

    Parameters
    ----------
    estimator : estimator
        One of ours or of scikit-learn's, or a Pipeline that ends in one, with `labels_` after `fit`. Its
        random_state must be an integer. If it is fitted, fitting it again must give the same labels.
    X : array-like of shape (n_samples, n_features)
        Data. NaN, where the estimator takes them, need independent noise: means are over observed entries.
    a, b : int
        Labels of two clusters.
    sigma : None, float, str or array-like of shape (n_features, n_features)
    n_draws : int, default=2000
        Number of draws, each of which is a fit.
    fit_params : mapping or None, default=None
        Further arguments of `fit`, such as the constraints of `PCKMeans`.
    random_state : int, default=0
        Seed of the draws.
    n_jobs : int or None, default=None
        Tasks of joblib that run at a time. Results do not depend on it.
    verbose : int, default=0
        If positive, show a progress bar.
    checkpoint : str, path-like or None, default=None
        Folder that keeps finished draws; the same call goes on from there.

    Returns
    -------
    ClusterTest
        Its `standard_error` is the Monte Carlo error of `p_value`.

    Raises
    ------
    ValueError
        A random_state is no integer, a fit again gives other labels, a or b is no label, or NaN go with a
        covariance matrix.

    Warns
    -----
    AssumptionWarning
        The noise is skewed or has heavy tails, or is not as `sigma` says.
    UserWarning
        Fewer than 100 effective draws, so that p is uncertain; or none, from an estimator that does not
        repeat its fit, and p is NaN.

    See Also
    --------
    sparsek.rcompat.test_clusters_approx : R's test of two clusters of any function.
    test_kmeans : Test two clusters of k-means.
    test_hierarchical : Test two clusters of a hierarchical clustering.

    References
    ----------
    Gao, L. L., Bien, J. and Witten, D. (2022). Selective inference for hierarchical clustering. JASA
    119(545), 332-342.

    Harrison, M. T. (2012). Conservative hypothesis tests and confidence intervals using importance sampling.
    Biometrika 99(1), 57-69.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import inference
    >>> X = np.random.default_rng(0).normal(size=(30, 4))
    >>> model = inference.LinkageClustering(2, "complete")
    >>> found = inference.test_clusters(model, X, 0, 1, sigma=1.0, n_draws=800)
    >>> found.p_value > 0.05 > found.naive_p_value
    True
    """
    check_seed_and_draws(estimator, n_draws, random_state)
    check_fit_params(estimator, fit_params)
    data = matrix_with_holes(X)
    params = dict(fit_params or {})
    labels = refit_labels(estimator, data, params)
    contrast = checked_contrast(labels, a, b)
    noise = resolve_noise(sigma, data)
    warn_of_assumptions(data, labels, noise)
    statistic, change, freedom = difference_in_data(data, contrast, noise)
    scale = noise.unit() * float(np.linalg.norm(contrast))
    draws = _chi_draws(statistic, scale, freedom, n_draws, random_state)
    move = change / statistic
    kept = refit_draws(
        Refits(estimator, params, data, move, labels, (a, b)),
        draws,
        random_state,
        n_jobs,
        verbose,
        checkpoint,
    )
    p, error, effective = draws.estimate(kept)
    warn_of_few_draws(effective)
    naive = float(np.exp(log_chi_probability(statistic / scale, np.inf, freedom)))
    return ClusterTest(a, b, statistic, p, naive, None, noise.sigma, error, effective)


@dataclass(frozen=True, slots=True)
class Refits:
    """What is fitted again for every draw."""

    estimator: Any  # Cloned for every fit
    params: dict[str, Any]  # Further arguments of `fit`
    X: Array  # (n, p): observed data
    move: Array  # (n, p): change of the data for a change of the statistic by 1
    labels: Array  # (n,): observed clusters
    pair: tuple[int, int]  # Those that must stay

    def keeps(self, changes: Array, stop: list[bool]) -> Array:
        """For each change of the statistic, 1.0 if the two clusters are found again; padded with zeros."""
        found = np.zeros(TOGETHER)
        for draw, change in enumerate(changes.tolist()):
            if stop:
                break
            if np.isfinite(change):
                labels = fitted_labels(self.estimator, self.X + change * self.move, self.params)
                found[draw] = same_clusters(self.labels, labels, self.pair)
        return found


def refit_draws(
    refits: Refits, draws: Draws, random_state: int, n_jobs: int | None, verbose: int, checkpoint: Any
) -> Array:
    """Which draws keep the two clusters, bool; draws of weight 0 are not fitted."""
    changes = np.where(np.isfinite(draws.log_weights), draws.values - draws.observed, np.inf)
    parts = [changes[first : first + TOGETHER] for first in range(0, len(changes), TOGETHER)]
    search: dict[str, Any] = {
        "search": "test_clusters",
        "data": refits.X,
        "move": refits.move,
        "params": refits.params,
    }
    search |= {"clusters": [int(label) for label in refits.pair], "n_draws": len(changes)}
    kept = open_checkpoint(checkpoint, random_state, refits.estimator, (TOGETHER,), **search)
    with summed_up():
        found = run_tasks(refits.keeps, [(part,) for part in parts], n_jobs, verbose, "20 draws", kept)
    kept_draws: Array = np.concatenate(found)[: len(changes)] > 0
    return kept_draws


def check_fit_params(estimator: Any, params: Mapping[str, Any] | None) -> None:
    """ValueError for arguments that `fit` does not take; those of a Pipeline it checks itself."""
    known = inspect.signature(estimator.fit).parameters
    if any(one.kind is one.VAR_KEYWORD for one in known.values()):
        return
    for name in params or ():
        if name not in known:
            raise ValueError(
                f"fit_params has {name!r}, which {type(estimator).__name__}.fit does not take; it takes "
                f"{', '.join(list(known)[1:])}"
            )


def fitted_labels(estimator: Any, X: Array, params: Mapping[str, Any]) -> Array:
    """Labels of a copy of the estimator."""
    return np.asarray(last_step(clone(estimator).fit(X, **params)).labels_)


def same_clusters(labels: Array, others: Array, pair: tuple[int, int]) -> bool:
    """Whether both clusters of `labels` are clusters of `others` too, whatever their numbers."""
    for label in pair:
        own = labels == label
        # The first row of the cluster tells its number in the other labels.
        if not np.array_equal(others == others[np.argmax(own)], own):
            return False
    return True


def refit_labels(estimator: Any, X: Array, params: Mapping[str, Any]) -> Array:
    """Labels of the data; ValueError if the estimator is fitted and has others."""
    labels = fitted_labels(estimator, X, params)
    known = getattr(last_step(estimator), "labels_", None)
    if known is not None and not np.array_equal(known, labels):
        raise ValueError(
            "fitting the estimator again gave other labels; pass the X, fit_params and integer random_state "
            "of the fit"
        )
    return labels


def check_seed_and_draws(estimator: Any, n_draws: Any, random_state: Any) -> None:
    """ValueError for a number of draws below 1, and for random numbers that no second fit would repeat."""
    if not count(1, MOST_RUNS).is_satisfied_by(n_draws):
        raise ValueError(f"n_draws must be a whole number from 1 to {MOST_RUNS}; got {n_draws!r}")
    seeds = [("random_state", random_state)]
    seeds += [
        (f"{name} of the estimator", value)
        for name, value in estimator.get_params().items()
        if name == "random_state" or name.endswith("__random_state")
    ]
    for name, value in seeds:
        if not SEED_SEQUENCE.is_satisfied_by(value):
            raise ValueError(
                f"{name} must be an integer from 0 on, so that every fit uses the same random numbers; got "
                f"{value!r}"
            )


def matrix_with_holes(X: ArrayLike) -> Array:
    """Numbers with two dimensions in double precision, NaN where missing."""
    data = as_array(numbers(X, "X", holes=True), "X", np.float64)
    if data.ndim != 2:
        raise ValueError(f"X must have two dimensions; got {data.ndim}")
    return data


def difference_in_data(X: Array, contrast: Array, noise: Any) -> tuple[float, Array, int]:
    """The statistic, its part of the data (n, p), and its degrees of freedom.

    With holes the contrast of every column is between its observed entries.
    """
    holes = np.isnan(X)
    if not holes.any():
        difference = contrast @ X
        part = np.outer(contrast / (contrast @ contrast), difference)
        return noise.length(difference), part, X.shape[1]
    if not noise.is_isotropic:
        raise ValueError("X has NaN, for which sigma must be a number, not a covariance matrix")
    in_a, in_b = ((side[:, None] & ~holes) for side in (contrast > 0, contrast < 0))
    used = in_a.any(axis=0) & in_b.any(axis=0)
    counts = [np.maximum(side.sum(axis=0), 1) for side in (in_a, in_b)]
    nu = np.where(used, in_a / counts[0] - in_b / counts[1], 0)
    # The variance of a column's difference is sigma^2 times the squared length of its contrast.
    squares = np.where(used, (nu * nu).sum(axis=0), 1)
    difference = (nu * np.where(holes, 0, X)).sum(axis=0)
    # Columns have contrasts of different length: each difference counts in its standard deviations.
    statistic = float(np.linalg.norm(difference / np.sqrt(squares)) * np.linalg.norm(contrast))
    return statistic, nu / squares * difference, int(used.sum())


def draw_statistics(statistic: float, scale: float, n_draws: int, seed: int) -> Array:
    """Normal draws around the observed statistic, which is the first of them: then p is never 0."""
    values = np.random.default_rng(seed).normal(statistic, scale, size=n_draws)
    # The observed value keeps its clusters and is as large as itself.
    values[0] = statistic
    return values


def _chi_draws(statistic: float, scale: float, freedom: int, n_draws: int, seed: int) -> Draws:
    """Draws of a distance; below 0 they have weight 0."""
    values = draw_statistics(statistic, scale, n_draws, seed)
    r, z = values / scale, (values - statistic) / scale
    with np.errstate(invalid="ignore", divide="ignore"):
        # The density of the chi law over that of the draws; both as logarithms, in units of `scale`.
        log_chi = (freedom - 1) * np.log(r) - r * r / 2 - (freedom / 2 - 1) * np.log(2) - gammaln(freedom / 2)
    log_normal = -z * z / 2 - np.log(2 * np.pi) / 2
    return Draws(statistic, values, np.where(values > 0, log_chi - log_normal, -np.inf))


def warn_of_few_draws(effective: float) -> None:
    """Warn if the draws tell little about p."""
    if effective == 0:
        warnings.warn("no draw kept the clusters, so p is NaN; raise n_draws", stacklevel=callers_level())
    elif effective < FEW_DRAWS:
        warnings.warn(
            f"p rests on {effective:.0f} effective draws only; raise n_draws, see standard_error",
            stacklevel=callers_level(),
        )
