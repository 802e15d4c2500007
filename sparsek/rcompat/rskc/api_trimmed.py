"""R's ``RSKC::RSKC.trimkmeans``: trimmed k-means with centres, given starts and a limit of passes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.errors import RError
from sparsek.inputs.containers import has_columns
from sparsek.rcompat.base.data import RList, as_matrix, as_number, shape_of
from sparsek.rcompat.rskc.algorithm import n_kept, trimmed_only
from sparsek.rcompat.rskc.api import n_starts, row_numbers, rskc_data
from sparsek.rng import RRandom, resolve_rng


def RSKC_trimkmeans(
    d: ArrayLike,
    ncl: float,
    trim: float,
    runs: float = 1,
    points: ArrayLike | None = math.inf,
    maxit: float | None = None,
    *,
    rng: RRandom | None = None,
) -> RList:
    """Trimmed k-means as R's ``RSKC::RSKC.trimkmeans``: the same answers under the same seed.

    Minimises the sum of the squared distances of the ``ceil((1 - trim) n)`` rows nearest to their centres.
    The other rows are trimmed.

    Parameters
    ----------
    d : array_like of shape (n, p)
        Data, in any unit. Rows with missing values (NaN) are trimmed first.
    ncl : float
        Number of clusters, at least 2 and at most n; fractions are cut off.
    trim : float
        Share of the rows to trim, in [0, 1], dimensionless.
    runs : float, default=1
        Number of starts; fractions are cut off.
    points : array_like of shape (ncl, p), default=inf
        Centres that every run starts from, in the unit of d. Where the first value is not finite, every run
        starts from random rows.
    maxit : float, optional
        Largest number of passes of a run, at least 2; fractions are cut off. Default 2 n.
    rng : RRandom, optional
        [stream]
        Given points draw nothing.

    Returns
    -------
    RList
        ``labels`` (n,), the nearest centre of every row from 1, of trimmed rows too; ``means`` (ncl, p), the
        centres; ``oW``, the trimmed rows from 1, "undefined" for none; ``WSS``, the trimmed sum of squares in
        squared units of d; ``classification`` (n,), the labels with ``ncl + 1`` for trimmed rows.

    Raises
    ------
    RError
        With R's message: a data frame, a negative or missing `trim`, None for `points`.
    ValueError
        Infinite or huge data, a vector, `ncl` below 2 or above n, `trim` above 1, `runs` below 1, `maxit`
        below 2, `points` of another shape or beyond their first value not finite, more rows with missing
        values than are trimmed, no run with a defined sum of squares: there R mostly crashes or returns
        uninitialised memory.
    TypeError
        Data or arguments that are not numbers.

    See Also
    --------
    RSKC : R's robust sparse k-means, bit for bit.

    Notes
    -----
    A missing value makes every distance of its row undefined; `RSKC` leaves the value out instead. Rows whose
    distance to the first centre is undefined have the label 1.

    References
    ----------
    Cuesta-Albertos, J. A., Gordaliza, A. & Matran, C. (1997). Trimmed k-means: an attempt to robustify
    quantizers. Annals of Statistics 25, 553-576.

    Examples
    --------
    >>> from sparsek.rcompat import RSKC_trimkmeans
    >>> x = [[1.0], [2.0], [3.0], [11.0], [12.0], [13.0], [90.0]]
    >>> fit = RSKC_trimkmeans(x, 2, 0.2, points=[[1.0], [11.0]])
    >>> fit.means.tolist()
    [[2.0], [12.0]]
    >>> fit.classification
    array([1, 1, 1, 2, 2, 2, 3])
    """
    if has_columns(d):
        message = "'list' object cannot be coerced to type 'double'"
        raise RError(message, "d is a data frame; give its numbers: np.asarray(d)")
    x = rskc_data(d).values
    clusters = as_number(ncl, "ncl")
    if not 2 <= clusters < len(x) + 1:
        raise ValueError(f"ncl must be from 2 to the number of rows, {len(x)}; got {clusters:g}")
    share = _share(trim, len(x))
    _check_missing(x, share)
    starts, limit = n_starts(runs, "runs"), 2 * len(x) if maxit is None else _passes(maxit)
    k = int(clusters)
    centers = _start(points, k, x.shape[1])
    options: dict[str, Any] = {"centers": centers, "max_iter": limit, "skip_missing": False}
    fit = trimmed_only(x, k, share, starts, resolve_rng(rng), **options)
    labels = fit.labels.astype(np.int64) + 1
    beyond = clusters + 1
    classification = labels.copy() if beyond == int(beyond) else labels.astype(float)
    classification[fit.trimmed] = beyond
    fields: dict[str, Any] = {"labels": labels, "means": fit.centers, "oW": row_numbers(fit.trimmed)}
    return RList({**fields, "WSS": fit.criterion, "classification": classification})


def _share(trim: float, n: int) -> float:
    """The share of rows to trim, with R's error where more than all rows would be kept."""
    share = as_number(trim, "trim")
    if math.isnan(share) or (math.isfinite(share) and n_kept(n, share) > n):
        raise RError("negative length vectors are not allowed", f"trim must be from 0 to 1; got {share:g}")
    if math.isinf(share) or n_kept(n, share) < 0:
        raise ValueError(f"trim must be from 0 to 1; got {share:g}")
    return share


def _check_missing(x: FloatArray, share: float) -> None:
    """Refuse more rows with missing values than are trimmed: no run has a criterion then."""
    missing, trimmed = int(np.isnan(x).any(axis=1).sum()), len(x) - n_kept(len(x), share)
    if missing > trimmed:
        raise ValueError(
            f"rows with missing values must be trimmed: {missing} rows of d have them, trim={share:g} trims "
            f"{trimmed}; raise trim, impute, or call RSKC with L1=None, which leaves missing values out"
        )


def _passes(maxit: float) -> int:
    """A limit of passes, truncated as in R."""
    number = as_number(maxit, "maxit")
    if not 2 <= number < 2**31:
        raise ValueError(f"maxit must be at least 2 and below 2^31; got {maxit!r}: leave it out for 2 n")
    return int(number)


def _start(points: ArrayLike | None, k: int, p: int) -> FloatArray | None:
    """The given centres; None for random rows."""
    if points is None:
        raise RError("argument is not a matrix", "points must be centres, or inf for random rows")
    shape = shape_of(points, "points")
    values = as_matrix(points, "points").values if shape else np.array([[as_number(points, "points")]])
    if values.size and not math.isfinite(values[0, 0]):
        return None
    if values.shape != (k, p):
        raise ValueError(
            f"points must have ncl={k} rows and the {p} columns of d; got shape {shape}: give one row per "
            "centre, or inf for random rows"
        )
    if not np.isfinite(values).all():
        raise ValueError(
            "points must be finite; replace missing and infinite values, or give inf for random rows"
        )
    return values
