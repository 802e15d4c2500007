"""Labels from a tree of merges."""

from typing import Literal

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sparsek.core.steps import Array, Labels


def linkage_labels(condensed: Array, n_clusters: int, method: Literal["average", "complete"]) -> Labels:
    """Labels of the rows after all but ``n_clusters - 1`` merges of an agglomeration.

    Parameters
    ----------
    condensed : ndarray of shape (n (n - 1) / 2,)
        Dissimilarities of the pairs.
    n_clusters : int
        Clusters left: exactly this many, even if heights tie.
    method : {"average", "complete"}
        How the dissimilarity of two clusters follows from those of their rows.

    Returns
    -------
    ndarray of shape (n,), int32
        Labels from 0, in the order of first appearance.
    """
    merges = linkage(condensed, method)[:, :2].astype(np.intp)
    n = len(merges) + 1
    kept = n - n_clusters
    ends = (np.repeat(np.arange(n, n + kept), 2), merges[:kept].ravel())
    graph = coo_array((np.ones(2 * kept), ends), shape=(n + kept, n + kept))
    return connected_components(graph, directed=False)[1][:n].astype(np.int32)
