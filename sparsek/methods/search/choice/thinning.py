"""Data thinning, one data set split into independent ones: thin (Neufeld et al. 2024)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from sparsek.core.steps import Array
from sparsek.inputs.arguments import SEED, check_arguments, count, names
from sparsek.inputs.containers import as_array
from sparsek.inputs.validation import check_array, require_array

MOST_TRIALS = 10**9
"""numpy draws hypergeometric numbers from fewer items than this."""
MOST_COUNTS = 2**53
"""Doubles hold all whole numbers up to this one."""
SUM_ROUNDING = 1e-9
"""By how much the sum of the shares may differ from 1."""
SYMMETRY_ROUNDING = 1e-10
"""By how much a covariance matrix may differ from its transpose, relative to its largest entry."""

Split = Callable[[np.random.Generator, Array, float, float, Array], Array]


@dataclass(frozen=True, slots=True)
class Family:
    """A family of distributions that can be thinned."""

    parameter: str  # What must be known of it; empty if nothing
    whole: bool  # Whether it has whole numbers only
    positive: bool | None  # Whether its numbers are above 0, or may be 0 too; None for any numbers
    # ``split(rng, rest, share, left, parameter)`` draws the next fold: `rest` is what the folds before have
    # left of the entries, `left` the sum of the shares not given yet, `share` the part of it that the fold
    # gets
    split: Split
    variance: Callable[[Any, Any], Any]  # ``variance(mean, parameter)`` of one entry


def _split_gaussian(rng: np.random.Generator, rest: Array, share: float, left: float, variance: Array) -> Any:
    # With noise of this variance the fold and the rest are independent, as their covariance is 0.
    return share * rest + rng.standard_normal(rest.shape) * np.sqrt(share * (1 - share) * left * variance)


def _split_poisson(rng: np.random.Generator, rest: Array, share: float, left: float, _: Array) -> Any:
    return rng.binomial(rest.astype(np.int64), share).astype(np.float64)


def _split_negative(rng: np.random.Generator, rest: Array, share: float, left: float, size: Array) -> Any:
    # A beta-binomial part leaves two independent negative binomial numbers (Neufeld et al. 2024).
    chance = rng.beta(size * left * share, size * left * (1 - share))
    return rng.binomial(rest.astype(np.int64), chance).astype(np.float64)


def _split_binomial(rng: np.random.Generator, rest: Array, share: float, left: float, trials: Array) -> Any:
    total, taken = np.rint(trials * left), np.rint(trials * left * share)
    counts = [values.astype(np.int64) for values in (taken, total - taken, rest)]
    # Of the trials left the fold takes its part, and with it the successes among these.
    return rng.hypergeometric(*counts).astype(np.float64)


def _split_gamma(rng: np.random.Generator, rest: Array, share: float, left: float, shape: Array) -> Any:
    # A gamma number times such a beta number, and what is left of it, are independent gamma numbers.
    return rest * rng.beta(shape * left * share, shape * left * (1 - share))


FAMILIES = {
    "gaussian": Family("variance or covariance", False, None, _split_gaussian, lambda mean, known: known),
    "poisson": Family("", True, False, _split_poisson, lambda mean, _: mean),
    "negative_binomial": Family(
        "size", True, False, _split_negative, lambda mean, size: mean + mean**2 / size
    ),
    "binomial": Family(
        "number of trials", True, False, _split_binomial, lambda mean, trials: mean * (1 - mean / trials)
    ),
    "gamma": Family("shape", False, True, _split_gamma, lambda mean, shape: mean**2 / shape),
    "exponential": Family("", False, True, _split_gamma, lambda mean, _: mean**2),
}
"""The families by name."""
FAMILY_NAMES = names(*FAMILIES)


def thin(
    X: ArrayLike,
    family: str,
    epsilon: float | Sequence[float] | None = None,
    folds: int = 2,
    *,
    parameter: ArrayLike | None = None,
    random_state: Any = None,
) -> NDArray[np.float64]:
    r"""Split data into folds that add up to them and are independent of one another (data thinning).

    Every entry is split on its own at random, so that every fold has all rows and all features, with less
    information on each. If the entries are from the family with the parameter given, the folds are
    independent, and fold m has the distribution of the family with its share :math:`\epsilon_m` of the mean:

    ================== ==================================== =============================================
    family             distribution of an entry             of fold m
    ================== ==================================== =============================================
    gaussian           N(mu, Sigma), rows for a matrix      N(eps mu, eps Sigma)
    poisson            Poisson(lambda)                      Poisson(eps lambda)
    negative_binomial  NegativeBinomial(size r, chance q)   NegativeBinomial(eps r, q)
    binomial           Binomial(trials N, chance q)         Binomial(eps N, q)
    gamma              Gamma(shape a, rate b)               Gamma(eps a, b)
    exponential        Exponential(rate b)                  Gamma(eps, b)
    ================== ==================================== =============================================

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data. NaN stay missing in all folds. Never changed.
    family : {"gaussian", "poisson", "negative_binomial", "binomial", "gamma", "exponential"}
        Distribution of the entries around means of their own.
    epsilon : float, sequence of floats or None, default=None
        Shares of the folds, dimensionless, each in (0, 1), with sum 1. One number is the share of the first
        of two folds. None gives all folds the same share.
    folds : int, default=2
        Number of folds, at least 2.
    parameter : float or array-like, default=None
        What must be known of the family: the variance for "gaussian", squared units of X; the size r, the
        number of trials N, the shape a, dimensionless. One number, one for each feature (n_features,), or one
        for each entry (n_samples, n_features). For "gaussian" also a matrix (n_features, n_features), the
        covariance of a row; where n_samples equals n_features a matrix is taken for it. "poisson" and
        "exponential" have none.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    ndarray of shape (folds, n_samples, n_features), float64
        The folds, in the units of X. Their sum is X, for whole numbers exactly.

    Raises
    ------
    ValueError
        For a parameter that is missing, not needed, not positive or of a wrong shape, for data that the
        family cannot have, and for shares that do not add up to 1 or split trials into parts of trials.
    TypeError
        For data that are not dense numbers.

    See Also
    --------
    sparsek.rcompat.datathin : R's data thinning.
    ThinnedSearch : Choose parameters by data thinning.

    Notes
    -----
    A parameter that is wrong makes the folds dependent. For "gaussian" with a variance v in place of the true
    one s, two folds have the covariance eps_1 eps_2 (s - v). It is positive where the noise is
    underestimated: there, what was fitted to the noise of one fold looks good on the other.

    The same draws as R's datathin under a seed: :func:`sparsek.rcompat.datathin`.

    References
    ----------
    Neufeld, A., Dharamshi, A., Gao, L. L. and Witten, D. (2024). Data thinning for convolution-closed
    distributions. JMLR 25(57), 1-35.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import thin
    >>> X = np.random.default_rng(0).poisson(8, size=(5000, 2))
    >>> train, test = thin(X, "poisson", 0.75, random_state=0)
    >>> bool((train + test == X).all()), round(float(train.mean()), 1), round(float(test.mean()), 1)
    (True, 6.0, 2.0)
    >>> bool(abs(np.corrcoef(train[:, 0], test[:, 0])[0, 1]) < 0.03)
    True
    """
    constraints = {"family": [FAMILY_NAMES], "folds": [count(2)], "random_state": SEED}
    check_arguments("thin", constraints, family=family, folds=folds, random_state=random_state)
    data = check_array(
        require_array(X, holes=True), dtype=np.float64, ensure_all_finite="allow-nan", input_name="X"
    )
    shares = fold_shares(epsilon, folds)
    check_domain(data, family)
    known = known_parameter(parameter, family, data.shape)
    check_trials(data, known, family, shares)
    entropy = int(check_random_state(random_state).randint(2**31 - 1))
    return split_folds(data, family, shares, known, np.random.default_rng(entropy))


def fold_shares(epsilon: float | Sequence[float] | None, folds: int) -> Array:
    """The shares of the folds, each in (0, 1), with sum 1."""
    if epsilon is None:
        return np.full(folds, 1 / folds)
    given = as_array(epsilon, "epsilon")
    if given.dtype.kind not in "iuf":
        raise TypeError(f"epsilon must be a number, or a sequence of numbers; got {epsilon!r}")
    shares = np.array([given, 1 - given], dtype=np.float64) if given.ndim == 0 else given.astype(np.float64)
    if shares.shape != (folds,):
        raise ValueError(
            f"epsilon={epsilon!r} is not one share for each of folds={folds}; give {folds} numbers, or None "
            "for equal shares"
        )
    if not ((shares > 0) & (shares < 1)).all() or abs(shares.sum() - 1) > SUM_ROUNDING:
        raise ValueError(f"the shares epsilon must be in (0, 1) and add up to 1; got {shares.tolist()}")
    return shares


def check_domain(X: Array, family: str) -> None:
    """Raise for entries that the family cannot have."""
    kind = FAMILIES[family]
    if kind.positive is None:
        return
    wrong = X <= 0 if kind.positive else X < 0
    if kind.whole:
        wrong |= ~(np.isnan(X) | ((np.floor(X) == X) & (X <= MOST_COUNTS)))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        what = "positive numbers" if kind.positive else "whole numbers from 0 to 2^53"
        raise ValueError(
            f"family={family!r} has {what} only; got {X[row, column]:g} in row {row}, column {column}: "
            "give another family, or leave these rows or columns out"
        )


def known_parameter(parameter: ArrayLike | None, family: str, shape: tuple[int, ...]) -> Array:
    """The parameter as an array that broadcasts with X, or a covariance matrix."""
    what = FAMILIES[family].parameter
    if not what:
        if parameter is not None:
            raise ValueError(f"family={family!r} has no parameter; got parameter={parameter!r}")
        return np.ones(1)
    if parameter is None:
        raise ValueError(f"family={family!r} needs parameter, its {what}: thinning takes it as known")
    known = np.asarray(parameter)
    if known.dtype.kind not in "iuf":
        raise TypeError(f"parameter must hold numbers; got {parameter!r}")
    known = known.astype(np.float64)
    p = shape[1]
    if family == "gaussian" and known.shape == (p, p) and p > 1:
        check_covariance(known)
        return known
    if known.shape not in ((), (p,), shape):
        raise ValueError(
            f"parameter must be one number, or have shape ({p},) or {tuple(shape)}; got shape {known.shape}"
        )
    if not (np.isfinite(known) & (known > 0)).all():
        raise ValueError(f"the {what} must be positive and finite; got {known.min():g}")
    return known


def check_covariance(covariance: Array) -> None:
    """Raise unless a matrix is finite, symmetric and positive semidefinite."""
    largest = np.abs(covariance).max()
    if not np.isfinite(largest) or np.abs(covariance - covariance.T).max() > SYMMETRY_ROUNDING * largest:
        raise ValueError("the covariance matrix must be finite and symmetric")
    lowest = np.linalg.eigvalsh(covariance)[0]
    if lowest < -SYMMETRY_ROUNDING * largest:
        raise ValueError(f"the covariance matrix must have no negative eigenvalue; got {lowest:g}")


def check_trials(X: Array, trials: Array, family: str, shares: Array) -> None:
    """Raise where binomial counts exceed the trials, or a fold would have a part of a trial."""
    if family != "binomial":
        return
    too_many = np.argwhere(trials < X)
    if len(too_many):
        row, column = too_many[0]
        raise ValueError(
            f"{X[row, column]:g} in row {row}, column {column} is above the number of trials; give more"
        )
    parts = np.multiply.outer(shares, trials)
    if (np.abs(parts - np.rint(parts)) > SUM_ROUNDING * (1 + parts)).any() or (np.rint(parts) < 1).any():
        raise ValueError(
            f"each fold needs a whole number of trials; shares {shares.tolist()} of the numbers of trials "
            f"give {parts.flat[np.argmax(np.abs(parts - np.rint(parts)))]:g}: choose other shares"
        )
    if trials.max() >= MOST_TRIALS:
        raise ValueError(f"the number of trials must be below {MOST_TRIALS}; got {trials.max():g}")


def split_folds(
    X: Array, family: str, shares: Array, parameter: Array, rng: np.random.Generator
) -> NDArray[np.float64]:
    """The folds of checked data; each fold is split off from what those before it left."""
    split, rows, known = FAMILIES[family].split, X, parameter
    if family == "gaussian" and is_covariance(parameter, X.shape):
        split = _split_rows
    else:
        observed = ~np.isnan(X)
        rows, known = X[observed], np.broadcast_to(parameter, X.shape)[observed]
    found = np.empty((len(shares), *rows.shape))
    rest = rows
    for number, share in enumerate(shares[:-1]):
        left = float(shares[number:].sum())
        # Shares are of what the folds before have left, so that each fold gets its share of the whole.
        found[number] = split(rng, rest, share / left, left, known)
        rest = rest - found[number]
    found[-1] = rest
    if rows is X:
        return found
    folds = np.full((len(shares), *X.shape), np.nan)
    folds[:, observed] = found
    return folds


def is_covariance(parameter: Array, shape: tuple[int, ...]) -> bool:
    """Whether the parameter is the covariance matrix of a row, not a number for each entry or feature."""
    return parameter.shape == (shape[1], shape[1]) and shape[1] > 1


def _split_rows(rng: np.random.Generator, rest: Array, share: float, left: float, covariance: Array) -> Any:
    """The next fold of Gaussian rows with a common covariance."""
    values, vectors = np.linalg.eigh(covariance)
    # Rounding may bring eigenvalues of a singular covariance matrix below 0.
    root = vectors * np.sqrt(np.maximum(values, 0))
    noise = rng.standard_normal(rest.shape) @ root.T
    return share * rest + np.sqrt(share * (1 - share) * left) * noise


def entry_variances(X: Array, family: str, parameter: Array) -> Array:
    """Variance of an entry of each feature at its overall mean: (n_features,)."""
    if family == "gaussian" and is_covariance(parameter, X.shape):
        return np.diag(parameter).copy()
    means = np.nanmean(X, axis=0)
    known = np.broadcast_to(parameter, X.shape).mean(axis=0)
    found: Array = np.asarray(FAMILIES[family].variance(means, known), dtype=np.float64)
    return found
