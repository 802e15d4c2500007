"""R's ``RSKC::RSKC``: robust sparse k-means, its result and printing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, long_sum
from sparsek.errors import RError
from sparsek.rcompat.base.data import RList, RMatrix, as_flag, as_matrix, as_number, require_runs, shape_of
from sparsek.rcompat.base.printing import format_number
from sparsek.rcompat.rskc.algorithm import UNDEFINED, column_means, run_rskc, trimmed_only
from sparsek.rng import RRandom, resolve_rng

LARGEST = 1e150
LISTED_CASES, LISTED_LABELS = 20, 100
"""From so many on, trimmed cases and labels are left out of the print."""
Rows = IntArray | str
"""Row numbers, or R's text "undefined" when nothing is trimmed."""


class RobustClusters(RList):
    """Result of R's ``RSKC`` (class "rskc"), printed as R prints it."""

    def __str__(self) -> str:
        trimmed = [rows.tolist() for rows in (self["oW"], self["oE"]) if not isinstance(rows, str)]
        distinct = dict.fromkeys(row for rows in trimmed for row in rows)
        labels = self["labels"].tolist()
        sizes = ", ".join(str(labels.count(label)) for label in dict.fromkeys(labels))
        sparse = self["L1"] is not None
        in_use = np.count_nonzero(self["weights"]) if sparse else self["N"]  # R prints the rows
        criterion = f"wbss: {format_number(self['WBSS'][-1])}" if sparse else "\nwwss:"
        bound = format_number(self["L1"]) if sparse else "NULL"
        cases = f"trimmed cases:{''.join(f' {row}' for row in distinct)}\n"
        clusters = f"\nCluster labels: {' '.join(map(str, labels))} "
        return (
            f"\nInput: \n#obs= {self['N']}  #feature= {self['p']} \n"
            f"L1= {bound}  alpha= {format_number(self['alpha'])}\n\n"
            f"Result:\n{criterion}\n{cases * (len(distinct) < LISTED_CASES)}"
            f"#non-zero weights: {in_use} \n {self['ncl']} clusters of sizes {sizes} "
            f"{clusters * (len(labels) < LISTED_LABELS)}"
        )


def RSKC(
    d: ArrayLike,
    ncl: float,
    alpha: float,
    L1: float | None = 12,
    nstart: int = 200,
    silent: bool = True,
    scaling: bool = False,
    correlation: bool = False,
    *,
    rng: RRandom | None = None,
) -> RobustClusters:
    """Robust sparse k-means as R's ``RSKC::RSKC``: the same answers under the same seed.

    Alternates trimmed k-means in the weighted distance, trimming by the unweighted distance, and the weights
    w that maximise ``sum_j w_j BCSS_j`` of the rows left, with ``|w|_2 <= 1``, ``|w|_1 <= L1``, ``w_j >= 0``.

    Parameters
    ----------
    d : array_like or data frame of shape (n, p)
        Data, in any unit; NaN is missing.
    ncl : float
        Number of clusters, at least 2, rounded.
    alpha : float
        Share of the rows to trim, in [0, 1], dimensionless.
    L1 : float or None, default=12
        Bound on the sum of the weights, at least 1, dimensionless; None for trimmed k-means without weights.
    nstart : int, default=200
        Random starts of every trimmed k-means.
    silent : bool, default=True
        Taken for R's sake: progress always goes to the logger "sparsek".
    scaling : bool, default=False
        Standardise the columns first.
    correlation : bool, default=False
        Standardise the rows (after the columns).
    rng : RRandom, optional

    Returns
    -------
    RobustClusters
        ``N``, ``p``, ``ncl``, ``L1``, ``nstart``, ``alpha``, ``scaling``, ``correlation``, ``missing``
        (whether any value is), then ``oE`` and ``oW`` (rows, from 1, trimmed by unweighted and by weighted
        distance; "undefined" for none), ``labels`` (n,) from 1, ``weights`` (p,), ``WBSS`` (between sum of
        squares of every iteration but the last, NaN for one that left a single cluster); without weights
        ``labels``, ``oW``, ``WSS`` (trimmed sum of squares), ``oE``, ``weights``. Sums in squared units of d.

    Raises
    ------
    RError
        With R's message: `alpha`, `L1` or `ncl` out of range, one column, an empty cluster or no row left.
    ValueError
        Infinite or huge data, a vector, more clusters than rows, `nstart` below 1, and runs that all fail
        because of missing values: there R crashes or returns uninitialised memory.
    TypeError
        Data or arguments that are not numbers.

    See Also
    --------
    sparsek.RobustSparseKMeans : Sparse k-means that leaves out outlying rows.
    RSKC_trimkmeans : R's trimmed k-means, bit for bit.
    Clest : R's number of clusters for `RSKC`.
    revisedsil : Silhouettes of a fit of `RSKC`.

    Notes
    -----
    R's slips are kept: a start can hold the same row twice; a run stops at once when its first partition is
    the last one of the run before; the weights come from the last iteration that raised the criterion, the
    labels and trimmed rows from the one after it. :class:`sparsek.RobustSparseKMeans` has no such slips.

    References
    ----------
    Kondo, Y., Salibian-Barrera, M. & Zamar, R. (2012). A robust and sparse K-means clustering algorithm.
    arXiv:1201.6082.
    Kondo, Y., Salibian-Barrera, M. & Zamar, R. (2016). RSKC: an R package for a robust and sparse K-means
    clustering algorithm. Journal of Statistical Software 72(5).

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek.rcompat import RSKC, set_seed
    >>> i, j = np.arange(1, 13)[:, None], np.arange(1, 7)
    >>> x = (7 * i + 5 * j + i * j) % 11 / 2 + 6 * ((i > 6) & (j <= 2))
    >>> set_seed(1)
    >>> fit = RSKC(x, 2, 0.1, L1=1.5, nstart=5)
    >>> fit.labels
    array([1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2])
    """
    matrix = rskc_data(d)
    k = check_arguments(ncl, alpha, L1)
    runs = n_starts(nstart)
    x = prepared(matrix.values, scaling, correlation)
    n, p = x.shape
    if k > n:
        raise ValueError(f"ncl must be at most the number of rows, {n}; got {k}")
    stream = resolve_rng(rng)
    alpha, L1 = as_number(alpha, "alpha"), None if L1 is None else as_number(L1, "L1")
    fields: dict[str, Any] = {"N": n, "p": p, "ncl": k, "L1": L1, "nstart": nstart, "alpha": alpha}
    fields |= {"scaling": bool(scaling), "correlation": bool(correlation), "missing": bool(np.isnan(x).any())}
    if L1 is None:
        fit = trimmed_only(x, k, alpha, runs, stream)
        fields |= {
            "labels": fit.labels.astype(np.int64) + 1,
            "oW": row_numbers(fit.trimmed),
            "WSS": fit.criterion,
        }
        fields |= {"oE": "undefined", "weights": np.ones(p)}
    else:
        robust = run_rskc(x, k, alpha, L1, runs, stream)
        fields |= {"oE": row_numbers(robust.distant), "oW": row_numbers(robust.trimmed)}
        fields |= {
            "labels": robust.labels.astype(np.int64) + 1,
            "weights": robust.weights,
            "WBSS": robust.history,
        }
    names = {"weights": matrix.column_names}
    return RobustClusters(fields, matrix.row_names, matrix.column_names, names)


def rskc_data(d: ArrayLike) -> RMatrix:
    """The data, at least two-dimensional and without values whose squares overflow."""
    if len(shape_of(d, "d")) == 1:
        raise ValueError("d must be a matrix of n rows and p columns; got one dimension: d.reshape(-1, 1)?")
    matrix = as_matrix(d, "d")
    largest = np.abs(matrix.values[~np.isnan(matrix.values)]).max(initial=0.0)
    if largest > LARGEST:
        raise ValueError(
            f"d must be at most {LARGEST:g} in size (NaN for missing); got {largest:g}: rescale the data"
        )
    return matrix


def check_arguments(ncl: float, alpha: float, L1: float | None) -> int:
    """The number of clusters, after R's checks in R's order."""
    share, clusters = as_number(alpha, "alpha"), as_number(ncl, "ncl")
    bound = None if L1 is None else as_number(L1, "L1")
    for name, value in (("alpha", share), ("L1", bound), ("ncl", clusters)):
        if value is not None and math.isnan(value):
            raise RError(UNDEFINED, f"{name} is NaN")
        if name == "alpha" and not 0 <= share <= 1:
            raise RError("alpha must be between 0 and 1", f"got {share:g}")
        if name == "L1" and bound is not None and bound < 1:
            raise RError(
                "L1 value must be greater or equal to 1 or NULL!", f"got {bound:g}; None is R's NULL"
            )
    k = round(clusters) if math.isfinite(clusters) else clusters
    if k <= 1:
        raise RError(f"ncl must be positive integer > 1! but ncl={k:g}", "ncl is the number of clusters")
    if k == math.inf:
        raise ValueError("ncl must be finite")
    return int(k)


def n_starts(nstart: float, name: str = "nstart") -> int:
    """A number of starts, truncated as in R."""
    number = as_number(nstart, name)
    if not 1 <= number < math.inf:
        raise ValueError(f"{name} must be a number of at least 1; got {nstart!r}")
    require_runs(number, name)
    return int(number)


def prepared(x: FloatArray, scaling: bool, correlation: bool) -> FloatArray:
    """Columns, then rows, standardised on request."""
    if as_flag(scaling, "scaling"):
        x = _standardised(x)
    if as_flag(correlation, "correlation"):
        x = np.ascontiguousarray(_standardised(x.T).T)
    return x


def _standardised(x: FloatArray) -> FloatArray:
    """R's ``scale``: missing values skipped; a constant column becomes NaN."""
    z = x - column_means(x)
    observed = [column[~np.isnan(column)] for column in z.T]
    spread = [math.sqrt(long_sum(v * v) / max(1, len(v) - 1)) for v in observed]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.ascontiguousarray(z / np.array(spread))


def row_numbers(rows: IntArray) -> Rows:
    """Row numbers from 1, or R's word for none."""
    return rows + 1 if len(rows) else "undefined"
