"""Dunn's index."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from sparsek.inputs.containers import numbers
from sparsek.inputs.indices import aligned
from sparsek.inputs.validation import check_array
from sparsek.metrics._labels import encode

SAFE_EXPONENT = 255
"""Squares of numbers between 2^-255 and 2^255 neither overflow nor vanish."""
DISTANCES_AT_ONCE = 2**22
"""Largest number of distances held at a time."""


def dunn_index(X: ArrayLike, labels: ArrayLike) -> float:
    """Smallest distance between clusters over the largest diameter of a cluster: large for clear clusters.

    ``min {|x_i - x_j| : i, j in different clusters} / max {|x_i - x_j| : i, j in one cluster}``, Euclidean,
    over all features.

    Parameters
    ----------
    X : array_like of shape (n, p)
        Data, finite.
    labels : array_like of shape (n,)
        Clusters.

    Returns
    -------
    float
        From 0, dimensionless; NaN for a single cluster, infinite where the rows of every cluster are equal
        (such as clusters of one row) and those of different clusters are not.

    Raises
    ------
    TypeError, ValueError
        Data that are not a finite matrix; labels that are neither whole numbers nor texts, missing, or not
        one per row.

    See Also
    --------
    sparsek.rcompat.silhouette : R's silhouette widths.
    sparsek.plots.plot_silhouette : Draw the silhouettes of the rows.

    Notes
    -----
    Of Dunn's family this is the variant of Table 5 of the sparse MinMax paper: single linkage between
    clusters, complete diameter within, all features of the unscaled data. In O(n^2 p) time, with distances
    by direct differences, a block of rows at a time.

    References
    ----------
    Dunn, J. C. (1974). Well-separated clusters and optimal fuzzy partitions. Journal of Cybernetics 4,
    95-104.

    Dey, S., Das, S. and Mallipeddi, R. (2020). The sparse MinMax k-means algorithm for high-dimensional
    clustering. IJCAI 2020, 2103-2110, Table 5.

    Examples
    --------
    >>> dunn_index([[0], [1], [4], [6]], [0, 0, 1, 1])
    1.5
    """
    data = check_array(numbers(X), dtype=np.float64, input_name="X")
    codes = encode(aligned(labels, X, "labels"), "labels")
    if len(codes) != len(data):
        raise ValueError(f"labels must have one entry per row of X, {len(data)}; got {len(codes)}")
    if not codes.any():
        return math.nan
    exponent = int(np.frexp(np.abs(data).max())[1])
    if abs(exponent) > SAFE_EXPONENT:  # the index does not depend on the scale
        data = np.ldexp(data, -exponent)
    separation, diameter = math.inf, 0.0
    height = max(1, DISTANCES_AT_ONCE // len(data))
    for begin in range(0, len(data), height):
        rows = slice(begin, begin + height)
        distances = cdist(data[rows], data[begin:])
        together = codes[rows, None] == codes[None, begin:]
        diameter = max(diameter, float(distances.max(where=together, initial=0.0)))
        separation = min(separation, float(distances.min(where=~together, initial=math.inf)))
    if diameter == 0:
        return math.inf if separation > 0 else math.nan
    return separation / diameter
