"""Plain methods that the papers compare with, where scipy has them."""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

from sparsek.methods.madd.algorithm import linkage_labels


def complete_linkage(X: NDArray[np.float64], n_clusters: int, standardize: bool = True) -> NDArray[np.int32]:
    """Labels of a complete linkage tree on Euclidean distances, cut to exactly so many clusters.

    The column "Hier" of the sparse MinMax k-means paper. Columns are standardised (n - 1) on request;
    constant ones become zeros.
    """
    if standardize:
        spread = X.std(axis=0, ddof=1)
        X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
    return linkage_labels(pdist(X), n_clusters, "complete")
