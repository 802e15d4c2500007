"""R's package sparcl."""

from sparsek.rcompat.sparcl.api_hierarchical import (
    HierarchicalSparseCluster,
    HierarchicalSparseCluster_permute,
)
from sparsek.rcompat.sparcl.api_kmeans import KMeansSparseCluster, KMeansSparseCluster_permute
from sparsek.rcompat.sparcl.api_wrapper import HierarchicalSparseCluster_wrapper
from sparsek.rcompat.sparcl.results import (
    ColorDendrogram,
    SparseClusterGap,
    SparseClusters,
    SparseHierarchy,
    SparseHierarchyGap,
)

__all__ = [
    "ColorDendrogram",
    "HierarchicalSparseCluster",
    "HierarchicalSparseCluster_permute",
    "HierarchicalSparseCluster_wrapper",
    "KMeansSparseCluster",
    "KMeansSparseCluster_permute",
    "SparseClusterGap",
    "SparseClusters",
    "SparseHierarchy",
    "SparseHierarchyGap",
]
