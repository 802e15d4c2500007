"""R's names, arguments, quirks and 1-based labels; the same answers as R under the same seed."""

from sparsek.rcompat._hclust import cutree, dist, hclust
from sparsek.rcompat._hierarchical import HierarchicalSparseCluster, HierarchicalSparseCluster_permute
from sparsek.rcompat._hierarchical_results import ColorDendrogram, SparseHierarchy, SparseHierarchyGap
from sparsek.rcompat._kmeans import KMeansResult, kmeans
from sparsek.rcompat._kpod import assign_clustpp, findMissing, initialImpute, kmpp, kpod, makeData
from sparsek.rcompat._rlist import RList
from sparsek.rcompat._sparcl import KMeansSparseCluster, KMeansSparseCluster_permute
from sparsek.rcompat._sparcl_results import SparseClusterGap, SparseClusters
from sparsek.rcompat._stream import RNGkind, resolve_rng, rexp, rnorm, runif, sample, sample_int, set_seed

__all__ = [
    "ColorDendrogram",
    "HierarchicalSparseCluster",
    "HierarchicalSparseCluster_permute",
    "KMeansResult",
    "KMeansSparseCluster",
    "KMeansSparseCluster_permute",
    "RList",
    "RNGkind",
    "SparseClusterGap",
    "SparseClusters",
    "SparseHierarchy",
    "SparseHierarchyGap",
    "assign_clustpp",
    "cutree",
    "dist",
    "findMissing",
    "hclust",
    "initialImpute",
    "kmeans",
    "kmpp",
    "kpod",
    "makeData",
    "resolve_rng",
    "rexp",
    "rnorm",
    "runif",
    "sample",
    "sample_int",
    "set_seed",
]
