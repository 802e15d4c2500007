"""R's ``datathin::datathin``."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.ordered_arithmetic import FloatArray, long_sum
from sparsek.errors import RError, RWarning
from sparsek.rcompat.base.data import as_number, as_numeric_matrix, as_vector
from sparsek.rcompat.datathin_package.thinning import THINNINGS
from sparsek.rng import RRandom, resolve_rng

WITHOUT_PARAMETER = ("poisson", "exponential", "chi-squared", "scaled-uniform")
WITH_SHARES = (
    "poisson", "negative binomial", "binomial", "multinomial", "normal", "gaussian", "mvnormal", "mvgaussian",
    "exponential", "gamma",
)  # fmt: skip
"""Families that take `epsilon`; the others have K equal folds."""
ROWS = ("mvnormal", "mvgaussian")
MOST_FOLDS = 10**6


def datathin(
    data: ArrayLike,
    family: str,
    K: float = 2,
    epsilon: ArrayLike | None = None,
    arg: Any = None,
    *,
    rng: RRandom | None = None,
) -> FloatArray:
    """Split data into independent folds, as R's ``datathin::datathin``.

    Parameters
    ----------
    data : array_like of shape (n, p)
        Data; a vector is one column.
    family : str
        "poisson", "negative binomial", "binomial", "multinomial" (counts of a row), "normal" or "gaussian",
        "normal-variance" or "gaussian-variance", "mvnormal" or "mvgaussian", "exponential", "gamma",
        "chi-squared", "gamma-weibull", "weibull", "pareto", "shifted-exponential", "scaled-uniform" or
        "scaled-beta".
    K : int, default=2
        Number of folds; with `epsilon` its length counts.
    epsilon : array_like of shape (K,), optional
        Shares of the folds, dimensionless, with sum 1; default equal ones. For "poisson", "negative
        binomial", "binomial", "multinomial", "normal", "mvnormal", "exponential" and "gamma".
    arg : float or array_like, optional
        What must be known, one number or one for each entry: the size for "negative binomial", the number of
        trials for "binomial" and, of each row, for "multinomial", the variance for "normal", the mean for
        "normal-variance", a covariance (p, p) or one for each row (n, p, p) for "mvnormal", the shape for
        "gamma", "gamma-weibull" and "weibull", the location for "pareto", the rate for "shifted-exponential",
        the first parameter for "scaled-beta".
    rng : RRandom, optional

    Returns
    -------
    ndarray of shape (n, p, K)
        The folds.

    Raises
    ------
    RError
        With R's message: an extra parameter that is missing, not numeric or of wrong dimensions, shares that
        do not sum to 1. With the text that R prints before it returns NULL: an unknown family, data that the
        family cannot have.
    ValueError
        A missing or infinite number of trials for "binomial".

    Warns
    -----
    RWarning
        An extra parameter, or K, that is not used. "NAs produced", for "binomial" and "multinomial": trials
        of a fold that are not a whole number, an entry above its trials, or a row below its.

    See Also
    --------
    sparsek.thin : Split data into independent folds.

    Notes
    -----
    Draws are R's; for "normal" and "mvnormal" they are multiplied by a matrix root from LAPACK's
    eigenvectors. The covariance of the folds of a "normal" entry is singular, so that its root is known to
    about 8 digits only, in R too.

    References
    ----------
    Neufeld, A., Dharamshi, A., Gao, L. L. and Witten, D. (2024). Data thinning for convolution-closed
    distributions. JMLR 25(57), 1-35.

    Dharamshi, A., Neufeld, A., Motwani, K., Gao, L. L., Witten, D. and Bien, J. (2025). Generalized data
    thinning using sufficient statistics. Journal of the American Statistical Association 120, 511-523.

    Examples
    --------
    >>> from sparsek import rcompat
    >>> from sparsek.rng import RRandom
    >>> folds = rcompat.datathin([[3, 5], [4, 6]], "poisson", rng=RRandom(1))
    >>> folds[:, :, 0].tolist(), folds[:, :, 1].tolist()
    ([[1.0, 3.0], [2.0, 5.0]], [[2.0, 2.0], [2.0, 1.0]])
    """
    values = np.asarray(as_numeric_matrix(data).values, dtype=np.float64)
    if not isinstance(family, str):
        raise TypeError(f"family must be a text; got {family!r}")
    known = _known(arg, family, values.shape)
    shares = _shares(K, epsilon, family)
    if family not in THINNINGS:
        raise RError("Invalid family argument", f"give one of {', '.join(THINNINGS)}; got {family!r}")
    return THINNINGS[family](values, shares, known, resolve_rng(rng))


def _known(arg: Any, family: str, shape: tuple[int, ...]) -> FloatArray:
    """The extra parameter with the shape of the data, or a covariance; ones where there is none."""
    if family in WITHOUT_PARAMETER:
        if arg is not None:
            message = f"Extra parameter provided was not used in {family} thinning."
            warnings.warn(message, RWarning, stacklevel=4)
        return np.ones(shape)
    if arg is None:
        raise RError("Extra parameter missing.", f"give arg, which family {family!r} needs")
    given = np.asarray(arg)
    if given.dtype.kind not in "iuf":
        raise RError("Non-numeric parameter provided.", f"give numbers; got {arg!r}")
    if not given.size:
        raise ValueError(f"arg is empty; give one number, or those that family {family!r} needs")
    given = given.astype(np.float64)
    if family in ROWS:
        n, p = shape
        if given.shape not in ((p, p), (n, p, p)):
            raise RError(
                "Incorrect dimensions for multivariate normal covariance matrices.",
                f"give shape {(p, p)} or {(n, p, p)}; got {given.shape}",
            )
        return given
    if family == "multinomial":
        return _trials(given, shape[0])
    if family == "binomial" and not np.isfinite(given).all():
        raise ValueError(f"arg, the number of trials, must be finite; got {arg!r}")
    if given.size > 1 and (given[:, None] if given.ndim == 1 else given).shape != shape:
        raise RError(
            "If `arg` is not a scalar, its dimensions must match those of `data`.",
            f"give one number or shape {shape}; got {given.shape}",
        )
    return np.full(shape, given.item()) if given.size == 1 else given.reshape(shape)


def _trials(given: FloatArray, n: int) -> FloatArray:
    """The number of trials of each row."""
    if given.size not in (1, n):
        message = "Incorrect dimensions for multinomial trials parameter."
        raise RError(message, f"give one number or one for each of {n} rows; got shape {given.shape}")
    return np.broadcast_to(given.ravel(), n)


def _shares(K: float, epsilon: ArrayLike | None, family: str) -> FloatArray:
    """The shares of the folds."""
    wanted = as_number(K, "K")
    if not 2 <= wanted <= MOST_FOLDS:
        raise RError("invalid number of folds", f"give K from 2 to {MOST_FOLDS}; got {K!r}")
    n_folds = int(wanted)
    if epsilon is None or family not in WITH_SHARES:
        return np.full(n_folds, 1 / n_folds)
    shares = as_vector(epsilon, "epsilon")
    if long_sum(shares) != 1:
        raise RError("Epsilon does not sum to 1.", f"give shares with sum 1; got {long_sum(shares)!r}")
    if len(shares) != n_folds:
        message = "K parameter will be ignored in favour of the length of epsilon."
        warnings.warn(message, RWarning, stacklevel=4)
    return shares
