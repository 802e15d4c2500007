"""R's ``stats::kmeans`` with its arguments, result, warnings and messages."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.bits.ordered_arithmetic import long_sum
from sparsek.errors import RError
from sparsek.rcompat.base.arrays import RArray, dimnames_of, with_names
from sparsek.rcompat.base.data import RList, as_fit, as_matrix, as_number, require_runs, shape_of
from sparsek.rcompat.base.matching import partial_match
from sparsek.rcompat.base.values.lists import format_value
from sparsek.rcompat.stats import runs as rkmeans
from sparsek.rng import RRandom, resolve_rng
from sparsek.selective.lloyd import LloydRecord

LARGEST_SIZE = 2.0**52
"""Largest length of a vector in R."""
PRINTED = ("centers", "cluster", "withinss")
"""Fields that are printed."""
UNFINISHED = "Warning: did *not* converge in specified number of iterations"
"""Printed after the other lines where the iterations were used up."""


class KMeansResult(RList):
    """Result of R's ``kmeans``, printed as R prints it.

    Attributes
    ----------
    lloyd_record : LloydRecord or None
        Starts of a fit by Lloyd's algorithm, for `sparsek.inference`; no field of R's result.
    """

    r_class = ("kmeans",)

    _no_fields = RList._no_fields | {"lloyd_record"}
    lloyd_record: LloydRecord | None = None

    def __str__(self) -> str:
        shown = {name: format_value(self[name]) for name in PRINTED}
        return (
            f"K-means clustering with {len(self.size)} clusters of sizes "
            f"{', '.join(str(v) for v in self.size)}\n\n"
            f"Cluster means:\n{shown['centers']}\n\n"
            f"Clustering vector:\n{shown['cluster']}\n\n"
            f"Within cluster sum of squares by cluster:\n{shown['withinss']}\n"
            f" (between_SS / total_SS = {share_of(self.betweenss, self.totss)} %)\n\n"
            f"Available components:\n\n{format_value(list(self))}"
        ) + f"\n{UNFINISHED}" * (self.get("ifault") == 2)


def share_of(between: float, total: float) -> str:
    """The share of a sum of squares in percent, as R's ``format`` writes it."""
    return f"{100 * between / total if total else math.nan:5.1f}".replace("nan", "NaN")


def kmeans(
    x: Any,
    centers: Any = None,
    iter_max: int = 10,
    nstart: int = 1,
    algorithm: str = "Hartigan-Wong",
    trace: Any = False,
    *,
    rng: RRandom | None = None,
) -> KMeansResult:
    """K-means as R's ``kmeans(x, centers, iter.max, nstart, algorithm, trace)``, bit for bit.

    Minimises the within-cluster sum of squares ``sum_k sum_{i in k} |x_i - c_k|^2``.

    Parameters
    ----------
    x : array_like of shape (n, p), pandas or polars frame
        Finite real data, in any unit.
    centers : int or array_like of shape (k, p)
        Number of clusters (random distinct rows start), or the starting centres. R needs them too.
    iter_max : int, default=10
        Largest number of iterations, at least 1.
    nstart : int, default=1
        Number of random starts; ignored when centres are given, also where it is 0 or missing.
    algorithm : {"Hartigan-Wong", "Lloyd", "Forgy", "MacQueen"}, default="Hartigan-Wong"
        May be abbreviated, as in R.
    trace : bool or int, default=False
        Taken for R's sake: the progress of the algorithm is not printed.
    rng : RRandom, optional

    Returns
    -------
    KMeansResult
        ``cluster`` (n,) from 1, ``centers`` (k, p), ``totss``, ``withinss`` (k,), ``tot.withinss``,
        ``betweenss``, ``size`` (k,), ``iter``, ``ifault``; sums of squares in squared units of x.

    Raises
    ------
    RError
        R's errors, with its message: too many centres, empty cluster, missing values and so on.
    TypeError, ValueError
        For input that is not a real matrix.

    Warns
    -----
    RWarning
        R's warnings: no convergence, quick-transfer limit, empty cluster.

    See Also
    --------
    KMeansSparseCluster : R's sparse k-means, bit for bit.
    fitted : Fitted values of a k-means.
    pam : R's partitioning around medoids.

    Notes
    -----
    With numba the starts run in several threads inside ``with joblib.parallel_config(backend="threading",
    n_jobs=2)``. The answer does not depend on it.

    References
    ----------
    Hartigan & Wong (1979), Algorithm AS 136, Applied Statistics 28, 100-108.

    Examples
    --------
    >>> from sparsek.rcompat import kmeans, set_seed
    >>> set_seed(1)
    >>> kmeans([[1.0], [1.1], [5.0], [5.2]], 2).size
    array([2, 2])
    """
    if centers is None:
        raise RError("'centers' must be a number or a matrix", "centers is missing")
    data = as_matrix(x)
    starts = _starts(nstart) if math.prod(shape_of(centers, "centers")) == 1 else 1
    given = centers_argument(centers, data.values)
    limit, name = _whole(iter_max, "iter.max"), _algorithm_argument(algorithm)
    fit = rkmeans.run_kmeans(
        data.values,
        given,
        iter_max=limit,
        nstart=starts,
        algorithm=name,
        rng=resolve_rng(rng),
    )
    totss = rkmeans.total_sum_of_squares(data.values)
    tot_withinss = long_sum(fit.withinss)
    result = KMeansResult(
        {
            "cluster": fit.labels + 1,
            "centers": fit.centers,
            "totss": totss,
            "withinss": fit.withinss,
            "tot.withinss": tot_withinss,
            "betweenss": totss - tot_withinss,
            "size": np.bincount(fit.labels, minlength=len(fit.centers)),
            "iter": fit.n_iter,
            "ifault": fit.ifault,
        },
        data.row_names,
        data.column_names,
        {
            "cluster": data.row_names,
            "centers": ([str(j + 1) for j in range(len(fit.centers))], data.column_names),
        },
    )
    if name in ("Lloyd", "Forgy"):
        result.lloyd_record = LloydRecord(
            fit.start_rows, None if isinstance(given, int) else given, max_iter=limit
        )
    return result


def centers_argument(centers: Any, x: NDArray[np.float64]) -> int | NDArray[np.float64]:
    """A number of clusters, or a matrix of starting centres (a vector is one column)."""
    if math.prod(shape_of(centers, "centers")) != 1:
        given = as_matrix(centers, "centers").values
        rkmeans.require_finite(given, "centers", 4)
        return given
    k = vector_size(as_number(centers, "centers"), "centers", "invalid 'size' argument")
    if k < 1:
        raise RError(
            "number of cluster centres must lie between 1 and nrow(x)",
            f"centers must be a whole number from 1 to {len(x)}; got {k}",
        )
    return k


def vector_size(value: float, name: str, negative: str) -> int:
    """A number that R uses as the length of a vector, truncated; `negative` is R's error below 0."""
    if not abs(value) <= LARGEST_SIZE:
        message = "NA/NaN" if np.isnan(value) else "infinite" if np.isinf(value) else ""
        raise RError(
            f"vector size cannot be {message}" if message else "vector size specified is too large",
            f"{name} must be a whole number; got {value}",
        )
    if value <= -1:
        raise RError(negative, f"{name} must not be negative; got {value:g}")
    return int(value)


def _whole(value: Any, name: str) -> int:
    """An integer argument, truncated as R does; NA, and what is too large for R, counts as not positive."""
    number = as_number(value, name)
    return int(number) if abs(number) < 2.0**31 else 0


def _starts(nstart: Any) -> int:
    """The number of random starts, truncated from 2 on; R fails below 1 and between 1 and 2."""
    number = as_number(nstart, "nstart")
    if math.isnan(number):
        raise RError("missing value where TRUE/FALSE needed", "nstart must not be missing")
    if number < 1 or 1 < number < 2:
        raise RError("argument is of length zero", f"nstart must be 1 or at least 2; got {number:g}")
    require_runs(number, "nstart")
    return int(number)


def _algorithm_argument(algorithm: str) -> str:
    """The full name of an algorithm from an abbreviation, as R's ``match.arg``."""
    full = partial_match(algorithm, rkmeans.ALGORITHMS)
    if full is None:
        choices = "'arg' should be one of “Hartigan-Wong”, “Lloyd”, “Forgy”, “MacQueen”"
        raise RError(choices, f"got algorithm={algorithm!r}")
    return full


def fitted(object: KMeansResult, method: str = "centers") -> RArray | NDArray[np.int64]:
    """Fitted values of a k-means, as R's ``fitted(object, method)``.

    Parameters
    ----------
    object : KMeansResult
        Result of `kmeans` for n rows of p columns.
    method : {"centers", "classes"}, default="centers"
        What to give for every row: the centre of its cluster, or the cluster; may be abbreviated.

    Returns
    -------
    RArray of shape (n, p), or ndarray of int64 of shape (n,)
        Centres in the unit of the data, named by cluster and column; or clusters from 1, named as the rows.

    Raises
    ------
    RError
        With R's message: an unknown or ambiguous method.
    TypeError
        An object that is no result of `kmeans`.

    See Also
    --------
    kmeans : R's k-means, bit for bit.

    Examples
    --------
    >>> from sparsek.rcompat import fitted, kmeans, set_seed
    >>> set_seed(1)
    >>> fitted(kmeans([[1.0], [2.0], [8.0], [9.0]], 2)).ravel()
    RArray([1.5, 1.5, 8.5, 8.5])
    """
    fit = as_fit(object, {"cluster", "centers"}, "object", "kmeans")
    full = partial_match(method, ("centers", "classes"))
    if full is None:
        raise RError("'arg' should be one of “centers”, “classes”", f"got method={method!r}")
    if full == "classes":
        return with_names(np.array(fit["cluster"]), object.row_names)
    rows = [str(label) for label in fit["cluster"]]
    return RArray(fit["centers"][fit["cluster"] - 1], dimnames=dimnames_of(rows, object.column_names))
