"""R's ``mvtnorm::rmvnorm``."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.lapack.reflectors import ordered_product
from sparsek.bits.lapack.symmetric_eigen import symmetric_eigen
from sparsek.errors import RError, RWarning
from sparsek.rcompat.base.arrays import RArray, dimnames_of, names_of
from sparsek.rcompat.base.data import as_matrix, as_vector
from sparsek.rcompat.base.normal_vectors import number_of_draws
from sparsek.rng import RRandom, resolve_rng


def rmvnorm(
    n: float,
    mean: ArrayLike | None = None,
    sigma: ArrayLike | None = None,
    method: str = "eigen",
    *,
    rng: RRandom | None = None,
) -> RArray:
    """Draw normal vectors with given mean and covariances, as R's ``mvtnorm::rmvnorm``.

    The draws do not depend on the signs of eigenvectors, as those of `mvrnorm` do.

    Parameters
    ----------
    n : float
        How many.
    mean : array_like of shape (p,), optional
        Mean; 0 by default.
    sigma : array_like or data frame of shape (p, p), optional
        Covariances; by default the identity matrix.
    method : {"eigen"}, default="eigen"
        How the root of sigma is computed; R's other methods are not carried over.
    rng : RRandom, optional

    Returns
    -------
    RArray of shape (n, p)
        The vectors in rows, in the unit of the mean, with the names of the mean.

    Raises
    ------
    RError
        With R's message: mean and sigma do not fit, mean is empty, sigma is not symmetric, n is below 1.
    ValueError
        Neither mean nor sigma is given, n is no whole number, another method, values that are not finite.
    TypeError
        For anything but real numbers.

    Warns
    -----
    RWarning
        "sigma is numerically not positive semidefinite".

    See Also
    --------
    mvrnorm : R's ``MASS::mvrnorm``.

    Examples
    --------
    >>> from sparsek.rcompat import rmvnorm, set_seed
    >>> set_seed(1)
    >>> rmvnorm(2, [0, 10], [[4, 0], [0, 1]]).round(3)
    array([[-1.253, 10.184],
           [-1.671, 11.595]])
    """
    if method != "eigen":
        raise ValueError(f'method must be "eigen"; got {method!r}')
    if mean is None and sigma is None:
        raise ValueError("give mean or sigma, from which the number of columns is taken")
    spread = np.eye(len(as_vector(mean, "mean"))) if sigma is None else as_matrix(sigma, "sigma").values
    center = np.zeros(len(spread)) if mean is None else as_vector(mean, "mean")
    if not np.isfinite(spread).all():
        raise ValueError("sigma must be finite")
    if spread.shape[0] != spread.shape[1] or (np.abs(spread - spread.T) > 1e-8 * np.abs(spread)).any():
        raise RError("sigma must be a symmetric matrix", "give the covariances on both sides of the diagonal")
    p = len(spread)
    if len(center) != p:
        raise RError("mean and sigma have non-conforming size", f"{len(center)} entries and {p} columns")
    if p == 0:
        raise RError("0 x 0 matrix", "mean is empty: at least one number needed")
    count = number_of_draws(n, p)
    found = symmetric_eigen(spread)
    if not (found.values >= -(2.0**-26) * abs(found.values[0])).all():
        warnings.warn("sigma is numerically not positive semidefinite", RWarning, stacklevel=2)
    root = ordered_product(found.vectors, found.vectors.T * np.sqrt(np.maximum(found.values, 0))[:, None]).T
    x = ordered_product(resolve_rng(rng).rnorm(count * p).reshape(count, p), root) + center
    return RArray(x, dimnames=dimnames_of(None, names_of(mean)))
