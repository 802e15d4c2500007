"""R's ``prcomp``: principal components, printed and summarised as R does."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.lapack.reflectors import ordered_product
from sparsek.bits.lapack.singular_values import singular_vectors
from sparsek.bits.lapack.symmetric_eigen import warn_unsettled
from sparsek.bits.ordered_arithmetic import FloatArray, long_running_sums, long_sum
from sparsek.errors import RError
from sparsek.inputs.containers import as_array
from sparsek.rcompat.base.api_scale import scale
from sparsek.rcompat.base.arrays import RArray, dimnames_of
from sparsek.rcompat.base.data import RList, as_flag, as_matrix, as_number
from sparsek.rcompat.base.printing import (
    format_column,
    format_columns,
    format_matrix,
    format_vector,
    row_numbers,
)
from sparsek.rcompat.base.values.rounding import round_half

ROUNDED = 5
"""Decimals of the shares of variance in a summary."""
SUMMARY_DIGITS = 4
"""Significant digits of a printed summary."""
ROWS = ["Standard deviation", "Proportion of Variance", "Cumulative Proportion"]
"""Rows of the importance of components."""


class Prcomp(RList):
    """Result of R's ``prcomp``, printed as R prints it."""

    r_class = ("prcomp",)

    def __str__(self) -> str:
        rotation = self["rotation"]
        rows, axes = rotation.attributes["dimnames"]
        p, k = rotation.shape
        return "\n".join(
            [
                f"Standard deviations (1, .., p={len(self['sdev'])}):",
                format_vector(format_column(self["sdev"])),
                "",
                f"Rotation (n x k) = ({p} x {k}):",
                format_matrix(np.asarray(rotation), rows or row_numbers(p), axes),
            ]
        )

    def summary(self) -> PrcompSummary:
        """Shares of the variance by component, as R's ``summary``.

        >>> from sparsek.rcompat import prcomp
        >>> prcomp([[1, 2], [2, 1], [4, 4]]).summary()
        Importance of components:
                                  PC1    PC2
        Standard deviation     2.0412 0.7071
        Proportion of Variance 0.8929 0.1071
        Cumulative Proportion  0.8929 1.0000
        """
        sdev = np.asarray(self["sdev"])
        with np.errstate(invalid="ignore"):
            shares = sdev**2 / long_sum(sdev**2)
        rows = [sdev, round_half(shares, ROUNDED), round_half(long_running_sums(shares), ROUNDED)]
        axes = self["rotation"].attributes["dimnames"][1]
        names = axes + [""] * (len(sdev) - len(axes))
        return PrcompSummary({**self, "importance": RArray(rows, dimnames=(ROWS, names))})


class PrcompSummary(RList):
    """Summary of the result of ``prcomp``, printed as R prints it."""

    def __str__(self) -> str:
        names = self["rotation"].attributes["dimnames"][1]
        k, of = len(names), len(self["sdev"])
        shown = [format_column(column, SUMMARY_DIGITS) for column in np.asarray(self["importance"]).T[:k]]
        cells = [[column[i].replace("NA", "NaN") for column in shown] for i in range(len(ROWS))]
        head = "components" if k == of else f"first k={k} (out of {of}) components"
        return f"Importance of {head}:\n{format_columns(cells, ROWS, names)}"


def prcomp(
    x: ArrayLike,
    retx: bool = True,
    center: Any = True,
    scale_: Any = False,
    tol: float | None = None,
    rank_: float | None = None,
) -> Prcomp:
    """Principal components of the columns of a matrix, as R's ``prcomp``.

    Order, signs and bits are those of R with the reference BLAS. Where x has more than 128 rows and more
    than 128 columns, the last digits may differ.

    Parameters
    ----------
    x : array_like or data frame of shape (n, p)
        Finite numbers.
    retx : bool, default=True
        Whether to give the data along the axes.
    center, scale_ : bool or array_like of shape (p,), default=True and False
        As of `scale`; R's ``scale.``.
    tol : float, optional
        Keep only axes whose standard deviation is larger than `tol` times the first one. Dimensionless.
    rank_ : float, optional
        Keep at most so many axes; R's ``rank.``.

    Returns
    -------
    Prcomp
        ``sdev`` (min(n, p),), standard deviations along all axes; ``rotation`` (p, k), the axes in columns,
        dimensionless; ``center`` and ``scale``, what `scale` took, shape (p,) or False; if `retx`, also ``x``
        (n, k), the data along the axes. Its method ``summary()`` is R's ``summary``.

    Raises
    ------
    RError
        With R's message: values that are not finite, a column without spread that is to be scaled, `rank_`
        below 1, no axis above `tol`, `center` or `scale_` of another length than x has columns.
    TypeError, ValueError
        For anything but real numbers; x is empty.

    Warns
    -----
    BlasDependentWarning
        Where rounding decides on the sign or direction of an axis, as of the last one where x has at most as
        many rows as columns: R with another BLAS may have another one.

    See Also
    --------
    svd : R's singular values and vectors.
    scale : Centre and scale the columns.

    Examples
    --------
    >>> from sparsek.rcompat import prcomp
    >>> prcomp([[1, 2], [2, 1], [4, 4]])
    Standard deviations (1, .., p=2):
    [1] 2.0412415 0.7071068
    <BLANKLINE>
    Rotation (n x k) = (2 x 2):
               PC1        PC2
    [1,] 0.7071068 -0.7071068
    [2,] 0.7071068  0.7071068
    """
    data = as_matrix(x)
    z = scale(x, center, scale_)
    taken = {name: z.attributes.get(f"scaled:{name}", False) for name in ("center", "scale")}
    _check_spread(np.asarray(taken["scale"], dtype=float), taken["scale"] is not False)
    values = np.asarray(z)
    most = min(values.shape) if rank_ is None else min(_rank(rank_), *values.shape)
    if not np.isfinite(values).all():
        raise RError("infinite or missing values in 'x'", "drop or impute them")
    found = singular_vectors(values)
    sdev = found.values / math.sqrt(max(1, len(values) - 1))
    k = most if tol is None else min(most, _above(sdev, as_number(tol, "tol")))
    warn_unsettled(found.unsettled[found.unsettled < k], k, "axes")
    axes = [f"PC{j + 1}" for j in range(k)]
    rotation = found.right[:k].T
    fields: Mapping[str, Any] = {
        "sdev": sdev,
        "rotation": RArray(rotation, dimnames=dimnames_of(data.column_names, axes)),
        **taken,
    }
    if as_flag(retx, "retx"):
        along = RArray(ordered_product(values, rotation), dimnames=dimnames_of(data.row_names, axes))
        fields = {**fields, "x": along}
    return Prcomp(fields)


def _check_spread(factors: FloatArray, scaled: bool) -> None:
    """Refuse columns that cannot be scaled."""
    if scaled and (factors == 0).any():
        column = int(np.flatnonzero(factors == 0)[0])
        raise RError(
            "cannot rescale a constant/zero column to unit variance",
            f"column {column}, counted from 0, has no spread: leave it out or take scale_=False",
        )
    if scaled and np.isnan(factors).any():
        raise RError("missing value where TRUE/FALSE needed", "scale_ holds a missing value")


def _rank(value: float) -> int:
    """The largest number of axes wanted."""
    if as_array(value, "rank_").size != 1:
        raise RError("length(rank.) == 1 is not TRUE", f"rank_ must be one number; got {value!r}")
    number = as_number(value, "rank_")
    if not math.isfinite(number):
        raise RError("is.finite(rank.) is not TRUE", f"rank_ must be a whole number from 1; got {number:g}")
    if number < 1:
        raise RError("as.integer(rank.) > 0 is not TRUE", f"rank_ must be at least 1; got {number:g}")
    return int(number)


def _above(sdev: FloatArray, tol: float) -> int:
    """How many standard deviations are above their limit."""
    if math.isnan(tol):
        raise RError("missing value where TRUE/FALSE needed", "tol must be a number")
    with np.errstate(invalid="ignore"):
        k = int((sdev > sdev[0] * tol).sum())
    if k == 0:
        message = "length of 'dimnames' [2] not equal to array extent"
        raise RError(message, f"no standard deviation is above tol times the first: tol = {tol:g}")
    return k
