"""R's ``wskm``: ``ewkm`` and its ``predict``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.ordered_arithmetic import long_column_sums, long_sum
from sparsek.errors import RError
from sparsek.inputs.containers import as_frame, has_columns
from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.data import RMatrix, as_fit, as_matrix, as_number, as_numbers, shape_of
from sparsek.rcompat.wskm import entropy_kmeans as core
from sparsek.rcompat.wskm.arguments import (
    integer_argument,
    kept_centers,
    require_clusters,
    require_numbers,
    sizes_present,
    start_argument,
    sums_of_squares,
    wskm_data,
)
from sparsek.rcompat.wskm.results import EntropyClusters
from sparsek.rng import RRandom, resolve_rng


def ewkm(
    x: ArrayLike,
    centers: Any = None,
    lambda_: float = 1,
    maxiter: float = 100,
    delta: float = 0.00001,
    maxrestart: float = 10,
    *,
    rng: RRandom | None = None,
) -> EntropyClusters:
    """Entropy-weighted k-means as R's ``wskm::ewkm``: the same answers under the same seed.

    Minimises ``sum_l sum_{i in l} sum_j w_lj (x_ij - c_lj)^2 + lambda sum_lj w_lj log w_lj`` over the
    partition, the centres and the weights, whose sum over the features is 1 in every cluster.

    Parameters
    ----------
    x : array_like or data frame of shape (n, p)
        Finite numbers, in any unit.
    centers : int or array_like of shape (k, p)
        Number of clusters, less than n, or starting centres. Required.
    lambda_ : float, default=1
        R's ``lambda``, the weight of the entropy (squared units of the data): the larger, the more even the
        weights.
    maxiter : float, default=100
        Largest number of iterations.
    delta : float, default=1e-5
        Stop when the objective changes by less than this fraction of itself (dimensionless).
    maxrestart : float, default=10
        Largest number of restarts after an empty cluster; negative for no limit.
    rng : RRandom, optional

    Returns
    -------
    EntropyClusters
        Mapping with R's fields, see there.

    Raises
    ------
    RError
        With R's message: no `centers`, missing or infinite values, no centre left.
    ValueError
        Where R hangs or reads outside its memory: k of n or more, not whole, or with other columns than `x`;
        restarts without end.
    TypeError
        Arguments that are not real numbers.

    Warns
    -----
    RWarning
        `maxiter` or `maxrestart` beyond R's integers.

    See Also
    --------
    sparsek.EntropyWeightedKMeans : Soft feature weights in every cluster.
    predict_ewkm : Nearest centres of a fit of `ewkm`.
    fgkm : R's feature-group k-means, bit for bit.
    twkm : R's two-level k-means, bit for bit.

    Notes
    -----
    As in R the objective is summed in single precision, an equal distance goes to the last centre, and
    centres that are exactly zero are taken for empty clusters and removed without renumbering the labels.
    With a negative objective (large `lambda_`) the run stops after its first iteration.

    References
    ----------
    Jing, L., Ng, M. K. & Huang, J. Z. (2007). An entropy weighting k-means algorithm for subspace clustering
    of high-dimensional sparse data. IEEE TKDE 19, 1026-1041, equations 4-11.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek.rcompat import ewkm, set_seed
    >>> i, j = np.arange(1, 13)[:, None], np.arange(1, 7)
    >>> x = (7 * i + 5 * j + i * j) % 11 / 2 + 6 * ((i > 6) & (j <= 2))
    >>> set_seed(2)
    >>> ewkm(x, 2, lambda_=5).size
    array([6, 6])
    """
    matrix = wskm_data(x)
    start = start_argument(centers, matrix.values.shape[1])
    iterations, restarts = integer_argument(maxiter, "maxiter"), integer_argument(maxrestart, "maxrestart")
    gamma, tol = as_number(lambda_, "lambda_"), as_number(delta, "delta")
    arguments = {1: matrix.values, 5: gamma, 6: iterations, 7: tol, 8: restarts, 12: start}
    require_numbers(arguments, integers=(6, 8))
    require_clusters(start)
    fit = core.run_ewkm(
        matrix.values,
        start,
        gamma=gamma,
        max_iter=int(iterations),
        tol=tol,
        max_restarts=int(restarts),
        rng=resolve_rng(rng),
    )
    kept = kept_centers(fit.centers)
    totss, withinss = sums_of_squares(matrix.values, fit.centers, fit.labels)
    fields = {
        "cluster": fit.labels + 1,
        "centers": fit.centers[kept],
        "totss": totss,
        "withinss": withinss,
        "tot.withinss": long_sum(withinss),
        "betweenss": totss - long_sum(withinss),
        "size": sizes_present(fit.labels),
        "iterations": fit.n_iter,
        "total.iterations": fit.total_iter,
        "restarts": fit.n_restarts,
        "weights": fit.weights[kept],
    }
    features = ([str(i + 1) for i in range(len(fields["centers"]))], matrix.column_names)
    names = {"centers": features, "weights": features}
    return EntropyClusters(fields, matrix.row_names, matrix.column_names, names)


def predict_ewkm(object: EntropyClusters, data: Any, **dots: Any) -> np.ndarray:
    """The nearest centre of every row under that centre's weights, as R's ``predict`` for an ewkm fit.

    Parameters
    ----------
    object : EntropyClusters
        What `ewkm` returned.
    data : data frame or array_like of shape (n, p)
        Rows in the unit of the fitted data. A frame's columns are found by name when the fit has names;
        otherwise columns are taken in order.
    **dots : object
        R's ``...``: ignored, as by R.

    Returns
    -------
    ndarray of object, shape (n,)
        Names of the centres, "1" to the number of centres kept; None where every distance is missing. An
        `RArray` with the names of the rows. Of rows without names each entry is its own name, as in R, and
        there are no names where some are None.

    Raises
    ------
    RError
        With R's message: a frame without a column of the fit.
    ValueError
        Another number of columns than the fit has.
    TypeError
        Data that are not real numbers.

    See Also
    --------
    ewkm : R's entropy-weighted k-means, bit for bit.

    Notes
    -----
    The first of equal distances wins, unlike in `ewkm`, and after a centre was removed the names are no
    longer the labels of `ewkm`, both as in R. R refuses a matrix.

    Examples
    --------
    >>> from sparsek.rcompat import ewkm, predict_ewkm
    >>> x = [[1.0, 9.0], [1.1, 2.0], [6.0, 2.1], [6.2, 7.0]]
    >>> predict_ewkm(ewkm(x, [[1.0, 5.0], [6.0, 5.0]], lambda_=5), x).tolist()
    ['1', '1', '2', '2']
    """
    matrix = _columns_of_fit(object, data)
    values = matrix.values
    distances = np.empty((len(object.centers), len(values)))
    with np.errstate(over="ignore", invalid="ignore"):
        for distance, center, weights in zip(distances, object.centers, object.weights, strict=True):
            t = np.ascontiguousarray((values - center).T)
            t *= t
            t *= weights[:, None]
            distance[:] = np.sqrt(long_column_sums(t))
    missing = np.isnan(distances)
    nearest = np.where(missing, np.inf, distances).argmin(axis=0)
    infinite = np.isinf(distances) & ~missing
    nearest = np.where((missing | infinite).all(axis=0), infinite.argmax(axis=0), nearest)
    names = np.array([str(i + 1) for i in range(len(distances))], dtype=np.object_)
    found: np.ndarray = names[nearest]
    found[missing.all(axis=0)] = None
    if matrix.row_names is None and missing.all(axis=0).any():
        return found
    return RArray(found, names=matrix.row_names or found.tolist())


def _columns_of_fit(fit: EntropyClusters, data: Any) -> RMatrix:
    """The columns of new data that belong to a fit."""
    p = as_fit(fit, {"centers", "weights"}, "object", "ewkm")["centers"].shape[1]
    if has_columns(data) and fit.column_names:
        data = as_frame(data)
        if not set(fit.column_names) <= {str(c) for c in data.columns}:
            raise RError("undefined columns selected", f"data must have the columns {fit.column_names}")
        data = data[fit.column_names]
    matrix = as_matrix(
        data if len(shape_of(data, "data")) == 2 else np.atleast_2d(as_numbers(data, "data")), "data"
    )
    if matrix.values.shape[1] != p:
        raise ValueError(f"data has {matrix.values.shape[1]} columns; the fit has {p}")
    return matrix
