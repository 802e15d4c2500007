"""R's ``eigen`` for symmetric matrices."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.lapack.symmetric_eigen import (
    symmetric_eigen,
    symmetric_eigenvalues,
    warn_unsettled,
)
from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.errors import RError
from sparsek.rcompat.base.data import RList, as_flag, as_matrix

SYMMETRY = 100 * 2.0**-52
"""Mean relative difference below which R takes a matrix for symmetric."""


class EigenResult(RList):
    """Result of R's ``eigen``, printed as R prints it."""

    def __str__(self) -> str:
        return f"eigen() decomposition\n{super().__str__()}"


def eigen(
    x: ArrayLike, symmetric: bool | None = None, only_values: bool = False, EISPACK: bool = False
) -> RList:
    """Eigenvalues and eigenvectors of a symmetric matrix, as R's ``eigen``.

    Signs and bits are those of R with the reference BLAS, whose order of additions is repeated.

    Parameters
    ----------
    x : array_like or data frame of shape (n, n)
        Finite numbers.
    symmetric : bool, optional
        True: use the lower triangle. By default x must be symmetric up to rounding.
    only_values : bool, default=False
        Whether to leave out the vectors. R then computes the values in another way.
    EISPACK : bool, default=False
        Not used, as in R.

    Returns
    -------
    RList
        ``values`` (n,), decreasing, in the unit of x, and ``vectors`` (n, n), in columns of length 1,
        dimensionless; None if only the values are wanted.

    Raises
    ------
    RError
        With R's message: x is not square, or not finite.
    ValueError
        x is not symmetric: R's other algorithm is not carried over.
    TypeError
        For anything but real numbers.

    Warns
    -----
    BlasDependentWarning
        Where rounding decides on the sign or direction of a vector: R with another BLAS may have another one.

    See Also
    --------
    svd : R's singular values and vectors.

    Notes
    -----
    R's algorithm for symmetric matrices is the MRRR algorithm, which sets the sign of a vector by an entry
    that rounding chooses among the large ones. So the warning comes often, also where eigenvalues are far
    apart.

    References
    ----------
    Dhillon, I. S. & Parlett, B. N. (2004). Multiple representations to compute orthogonal eigenvectors of
    symmetric tridiagonal matrices. Linear Algebra and its Applications 387, 1-28.

    Examples
    --------
    >>> from sparsek.rcompat import eigen
    >>> eigen([[2, 0], [0, 1]]).values
    array([2., 1.])
    """
    a = as_matrix(x).values
    if a.shape[0] != a.shape[1]:
        raise RError("non-square matrix in 'eigen'", f"x has shape {a.shape}")
    if not np.isfinite(a).all():
        raise RError("infinite or missing values in 'x'", "drop or impute them")
    if not (_is_symmetric(a) if symmetric is None else as_flag(symmetric, "symmetric")):
        raise ValueError(
            "x must be symmetric: eigen of other matrices is not carried over; give symmetric=True to use "
            "the lower triangle, or take scipy.linalg.eig"
        )
    if as_flag(only_values, "only_values"):
        return RList({"values": symmetric_eigenvalues(a), "vectors": None})
    found = symmetric_eigen(a)
    warn_unsettled(found.unsettled, len(a), "eigenvectors")
    return EigenResult({"values": found.values, "vectors": found.vectors})


def _is_symmetric(a: FloatArray) -> bool:
    """Whether the entries that differ from those across the diagonal do so only in rounding."""
    other = a != a.T
    return not other.any() or bool(np.abs(a - a.T)[other].sum() < SYMMETRY * np.abs(a)[other].sum())
