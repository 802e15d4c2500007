"""R's ``stats::kmeans`` with its arguments, result, warnings and messages."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.errors import RError
from sparsek.numerics.ordered_arithmetic import long_sum
from sparsek.numerics.selective.lloyd import LloydRecord
from sparsek.rcompat.base.data import RList, as_matrix, as_number, require_runs, shape_of
from sparsek.rcompat.base.printing import format_column, format_matrix, format_vector
from sparsek.rcompat.stats import runs as rkmeans
from sparsek.rng import RRandom, resolve_rng

LARGEST_SIZE = 2.0**52
"""Largest length of a vector in R."""


class KMeansResult(RList):
    """Result of R's ``kmeans``, printed as R prints it.

    Attributes
    ----------
    lloyd_record : LloydRecord or None
        Starts of a fit by Lloyd's algorithm, for `sparsek.inference`; no field of R's result.
    """

    lloyd_record: LloydRecord | None = None

    def __str__(self) -> str:
        k, p = self.centers.shape
        names = self.column_names or [f"[,{j + 1}]" for j in range(p)]
        vector = format_vector([str(v) for v in self.cluster], self.row_names)
        share = 100 * self.betweenss / self.totss if self.totss else float("nan")
        return (
            f"K-means clustering with {k} clusters of sizes "
            f"{', '.join(str(v) for v in self.size)}\n\n"
            f"Cluster means:\n{format_matrix(self.centers, [str(j + 1) for j in range(k)], names)}\n\n"
            f"Clustering vector:\n{vector}\n\n"
            f"Within cluster sum of squares by cluster:\n"
            f"{format_vector(format_column(self.withinss))}\n"
            f" (between_SS / total_SS = {share:5.1f} %)\n\n"
            f"Available components:\n\n{format_vector([chr(34) + name + chr(34) for name in self])}\n"
        )


def kmeans(
    x: Any,
    centers: Any,
    iter_max: int = 10,
    nstart: int = 1,
    algorithm: str = "Hartigan-Wong",
    *,
    rng: RRandom | None = None,
) -> KMeansResult:
    """K-means as R's ``kmeans(x, centers, iter.max, nstart, algorithm)``, bit for bit.

    Minimises the within-cluster sum of squares ``sum_k sum_{i in k} |x_i - c_k|^2``.

    Parameters
    ----------
    x : array_like of shape (n, p), pandas or polars frame
        Finite real data, in any unit.
    centers : int or array_like of shape (k, p)
        Number of clusters (random distinct rows start), or the starting centres.
    iter_max : int, default=10
        Largest number of iterations, at least 1.
    nstart : int, default=1
        Number of random starts; ignored when centres are given.
    algorithm : {"Hartigan-Wong", "Lloyd", "Forgy", "MacQueen"}, default="Hartigan-Wong"
        May be abbreviated, as in R.
    rng : RRandom, optional
        R's stream; by default the context's, which :func:`set_seed` seeds.

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
    data = as_matrix(x)
    given = centers_argument(centers, data.values)
    limit, runs, name = _whole(iter_max, "iter.max"), _starts(nstart), _algorithm_argument(algorithm)
    fit = rkmeans.run_kmeans(
        data.values,
        given,
        iter_max=limit,
        nstart=runs,
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
    """An integer argument, truncated as R does; NA counts as not positive."""
    number = as_number(value, name)
    return int(number) if np.isfinite(number) else 0


def _starts(nstart: Any) -> int:
    """The number of starts."""
    count = _whole(nstart, "nstart")
    require_runs(count, "nstart")
    return count


def _algorithm_argument(algorithm: str) -> str:
    """The full name of an algorithm from an abbreviation, as R's ``match.arg``."""
    if isinstance(algorithm, str):
        if algorithm in rkmeans.ALGORITHMS:
            return algorithm
        matches = [name for name in rkmeans.ALGORITHMS if algorithm and name.startswith(algorithm)]
        if len(matches) == 1:
            return matches[0]
    raise RError(
        "'arg' should be one of “Hartigan-Wong”, “Lloyd”, “Forgy”, “MacQueen”", f"got algorithm={algorithm!r}"
    )
