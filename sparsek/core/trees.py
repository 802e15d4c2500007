"""Labels from a tree of merges."""

from typing import Literal

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sparsek.core.steps import Array, Labels


def linkage_labels(condensed: Array, n_clusters: int, method: Literal["average", "complete"]) -> Labels:
    """Labels of the rows after all but ``n_clusters - 1`` merges of an agglomeration.

    Shapes: condensed (n (n - 1) / 2,); returns (n,) int32.
    """
    merges = linkage(condensed, method)[:, :2].astype(np.intp)
    n = len(merges) + 1
    kept = n - n_clusters
    ends = (np.repeat(np.arange(n, n + kept), 2), merges[:kept].ravel())
    graph = coo_array((np.ones(2 * kept), ends), shape=(n + kept, n + kept))
    return connected_components(graph, directed=False)[1][:n].astype(np.int32)
