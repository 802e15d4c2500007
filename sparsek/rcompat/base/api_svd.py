"""R's ``svd``."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.lapack.singular_values import singular_values, singular_vectors
from sparsek.bits.lapack.symmetric_eigen import warn_unsettled
from sparsek.errors import RError
from sparsek.rcompat.base.data import RList, as_matrix, as_number


def svd(x: ArrayLike, nu: float | None = None, nv: float | None = None, LINPACK: bool = False) -> RList:
    """Singular values and vectors, as R's ``svd``.

    Order, signs and bits are those of R with the reference BLAS, whose order of additions is repeated. Where
    x has more than 128 rows and more than 128 columns, the last digits may differ.

    Parameters
    ----------
    x : array_like or data frame of shape (n, p)
        Finite numbers.
    nu, nv : float, optional
        How many left and right vectors to give, at most n and p; by default the smaller of n and p.
    LINPACK : bool, default=False
        Not used, as in R.

    Returns
    -------
    RList
        ``d``, singular values, decreasing, in the unit of x, shape (min(n, p),); ``u`` (n, nu) and ``v``
        (p, nv), vectors in columns of length 1, dimensionless. A field of which none is wanted is left out.

    Raises
    ------
    RError
        With R's message: x is not finite, `nu` or `nv` is missing or negative.
    TypeError, ValueError
        For anything but real numbers; x is empty.

    Warns
    -----
    BlasDependentWarning
        Where rounding decides on the sign or direction of a vector, as for singular values that are equal or
        0 up to rounding: R with another BLAS may have another one.

    See Also
    --------
    prcomp : R's principal components.
    eigen : R's eigenvalues and eigenvectors.

    References
    ----------
    Demmel, J. & Kahan, W. (1990). Accurate singular values of bidiagonal matrices. SIAM Journal on Scientific
    and Statistical Computing 11, 873-912.

    Examples
    --------
    >>> from sparsek.rcompat import svd
    >>> svd([[3, 0], [0, 4]], nu=0)
    $d
    [1] 4 3
    <BLANKLINE>
    $v
         [,1] [,2]
    [1,]    0    1
    [2,]    1    0
    <BLANKLINE>
    """
    a = as_matrix(x).values
    if not np.isfinite(a).all():
        raise RError("infinite or missing values in 'x'", "drop or impute them")
    k = min(a.shape)
    left, right = _number(nu, "nu", k), _number(nv, "nv", k)
    if left == 0 and right == 0:
        return RList({"d": singular_values(a)})
    found = singular_vectors(a, full=left > k or right > k)
    wanted = max(math.floor(left), math.floor(right))
    warn_unsettled(found.unsettled[found.unsettled < wanted], k, "pairs of singular vectors")
    fields = {"d": found.values}
    if left:
        fields["u"] = found.left[:, : int(left)].copy()
    if right:
        fields["v"] = found.right[: int(right)].T.copy()
    return RList(fields)


def _number(value: float | None, name: str, default: int) -> float:
    """A number of vectors."""
    number = float(default) if value is None else as_number(value, name)
    if math.isnan(number):
        raise RError("missing value where TRUE/FALSE needed", f"{name} must be a number")
    if number <= -1:
        message = "argument must be coercible to non-negative integer"
        raise RError(message, f"{name} must be at least 0; got {number:g}")
    if math.isinf(number):
        raise RError("invalid 'ncol' value (too large or NA)", f"{name} must be finite; got {number:g}")
    return number
