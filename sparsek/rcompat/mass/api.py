"""R's ``MASS::mvrnorm``."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.lapack.reflectors import ordered_product
from sparsek.bits.lapack.singular_values import singular_vectors
from sparsek.bits.lapack.symmetric_eigen import symmetric_eigen, warn_unsettled
from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.errors import RError
from sparsek.rcompat.base.api_scale import scale
from sparsek.rcompat.base.arrays import RArray, dimnames_of, names_of
from sparsek.rcompat.base.data import as_flag, as_matrix, as_number, as_vector
from sparsek.rcompat.base.normal_vectors import number_of_draws
from sparsek.rng import RRandom, resolve_rng


def mvrnorm(
    n: float = 1,
    mu: ArrayLike | None = None,
    Sigma: ArrayLike | None = None,
    tol: float = 1e-6,
    empirical: bool = False,
    EISPACK: bool = False,
    *,
    rng: RRandom | None = None,
) -> RArray:
    """Draw normal vectors with given mean and covariances, as R's ``MASS::mvrnorm``.

    Parameters
    ----------
    n : float, default=1
        How many.
    mu : array_like of shape (p,)
        Mean.
    Sigma : array_like or data frame of shape (p, p)
        Covariances; only the lower triangle is used.
    tol : float, default=1e-6
        How far below 0 an eigenvalue may be, relative to the largest one, dimensionless.
    empirical : bool, default=False
        Whether mu and Sigma are the mean and the covariances of the vectors drawn, divisor n - 1, instead of
        those of their distribution.
    EISPACK : bool, default=False
        Only False, as in R.
    rng : RRandom, optional

    Returns
    -------
    RArray of shape (n, p)
        The vectors in rows, in the unit of mu, with the names of mu or else of the rows of Sigma; of shape
        (p,) for one.

    Raises
    ------
    RError
        With R's message: mu and Sigma do not go together, Sigma is not finite or not positive definite, n is
        below 1, or below p where `empirical`.
    ValueError
        mu or Sigma is missing, n is no whole number, `EISPACK`.
    TypeError
        For anything but real numbers.

    Warns
    -----
    BlasDependentWarning
        Where rounding decides on the signs of eigenvectors of Sigma, or of the principal axes of the draws
        where `empirical`: R with another BLAS than the reference BLAS then draws other numbers.

    See Also
    --------
    rmvnorm : R's ``mvtnorm::rmvnorm``.

    Notes
    -----
    Numbers are those of R with the reference BLAS. With `empirical` and more than 128 columns, the last
    digits may differ.

    Examples
    --------
    >>> from sparsek.rcompat import mvrnorm, set_seed
    >>> set_seed(1)
    >>> mvrnorm(2, [0, 0], [[4, 0], [0, 1]]).round(3)
    array([[ 1.253,  0.836],
           [-0.367, -1.595]])
    """
    if mu is None or Sigma is None:
        raise ValueError("mu and Sigma must be given, as in R")
    if as_flag(EISPACK, "EISPACK"):
        raise ValueError("EISPACK=True is not carried over: leave it out")
    exact = as_flag(empirical, "empirical")
    center, data = as_vector(mu, "mu"), as_matrix(Sigma, "Sigma")
    p = len(center)
    if data.values.shape != (p, p):
        raise RError("incompatible arguments", f"mu has {p} entries and Sigma shape {data.values.shape}")
    if not np.isfinite(data.values).all():
        raise RError("infinite or missing values in 'x'", "Sigma must be finite")
    found = symmetric_eigen(data.values)
    if not (found.values >= -as_number(tol, "tol") * abs(found.values[0])).all():
        raise RError("'Sigma' is not positive definite", f"its smallest eigenvalue is {found.values[-1]:g}")
    if exact and as_number(n, "n") == 0:
        raise RError("a dimension is zero", "n must be at least 1; got 0")
    count = number_of_draws(n, p)
    warn_unsettled(found.unsettled, p, "eigenvectors")
    z = resolve_rng(rng).rnorm(count * p).reshape(p, count)
    if exact:
        z = _with_exact_moments(z)
    root = found.vectors * np.sqrt(np.maximum(found.values, 0))
    x = (center[:, None] + ordered_product(root, z)).T
    names = names_of(mu) or data.row_names
    return RArray(x[0], names=names) if count == 1 else RArray(x, dimnames=dimnames_of(None, names))


def _with_exact_moments(z: FloatArray) -> FloatArray:
    """Vectors in columns (p, n) along their principal axes, with means 0, variances 1, correlations 0."""
    p, n = z.shape
    if n < p:
        raise RError("non-conformable arguments", f"empirical=True needs n of at least {p}; got {n}")
    centred = np.asarray(scale(z.T, True, False))
    found = singular_vectors(centred)
    warn_unsettled(found.unsettled, p, "axes", stacklevel=4)
    return np.asarray(scale(ordered_product(centred, found.right.T), False, True)).T
