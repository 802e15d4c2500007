"""Tests of clusters found in one part of the data on an independent part: data thinning."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

from sparsek.core.tasks import configured_copy, draw_seed, last_step, run_tasks, summed_up
from sparsek.errors import AssumptionWarning, SelectionWarning, callers_level
from sparsek.inference.assumptions import LEVEL, warn_of_assumptions
from sparsek.inference.exact import complete_matrix
from sparsek.inference.features import adjusted
from sparsek.inference.noise import Noise, resolve_noise
from sparsek.inference.weights import unweighted
from sparsek.inputs.arguments import JOBS, MOST_RUNS, AnEstimator, check_arguments, count, names, number
from sparsek.methods.search.choice.thinning import check_domain, known_parameter, split_folds

Array = NDArray[Any]
FAMILIES = ("gaussian", "poisson", "negative_binomial")
"""Families whose parts are tested."""
TOGETHER = 64
"""Permutations of one matrix product."""


@dataclass(frozen=True, slots=True)
class ThinnedTest:
    """A test of clusters of one part of the data on an independent part.

    The parameters are attributes too.

    Parameters
    ----------
    p_value : float
        P-value of the hypothesis that all clusters have the same mean: of the only split, or of all splits
        together, twice their median.
    p_values : ndarray of shape (n_splits,)
        P-values of the splits; NaN where fewer than two clusters were found.
    pairs : DataFrame
        A row for each pair of clusters of the first split: ``a``, ``b``, ``statistic``, the distance of
        their means in the part that was not clustered, in standard deviations of the noise, ``p_value`` and
        ``p_holm`` (Holm 1979).
    labels : ndarray of shape (n_samples,)
        The clusters that are tested in `pairs`: those of the part of the first split that was clustered.
    family : str
        The family of the entries.
    parameter : float or ndarray
        What was taken as known: variance, covariance matrix, or dispersion; 0 for "poisson".

    See Also
    --------
    test_thinned : Makes it.
    """

    p_value: float
    p_values: Array
    pairs: pd.DataFrame
    labels: Array
    family: str
    parameter: Any

    def __str__(self) -> str:
        n = len(self.p_values)
        splits = "one split" if n == 1 else f"{n} splits, twice the median"
        return (
            f"clusters of a part, {self.family}: p = {self.p_value:.3g} that all means are equal ({splits})"
        )


@unweighted()
def test_thinned(
    X: ArrayLike,
    estimator: Any,
    family: str = "gaussian",
    *,
    sigma: Any = None,
    dispersion: Any = None,
    share: float = 0.5,
    n_splits: int = 1,
    n_permutations: int = 999,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> ThinnedTest:
    r"""Cluster one part of the data, and test these clusters on a part that is independent of it.

    Assumes independent rows, and entries of the family with a known parameter: normal noise with the given
    (or estimated) covariance, or counts with the given dispersion. Every entry is split in two as `thin`
    does. The estimator clusters the first part. In the second part, whose rows know nothing of these
    clusters if all means are equal, rows are permuted among the clusters: p is the share of permutations
    with means as far apart.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, complete.
    estimator : estimator
        One of ours or of scikit-learn's, or a Pipeline that ends in one, with `labels_` after `fit`. Never
        fitted itself. It gets normal entries in the scale of X, and counts as the smaller counts of a part.
    family : {"gaussian", "poisson", "negative_binomial"}, default="gaussian"
        Distribution of the entries around the means of their clusters.
    sigma : None, float, str or array-like of shape (n_features, n_features)
        For "gaussian", the noise: its standard deviation in the unit of X, its covariance matrix, or the
        method of `estimate_sigma` to be used on X. None means "shrunk" for at most 2000 features, else
        "sample".
    dispersion : None, float or array-like of shape (n_features,), default=None
        For "negative_binomial": a, dimensionless, of the variance m + a m^2 of a count of mean m.
    share : float, default=0.5
        Share of the information in the part that is clustered, in (0, 1).
    n_splits : int, default=1
        How often the data are split. The p-values of the splits depend on each other; twice their median
        keeps the level whatever the dependence (Meinshausen, Meier and Buhlmann 2009).
    n_permutations : int, default=999
        Permutations; the smallest p-value is 1 / (n_permutations + 1).
    random_state : int, default=0
        Seed of the splits, fits and permutations.
    n_jobs : int or None, default=None
        Splits that run at a time, by joblib. Results do not depend on it.

    Returns
    -------
    ThinnedTest
        The p-value, the p-values of all pairs, and the clusters that they are about.

    Raises
    ------
    ValueError
        X has NaN or entries that the family cannot have, or a parameter is missing, not needed or not
        positive, or `estimator` is none.

    Warns
    -----
    AssumptionWarning
        Normal noise is skewed, has heavy tails, or is not as `sigma` says; counts vary more than the family
        allows. The parts are then dependent, and the p-value may be too small.

    See Also
    --------
    sparsek.thin : Split data into independent folds.
    test_clusters : Test two clusters of any estimator on the data that were clustered.
    check_assumptions : Look for what the tests do not allow.

    Notes
    -----
    The test is about the clusters of a part, `labels` of the result, which differ from those of the whole
    data where clusters overlap.

    Give `sigma` where you can: from replicates, from controls, or from theory. With the noise known, this is
    the most powerful of the tests. Estimated on the data themselves ("shrunk"), the covariance contains the
    differences between clusters; the level holds, but the split takes out most of what tells clusters apart.

    References
    ----------
    Neufeld, A., Dharamshi, A., Gao, L. L. and Witten, D. (2024). Data thinning for convolution-closed
    distributions. JMLR 25(57), 1-35.

    Meinshausen, N., Meier, L. and Buhlmann, P. (2009). p-values for high-dimensional regression. JASA
    104(488), 1671-1681.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import KMeans
    >>> from sparsek import inference
    >>> X = np.random.default_rng(0).normal(size=(60, 4))
    >>> print(inference.test_thinned(X, KMeans(2, n_init=3), sigma=1.0))
    clusters of a part, gaussian: p = 0.126 that all means are equal (one split)
    """
    _check_arguments(
        estimator=estimator,
        family=family,
        share=share,
        n_splits=n_splits,
        n_permutations=n_permutations,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    data = complete_matrix(X)
    given, known, scale = _parameters(data, family, sigma, dispersion)
    shares = np.array([share, 1 - share], dtype=np.float64)
    seeds = np.random.SeedSequence(int(random_state)).spawn(n_splits)
    tasks = [(data, estimator, family, known, scale, shares, n_permutations, seed) for seed in seeds]
    with summed_up(without=(SelectionWarning,)):
        found = run_tasks(_one_split, tasks, n_jobs, 0, "split")
    p_values = np.array([p for p, _, _ in found])
    _, labels, pairs = found[0]
    if family == "gaussian":
        warn_of_assumptions(data, labels, Noise(given))
    else:
        _warn_of_counts(data, labels, family, given)
    pairs["p_holm"] = adjusted(pairs["p_value"].to_numpy(dtype=float), "holm")
    return ThinnedTest(combined(p_values), p_values, pairs, labels, family, given)


def combined(p_values: Array) -> float:
    """Twice the median, at most 1; the only one as it is. A split without two clusters counts as 1."""
    known = np.where(np.isnan(p_values), 1.0, p_values)
    if len(known) == 1 or np.isnan(p_values).all():
        return float(p_values[0])
    # Twice the median of p-values is a p-value whatever their dependence.
    return float(min(1.0, 2 * np.median(known)))


def _check_arguments(**given: Any) -> None:
    """The error texts of the constraints."""
    constraints: dict[str, list[Any]] = {
        "estimator": [AnEstimator(["fit", "get_params", "set_params"])],
        "family": [names(*FAMILIES)],
        "share": [number(0, 1, "neither")],
        "n_splits": [count(1, MOST_RUNS)],
        "n_permutations": [count(1)],
        "random_state": [count(0)],
        "n_jobs": JOBS,
    }
    check_arguments("test_thinned", constraints, **given)


def _parameters(X: Array, family: str, sigma: Any, dispersion: Any) -> tuple[Any, Array, Array]:
    """What is taken as known, as `split_folds` needs it, and the matrix that makes the noise white."""
    if family != "gaussian" and sigma is not None:
        raise ValueError(f"sigma belongs to family='gaussian'; got family={family!r}")
    if family != "negative_binomial" and dispersion is not None:
        raise ValueError(f"dispersion belongs to family='negative_binomial'; got family={family!r}")
    if family == "gaussian":
        noise = resolve_noise(sigma, X)
        if noise.is_isotropic:
            if not 0 < noise.sigma * noise.sigma < np.inf:
                raise ValueError(f"the square of sigma={noise.sigma:g} is 0 or infinite; scale the data")
            return noise.sigma, np.asarray(noise.sigma**2), np.full(X.shape[1], 1 / noise.sigma)
        values, vectors = np.linalg.eigh(noise.sigma)
        # x V D^(-1/2) has the identity as covariance, where V D V' is that of x.
        return noise.sigma, noise.sigma, vectors / np.sqrt(values)
    check_domain(X, family)
    given = np.zeros(()) if family == "poisson" else _checked_dispersion(dispersion)
    known = known_parameter(None if family == "poisson" else 1 / given, family, X.shape)
    means = X.mean(axis=0)
    variances = means + given * means**2
    return given, known, 1 / np.sqrt(np.where(variances > 0, variances, 1))


def _checked_dispersion(dispersion: Any) -> Array:
    """A positive dispersion; ValueError for anything else."""
    if dispersion is None:
        raise ValueError("family='negative_binomial' needs dispersion: a of the variance m + a m^2")
    given = np.asarray(dispersion, dtype=np.float64)
    if not (np.isfinite(given) & (given > 0)).all():
        raise ValueError(f"dispersion must be positive and finite; got {dispersion!r}")
    return given


def _one_split(
    X: Array,
    estimator: Any,
    family: str,
    known: Array,
    scale: Array,
    shares: Array,
    n_permutations: int,
    seed: np.random.SeedSequence,
    stop: list[bool],
) -> tuple[float, Array, pd.DataFrame]:
    """P-value of a split, the clusters of its first part, and the p-values of their pairs."""
    rng = np.random.default_rng(seed)
    first, second = split_folds(X, family, shares, known, rng)
    # Divided by its share, the first part has the means of the data; counts must stay whole.
    train = first / shares[0] if family == "gaussian" else first
    labels = np.asarray(last_step(configured_copy(estimator, {}, draw_seed(rng)).fit(train)).labels_)
    # In units of the noise of the second part: its variance is its share of that of the data.
    rows = (second @ scale if scale.ndim == 2 else second * scale) / np.sqrt(shares[1])
    names = np.unique(labels[labels >= 0]).tolist()
    overall, _ = permutation_test(rows, labels, names, n_permutations, rng)
    pairs = []
    for a, b in combinations(names, 2):
        p, spread = permutation_test(rows, labels, [a, b], n_permutations, rng)
        n_a, n_b = (np.count_nonzero(labels == label) for label in (a, b))
        # The scatter of two clusters is n_a n_b / (n_a + n_b) times their squared distance.
        pairs.append((a, b, float(np.sqrt(spread * (1 / n_a + 1 / n_b))), p))
    return overall, labels, pd.DataFrame(pairs, columns=["a", "b", "statistic", "p_value"])


def permutation_test(
    rows: Array, labels: Array, names: list[Any], n_permutations: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Share of permutations of the rows with means of the clusters as far apart, and the observed scatter.

    The scatter is the sum over clusters of n_k times the squared distance of its mean to the overall mean.
    """
    if len(names) < 2:
        return np.nan, np.nan
    inside = np.isin(labels, names)
    rows = rows[inside] - rows[inside].mean(axis=0)
    member = (labels[inside][:, None] == np.asarray(names)).astype(float)
    member /= np.sqrt(member.sum(axis=0))  # then squares of sums are counts times squares of means
    # With fewer rows than features, inner products of rows take less work for every permutation.
    gram = rows @ rows.T if len(rows) < rows.shape[1] else None

    def scatter(members: Array) -> Array:
        """For memberships (draws, n, k)."""
        if gram is not None:
            found: Array = np.einsum("dnk,nm,dmk->d", members, gram, members, optimize=True)
            return found
        sums = np.einsum("dnk,np->dkp", members, rows, optimize=True)
        return np.asarray((sums * sums).sum(axis=(1, 2)))

    observed = float(scatter(member[None])[0])
    beyond = 0
    for done in range(0, n_permutations, TOGETHER):
        draws = min(TOGETHER, n_permutations - done)
        # All rows of a batch of orders are permuted at once, each on its own.
        orders = rng.permuted(np.tile(np.arange(len(rows)), (draws, 1)), axis=1)
        # Permutations that give the same clusters tie up to rounding, and must count.
        beyond += int(np.count_nonzero(scatter(member[orders]) >= observed * (1 - 1e-12)))
    # The observed order is one of the permutations, so that p is never 0.
    return (1 + beyond) / (1 + n_permutations), observed


def _warn_of_counts(X: Array, labels: Array, family: str, dispersion: Any) -> None:
    """Warn where counts vary more around the means of their clusters than the family allows."""
    squares, freedom, variance = 0.0, 0.0, 0.0
    for label in np.unique(labels):
        rows = X[labels == label]
        means = rows.mean(axis=0)
        # A count of mean 0 has no variance to compare with.
        used = means > 0
        spread = np.broadcast_to(dispersion, means.shape)[used]
        expected = means[used] + spread * means[used] ** 2
        squares += float((((rows - means) ** 2)[:, used] / expected).sum())
        # Every mean takes one degree of freedom.
        freedom += (len(rows) - 1) * int(used.sum())
        # The fourth moment of the negative binomial law; Poisson's has no dispersion: 2 + 1 / mean.
        variance += float((len(rows) * (2 + 6 * spread + 1 / expected)).sum())
    if freedom and norm.sf((squares - freedom) / np.sqrt(variance)) < LEVEL:
        remedy = (
            'give family="negative_binomial" and a dispersion' if family == "poisson" else "raise dispersion"
        )
        warnings.warn(
            f"the p-value may be too small: counts vary {squares / freedom:.3g} times as much around the "
            f"means of the clusters as family={family!r} allows. Remedy: {remedy}",
            AssumptionWarning,
            stacklevel=callers_level(),
        )
