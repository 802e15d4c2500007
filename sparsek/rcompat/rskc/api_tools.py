"""R's ``Clest`` and ``revisedsil`` of RSKC: number of clusters and silhouette of robust sparse k-means."""

from __future__ import annotations

import logging
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.lapack.symmetric_eigen import symmetric_eigen, warn_unsettled
from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, long_covariances
from sparsek.errors import RError
from sparsek.rcompat.base.data import RList, as_fit, as_flag, as_matrix, as_number, as_vector, require_runs
from sparsek.rcompat.base.expressions import Call
from sparsek.rcompat.rskc.algorithm import UNDEFINED, run_rskc, trimmed_only
from sparsek.rcompat.rskc.api import RobustClusters, check_arguments, n_starts, rskc_data
from sparsek.rcompat.rskc.prediction_strength import clest
from sparsek.rcompat.rskc.revised_silhouette import revised_silhouette
from sparsek.rng import RRandom, resolve_rng

_log = logging.getLogger(__name__)


class ClestResult(RList):
    """Result of R's ``Clest``, printed as R prints it."""


def Clest(
    d: ArrayLike,
    maxK: float,
    alpha: float,
    B: int = 15,
    B0: int = 5,
    nstart: int = 1000,
    L1: float | None = 6,
    beta: float = 0.1,
    pca: bool = True,
    silent: bool = False,
    *,
    eigenvectors: ArrayLike | None = None,
    call: str | None = None,
    rng: RRandom | None = None,
) -> ClestResult:
    """Number of clusters by Dudoit and Fridlyand's Clest with robust sparse k-means, as R's ``RSKC::Clest``.

    Splits the rows, clusters both parts, and compares the clusters of the second with those that the first
    predicts; an error well below that of uniform data speaks for the number of clusters.

    Parameters
    ----------
    d : array_like or data frame of shape (n, p)
        Data; NaN is missing (not with `pca`).
    maxK : float
        Largest number of clusters, at least 3; fractions are cut off.
    alpha : float
        Share of the rows to trim, dimensionless.
    B, B0 : int, default=15, 5
        Splits of the data, and uniform reference data sets, each split once.
    nstart : int, default=1000
        Random starts of every trimmed k-means.
    L1 : float or None, default=6
        Bound on the sum of the weights, dimensionless; None for no weights.
    beta : float, default=0.1
        A number of clusters counts when its P-value is below this.
    pca : bool, default=True
        Draw reference data along the principal axes of d.
    silent : bool, default=False
        Taken for R's sake: progress always goes to the logger "sparsek".
    eigenvectors : array_like of shape (p, p), optional
        With `pca`: the principal axes in columns, such as ``eigen(var(d))$vectors`` of an R with another
        BLAS. By default those of R with the reference BLAS.
    call : str, optional
    rng : RRandom, optional

    Returns
    -------
    ClestResult
        ``call``; ``K``, the estimate; ``result.table`` (maxK - 1, 4) of test statistic, observed and
        reference error, P-value; ``referenceCERs`` (B0, maxK - 1); ``observedCERs`` (B, maxK - 1). All
        dimensionless.

    Raises
    ------
    RError
        With R's message: `maxK` below 3, whatever `RSKC` raises, and rows without a feature in common with a
        centre.
    ValueError
        Fewer than two columns, parts with fewer rows than `maxK`, `B` or `B0` below 1, missing values with
        `pca`.
    TypeError
        Data or arguments that are not numbers.

    Warns
    -----
    BlasDependentWarning
        With `pca`, where rounding decides on the sign or direction of an axis. The reference data depend on
        both, so R with another BLAS than the reference BLAS may find another K.

    See Also
    --------
    RSKC : R's robust sparse k-means, bit for bit.
    clusGap : R's gap statistic of the number of clusters.

    References
    ----------
    Dudoit, S. & Fridlyand, J. (2002). A prediction-based resampling method for estimating the number of
    clusters in a dataset. Genome Biology 3(7), research0036.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek.rcompat import Clest, set_seed
    >>> i, j = np.arange(1, 31)[:, None], np.arange(1, 5)
    >>> x = (7 * i + 5 * j + i * j) % 11 / 2 + 9 * ((i > 15) & (j <= 2))
    >>> set_seed(1)
    >>> Clest(x, 3, 0.1, B=3, B0=3, nstart=5, L1=1.5, pca=False).K
    2
    """
    x = rskc_data(d).values
    most = as_number(maxK, "maxK")
    largest = int(most) if math.isfinite(most) else 0
    splits, references = _count(B, "B"), _count(B0, "B0")
    if largest < 3:
        raise RError(
            "length of 'dimnames' [2] not equal to array extent", f"maxK must be at least 3; got {most:g}"
        )
    check_arguments(2, alpha, L1)
    n, p = x.shape
    test = n - math.ceil(n * 2 / 3)
    if p < 2 or test < max(largest, 2):
        raise ValueError(
            f"d must have at least 2 columns, and a third of its rows be at least maxK={largest}; "
            f"got {n} rows and {p} columns"
        )
    runs, stream, use_axes = n_starts(nstart), resolve_rng(rng), as_flag(pca, "pca")

    def cluster(part: FloatArray, k: int) -> tuple[IntArray, IntArray, FloatArray]:
        if L1 is None:
            fit = trimmed_only(part, k, as_number(alpha, "alpha"), runs, stream)
            return fit.labels, fit.trimmed, np.ones(p)
        robust = run_rskc(part, k, as_number(alpha, "alpha"), as_number(L1, "L1"), runs, stream)
        return robust.labels, robust.trimmed, robust.weights

    found = clest(
        x,
        largest,
        cluster,
        n_splits=splits,
        n_reference=references,
        beta=as_number(beta, "beta"),
        axes=_axes(x, eigenvectors) if use_axes else None,
        rng=stream,
        report=_log.info,
    )
    counts = [str(k) for k in range(2, largest + 1)]
    numbers = (None, ["k=2", *counts[1:]])
    return ClestResult(
        {
            "call": None if call is None else Call(call),
            "K": found.n_clusters,
            "result.table": found.statistics,
            "referenceCERs": found.reference,
            "observedCERs": found.observed,
        },
        names={
            "result.table": (counts, ["test.stat", "obsCER", "refCER", "P-value"]),
            "referenceCERs": numbers,
            "observedCERs": numbers,
        },
    )


def _count(value: float, name: str) -> int:
    """A whole number of at least 1."""
    number = as_number(value, name)
    if not 1 <= number < math.inf or number != int(number):
        raise ValueError(f"{name} must be a whole number of at least 1; got {value!r}")
    require_runs(number, name)
    return int(number)


def _axes(x: FloatArray, eigenvectors: ArrayLike | None) -> FloatArray:
    """Principal axes in columns, largest variance first."""
    if np.isnan(x).any():
        raise ValueError(
            "d has missing values, for which principal axes are not defined: use pca=False or impute"
        )
    p = x.shape[1]
    if eigenvectors is None:
        found = symmetric_eigen(long_covariances(x, x))
        warn_unsettled(found.unsettled, p, "axes")
        return found.vectors
    axes = as_matrix(eigenvectors, "eigenvectors").values
    if axes.shape != (p, p) or not np.isfinite(axes).all():
        raise ValueError(f"eigenvectors must be finite and of shape ({p}, {p}); got shape {axes.shape}")
    return axes


def revisedsil(
    d: ArrayLike,
    reRSKC: RobustClusters | None = None,
    CASEofINT: Any = None,
    col1: str = "black",
    CASEofINT2: Any = None,
    col2: str = "red",
    print_plot: bool = False,
    W: ArrayLike | None = None,
    C: ArrayLike | None = None,
    out: ArrayLike | str | None = None,
    *,
    rng: RRandom | None = None,
) -> RList:
    """Revised silhouette of a robust sparse clustering, as R's ``RSKC::revisedsil``.

    The width of a row is (b - a) / b, where a and b are its weighted squared distances to the nearest and
    second nearest centre.

    Parameters
    ----------
    d : array_like or data frame of shape (n, p)
        The data that were clustered; NaN is missing.
    reRSKC : RobustClusters, optional
        What `RSKC` returned, or else `W`, `C` and `out`.
    CASEofINT : object, optional
        Of R's plot, not used, like the next three.
    col1 : str, default="black"
        Not used.
    CASEofINT2 : object, optional
        Not used.
    col2 : str, default="red"
        Not used.
    print_plot : bool, default=False
        R plots by default; True is refused.
    W : array_like of shape (p,), optional
        Weights, not negative, dimensionless.
    C : array_like of shape (n,), optional
        Clusters from 1.
    out : array_like of int or "undefined", optional
        Rows from 1 that do not count for the centres.
    rng : RRandom, optional
        Not used: nothing is drawn.

    Returns
    -------
    RList
        ``trans.mu`` (k, q) centres in the weighted features in use, units of d; ``WdisC`` (n, k) weighted
        squared distances; ``sil.order`` (n,) widths, dimensionless; ``sil.i``, list of the widths of each
        cluster, decreasing; ``obs.i``, list of their rows from 1, NaN where widths tie. Two clusters change
        places when the first is the smaller one.

    Raises
    ------
    RError
        With R's message: one cluster, an empty cluster, a single feature in use, a last cluster whose widths
        all tie.
    ValueError
        Neither `reRSKC` nor `W` and `C`, arguments of the wrong shape or range, `print_plot`.
    TypeError
        Data or arguments that are not numbers.

    See Also
    --------
    RSKC : R's robust sparse k-means, bit for bit.
    silhouette : R's silhouette widths.

    References
    ----------
    Kondo, Y. (2011). Robustification of the sparse K-means clustering algorithm. MSc thesis, University of
    British Columbia.

    Examples
    --------
    >>> from sparsek.rcompat import revisedsil
    >>> x = [[0.0, 0.1], [0.2, 0.0], [5.0, 5.2], [5.1, 4.8], [5.4, 5.1]]
    >>> revisedsil(x, W=[0.5, 0.5], C=[1, 1, 2, 2, 2]).sil_order.round(3)
    array([1.   , 1.   , 0.999, 0.999, 0.999])
    """
    if as_flag(print_plot, "print_plot"):
        raise ValueError("print_plot=True is not there: draw sil.i, for example with matplotlib's barh")
    if reRSKC is not None:
        fit = as_fit(reRSKC, {"weights", "labels", "oW"}, "reRSKC", "RSKC")
        W, C, out = fit["weights"], fit["labels"], fit["oW"]
    x = rskc_data(d).values
    if W is None or C is None:
        raise ValueError("give reRSKC, or W and C")
    weights, labels = as_vector(W, "W"), as_vector(C, "C")
    if weights.shape != (x.shape[1],) or not (weights >= 0).all() or not np.isfinite(weights).all():
        raise ValueError(f"W must be {x.shape[1]} weights, finite and not negative; got {W!r}")
    if labels.shape != (len(x),) or not (labels >= 1).all() or (labels != np.trunc(labels)).any():
        raise ValueError(f"C must be {len(x)} whole numbers from 1, one for each row of d")
    k = int(labels.max())
    _check_clusters(labels, k, weights)
    rows = np.empty(0) if out is None or isinstance(out, str) else as_vector(out, "out")
    inside = rows[(rows >= 1) & (rows <= len(x))].astype(np.int64) - 1
    found = revised_silhouette(x, labels.astype(np.int64) - 1, k, weights, inside)
    if not len(found.sorted_rows[-1]):
        raise RError("subscript out of bounds", "all widths of the last cluster tie")
    return RList(
        {
            "trans.mu": found.centers,
            "WdisC": found.distances,
            "sil.order": found.widths,
            "sil.i": found.sorted_widths,
            "obs.i": [places + 1 for places in found.sorted_rows],
            "silAve": None,
        }
    )


def _check_clusters(labels: FloatArray, k: int, weights: FloatArray) -> None:
    """R's errors about clusters and features."""
    if np.count_nonzero(weights) == 1:
        raise RError("incorrect number of dimensions", "a single feature has a weight: two are needed")
    if k == 1:
        raise RError("subscript out of bounds", "C holds one cluster: two are needed")
    if len(np.unique(labels)) < k:
        raise RError(UNDEFINED, f"C has no row of some cluster from 1 to {k}")
