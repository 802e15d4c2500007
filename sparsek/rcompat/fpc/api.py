"""R's ``calinhara``."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.ordered_arithmetic import long_sum
from sparsek.errors import RError
from sparsek.rcompat.base.data import as_matrix, as_vector, whole_numbers
from sparsek.rcompat.fpc.cluster_statistics import over
from sparsek.rcompat.fpc.sums_of_squares import squares, squares_within


def calinhara(x: ArrayLike, clustering: ArrayLike, cn: float | None = None) -> float:
    """Index of Calinski and Harabasz of a clustering, as R's ``calinhara`` of package fpc.

    Parameters
    ----------
    x : array_like or data frame of shape (n, p)
        Real data.
    clustering : array_like of shape (n,)
        Clusters from 1.
    cn : int, optional
        Number of clusters; by default the largest label. Rows with a larger one are in no cluster.

    Returns
    -------
    float
        The mean square between clusters over that within them, dimensionless; NaN for one cluster, for as
        many as rows, and for missing data.

    Raises
    ------
    RError
        With R's message: a label is missing, no cluster.
    TypeError
        For data or labels that are no numbers.
    ValueError
        For another number of labels than rows.

    See Also
    --------
    silhouette : Another measure of a clustering.

    References
    ----------
    Calinski, T. & Harabasz, J. (1974). A dendrite method for cluster analysis. Communications in Statistics
    3, 1-27.

    Examples
    --------
    >>> from sparsek.rcompat import calinhara
    >>> calinhara([[1.0], [2.0], [5.0], [6.0]], [1, 1, 2, 2])
    32.0
    """
    data, labels = as_matrix(x).values, as_vector(clustering, "clustering")
    n = len(data)
    if len(labels) != n:
        raise ValueError(f"clustering must have a label for each row; got {len(labels)} for {n} rows")
    if np.isnan(labels).any():
        raise RError("invalid 'times' argument", "clustering has missing labels: leave these rows out")
    (k,) = whole_numbers(cn=labels.max() if cn is None else cn)
    if k < 1:
        message = "argument is of length zero" if k == 0 else "invalid 'times' argument"
        raise RError(message, f"there must be a cluster, numbered from 1; got cn={k}")
    with np.errstate(over="ignore", invalid="ignore"):
        within = squares_within(data, labels, k)
        between = squares(data) - within
        return over((n - k) * long_sum(between), (k - 1) * long_sum(within))
