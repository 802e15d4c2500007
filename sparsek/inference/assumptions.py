"""What the tests assume of the noise, looked for in the data: skewness, tails, covariance, ties."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from scipy.stats import gamma, kurtosistest, norm, skewtest

from sparsek.errors import AssumptionWarning, callers_level
from sparsek.inference.noise import MOST_FEATURES, Noise, resolve_noise
from sparsek.inputs.containers import as_array, numbers
from sparsek.inputs.indices import aligned
from sparsek.selective.intervals import DITHER

Array = NDArray[Any]
LEVEL = 0.01
"""An assumption counts as broken where the p-value of its check is below this."""
LEAST_ROWS = 20
"""Fewer rows tell nothing about the shape of a distribution."""
SHAPES = (("skewness", skewtest, 3, "two-sided"), ("tails", kurtosistest, 4, "greater"))
"""Assumptions on the shape of the noise: test, moment, and the side of departures."""
TINY = 1e-20
"""Sums of squares below this share of those of the data are rounding."""
LARGEST_STEP = 0.1
"""A feature counts as rounded where its values are this many standard deviations apart."""
TRANSFORM = "cluster and test the normal scores of each feature, or test single features by test_feature"
REMEDIES = {
    "skewness": TRANSFORM,
    "tails": TRANSFORM,
    "covariance": 'give the covariance matrix of the noise, or sigma="shrunk"',
    "rounding": DITHER,
}
"""What to do where an assumption is broken."""
FINDINGS = {
    "skewness": "features are skewed within the clusters",
    "tails": "features have heavier tails than normal ones within the clusters",
    "covariance": "features vary more, alone or together, than sigma says",
    "rounding": "a feature is rounded to more than a tenth of its standard deviation",
}
"""A broken assumption in words."""
TRACY_WIDOM = (46.446, 0.186054, 9.84801)
"""Shape, scale and shift of the gamma law that is nearly Tracy and Widom's of order 1 (Chiani 2014)."""


def check_assumptions(X: ArrayLike, labels: ArrayLike | None = None, sigma: Any = None) -> pd.DataFrame:
    """Look for what the tests of clusters do not allow: noise that is not normal, or not as `sigma` says.

    The tests assume independent rows and normal noise with one standard deviation or one covariance matrix.
    Skewness and tails of every feature are tested (D'Agostino, Anscombe and Glynn), and the p-values of the
    features are combined (Simes). The sum of the tails is tested too, which sees what is little in every
    feature. Both tests are made with the means of the clusters taken off and without, and the larger p-value
    counts. The largest eigenvalue of the covariance is compared with that of noise as `sigma` says (Johnstone
    2001): within the clusters for a given `sigma`, of all rows for one number that is estimated from them,
    where correlated noise cannot be told from clusters. That the rows are independent cannot be seen in the
    data.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data. Rows with NaN are left out.
    labels : array-like of shape (n_samples,) or None, default=None
        Clusters, whose means are taken off; None for one cluster.
    sigma : None, float, str or array-like of shape (n_features, n_features)
        Noise, as for the tests.

    Returns
    -------
    DataFrame
        A row for each assumption, its name as index: ``value``, the largest skewness or excess of kurtosis,
        the largest eigenvalue of the covariance in units of the noise, the largest step of rounding in
        standard deviations, all dimensionless; ``feature``, where that is (-1 for all);
        ``p_value``, NaN for too few rows and for rounding; ``holds``; ``remedy``.

    Raises
    ------
    ValueError
        X is no matrix of numbers, the labels are not one for each row, or sigma is not positive (definite).
    TypeError
        X is sparse or holds something else than real numbers.

    See Also
    --------
    test_kmeans : Test two clusters of k-means.
    test_thinned : Test clusters of one part of the data on another part.

    Notes
    -----
    The normal scores of a feature are the normal quantiles of its ranks,
    ``scipy.stats.norm.ppf((scipy.stats.rankdata(X, axis=0) - 0.5) / len(X))``. The page on tests after
    clustering has the levels of the tests on them, and of tests of single features, on skewed and
    heavy-tailed rows.

    References
    ----------
    Johnstone, I. M. (2001). On the distribution of the largest eigenvalue in principal components analysis.
    Annals of Statistics 29, 295-327.

    Simes, R. J. (1986). An improved Bonferroni procedure for multiple tests of significance. Biometrika 73,
    751-754.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import inference
    >>> X = np.random.default_rng(0).exponential(size=(100, 3))
    >>> inference.check_assumptions(X)["holds"].to_dict()
    {'skewness': False, 'tails': False, 'covariance': True, 'rounding': True}
    """
    if issparse(X):
        raise TypeError("X is a sparse matrix, which the tests do not take; give X.toarray()")
    data = as_array(numbers(X, "X", holes=True), "X", np.float64)
    if data.ndim != 2:
        raise ValueError(f"X must have two dimensions; got {data.ndim}")
    labels = np.zeros(len(data), dtype=int) if labels is None else aligned(labels, X, "labels")
    groups = as_array(labels, "labels")
    if groups.shape != (len(data),):
        raise ValueError(f"X has {len(data)} rows; got labels of shape {groups.shape}: give one for each row")
    known = ~np.isnan(data).any(axis=1)
    return _checks(data[known], groups[known], resolve_noise(sigma, data))


def warn_of_assumptions(X: Array, labels: Array, noise: Noise, *, feature: int | None = None) -> None:
    """Warn of broken assumptions, of one feature or of all; ties are named by the tests themselves."""
    known = ~np.isnan(X).any(axis=1)
    checks = _checks(X[known], labels[known], noise)
    broken = [name for name in checks.index[~checks["holds"]] if name != "rounding"]
    if feature is not None:
        # The difference of two means of one feature is nearly normal.
        broken = [name for name in broken if name == "covariance"]
    if broken:
        found = "; ".join(FINDINGS[name] for name in broken)
        advice = "; ".join(dict.fromkeys(REMEDIES[name] for name in broken))
        warnings.warn(
            f"the p-value may be too small: {found}. Remedy: {advice}. check_assumptions shows the numbers",
            AssumptionWarning,
            stacklevel=callers_level(),
        )


def _checks(X: Array, labels: Array, noise: Noise) -> pd.DataFrame:
    """The table of complete rows."""
    rest = _within(X, labels)
    # Features that are constant in every cluster have no noise but rounding.
    varying = np.flatnonzero((rest * rest).sum(axis=0) > TINY * (X * X).sum(axis=0))
    rows = {}
    if len(X) >= LEAST_ROWS and len(varying):
        whole = X - X.mean(axis=0)
        for name, test, power, side in SHAPES:
            value, most, p = _shape(rest[:, varying], test, power, side)
            # Clustering bends the noise inside clusters, and real clusters bend the data.
            rows[name] = (value, int(varying[most]), max(p, _shape(whole[:, varying], test, power, side)[2]))
        alone = noise.estimated and noise.is_isotropic
        taken_off = 1 if alone else len(np.unique(labels))
        rows["covariance"] = _covariance(whole if alone else rest, len(X) - taken_off, noise)
    steps = [_step(column) for column in X.T]
    most = int(np.argmax(steps)) if steps else 0
    rows["rounding"] = (max(steps, default=0.0), most, np.nan)
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["value", "feature", "p_value"])
    table["holds"] = ~(table["p_value"] < LEVEL)
    table.loc["rounding", "holds"] = rows["rounding"][0] <= LARGEST_STEP
    return table.assign(remedy=[REMEDIES[name] for name in table.index])


def _within(X: Array, labels: Array) -> Array:
    """The data less the means of their clusters."""
    rest = X.copy()
    for label in np.unique(labels):
        rest[labels == label] -= rest[labels == label].mean(axis=0)
    return rest


def _shape(rest: Array, test: Any, power: int, side: str) -> tuple[float, int, float]:
    """The largest standardised moment, its feature, and the p-value of all features."""
    scaled = rest / np.sqrt(np.mean(rest * rest, axis=0))
    # A normal number has the fourth moment 3.
    moments = np.mean(scaled**power, axis=0) - (3 if power == 4 else 0)
    most = int(np.argmax(np.abs(moments) if side == "two-sided" else moments))
    found = test(rest, axis=0, alternative=side)
    p_values = np.sort(found.pvalue)
    # Simes (1986): the smallest of p_(i) m / i, which holds for features of positive dependence.
    p = float(np.min(p_values * len(p_values) / np.arange(1, len(p_values) + 1)))
    # The smaller of two p-values, one for single features and one for all together, counts twice.
    if side == "greater" and 1 < len(p_values) <= MOST_FEATURES:
        p = min(1.0, 2 * p, 2 * _together(found.statistic, scaled))
    return float(moments[most]), most, p


def _together(statistics: Array, scaled: Array) -> float:
    """P-value of the sum of kurtosis statistics, correlated as the features are to the fourth power."""
    correlations = scaled.T @ scaled / len(scaled)
    # Fourth powers of normal numbers with correlation r have, in their kurtosis, the correlation r^4.
    return float(norm.sf(statistics.sum() / np.sqrt((correlations**4).sum())))


def _covariance(rest: Array, m: int, noise: Noise) -> tuple[float, int, float]:
    """Largest eigenvalue of the covariance in units of the noise, and p-value; m degrees of freedom."""
    if noise.is_isotropic:
        white = rest / noise.sigma
    else:
        # With L L' the covariance matrix, L^-1 x has the identity.
        white = np.linalg.solve(np.linalg.cholesky(noise.sigma), rest.T).T
    n, p = white.shape
    largest = float(np.linalg.eigvalsh(white @ white.T if n < p else white.T @ white)[-1])
    roots = np.sqrt(max(m - 1, 1)), np.sqrt(p)
    # Johnstone (2001): with this centre and scale the largest eigenvalue tends to Tracy and Widom's law.
    centre, scale = sum(roots) ** 2, sum(roots) * (1 / roots[0] + 1 / roots[1]) ** (1 / 3)
    shape, width, shift = TRACY_WIDOM
    # Chiani (2014): a gamma law that is moved to the left is near to that of Tracy and Widom.
    tail = gamma.sf((largest - centre) / scale + shift, shape, scale=width)
    return largest / max(m, 1), -1, float(tail)


def _step(column: Array) -> float:
    """Smallest gap between different values, in standard deviations; 0 for a column without equal ones."""
    values = np.unique(column)
    if len(values) < 2 or len(values) == len(column):
        return 0.0
    return float(np.diff(values).min() / column.std())
