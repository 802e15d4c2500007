"""R's package vimpclust."""

from sparsek.rcompat.vimpclust.api import groupsparsewkm, sparsewkm
from sparsek.rcompat.vimpclust.api_parts import groupsoft, weightedss
from sparsek.rcompat.vimpclust.api_recoding import info_clust, recodmix
from sparsek.rcompat.vimpclust.results import SparseWeightedClusters

__all__ = [
    "SparseWeightedClusters",
    "groupsoft",
    "groupsparsewkm",
    "info_clust",
    "recodmix",
    "sparsewkm",
    "weightedss",
]
