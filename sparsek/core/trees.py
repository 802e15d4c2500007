"""Labels from a tree of merges, and average linkage of rows that have weights."""

from typing import Literal

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform

from sparsek.core.steps import Array, Labels


def linkage_labels(
    condensed: Array, n_clusters: int, method: Literal["average", "complete"], sizes: Array | None = None
) -> Labels:
    """Labels of the rows after all but ``n_clusters - 1`` merges of an agglomeration.

    `sizes` are weights of the rows, which complete linkage does not see.

    Shapes: condensed (n (n - 1) / 2,), sizes (n,); returns (n,) int32.
    """
    if sizes is None or method == "complete":
        tree = linkage(condensed, method)
    else:
        tree = average_linkage(squareform(condensed, checks=False), sizes)
    return cut_tree(tree[:, :2].astype(np.intp), n_clusters)


def cut_tree(merges: Array, n_clusters: int) -> Labels:
    """Labels of the rows after all but ``n_clusters - 1`` of the merges.

    Shapes: merges (n - 1, 2), in scipy's numbering; returns (n,) int32.
    """
    n = len(merges) + 1
    kept = n - n_clusters
    ends = (np.repeat(np.arange(n, n + kept), 2), merges[:kept].ravel())
    # Merge s is the node n + s, joined to its two parts: what hangs together is a cluster.
    graph = coo_array((np.ones(2 * kept), ends), shape=(n + kept, n + kept))
    return connected_components(graph, directed=False)[1][:n].astype(np.int32)


def average_linkage(D: Array, sizes: Array) -> Array:
    """Merges of average linkage, in the form of scipy's `linkage`; the last column has the sums of the sizes.

    Two clusters that are nearest to each other merge at once: no other merge brings a third one nearer to
    either. A chain of nearest neighbours ends at two such clusters (Murtagh 1983).

    Shapes: D (n, n), symmetric, is overwritten; sizes (n,), positive; returns (n - 1, 4).
    """
    n, size = len(D), sizes.astype(np.float64)
    np.fill_diagonal(D, np.inf)
    left, merges = np.ones(n, dtype=bool), np.empty((n - 1, 3))
    chain: list[int] = []
    for step in range(n - 1):
        if not chain:
            chain.append(int(left.argmax()))
        gone, kept = _nearest_pair(D, chain)
        merges[step] = gone, kept, D[gone, kept]
        mean = (size[gone] * D[gone] + size[kept] * D[kept]) / (size[gone] + size[kept])
        # No cluster is its own nearest neighbour.
        mean[[gone, kept]] = np.inf
        D[kept] = D[:, kept] = mean
        D[gone] = D[:, gone] = np.inf
        size[kept] += size[gone]
        left[gone] = False
    # The chain finds merges in another order than that of their heights, in which scipy numbers them.
    return _numbered(merges[np.argsort(merges[:, 2], kind="stable")], sizes)


def _nearest_pair(D: Array, chain: list[int]) -> tuple[int, int]:
    """Take the last two of a chain of nearest neighbours, which are nearest to each other."""
    while True:
        last = chain[-1]
        following = int(D[last].argmin())
        # Ties go to the neighbour before in the chain; otherwise the chain could go round in circles.
        if len(chain) > 1 and D[last, chain[-2]] <= D[last, following]:
            return chain.pop(), chain.pop()
        chain.append(following)


def _numbered(merges: Array, sizes: Array) -> Array:
    """Merges of rows (from, to, height), with the numbers of what they join: from n on earlier merges."""
    n = len(sizes)
    joined, total = np.arange(2 * n - 1), np.append(sizes, np.zeros(n - 1))
    tree = np.empty((n - 1, 4))
    for step, (one, other, height) in enumerate(merges):
        ends = sorted(_root(joined, int(row)) for row in (one, other))
        joined[ends] = n + step
        total[n + step] = total[ends].sum()
        tree[step] = *ends, height, total[n + step]
    return tree


def _root(joined: Array, member: int) -> int:
    """The last merge that a row or an earlier merge is part of; shortens the way there."""
    while joined[member] != member:
        joined[member] = joined[joined[member]]
        member = int(joined[member])
    return member
