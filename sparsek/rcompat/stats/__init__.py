"""R's package stats."""

from sparsek.rcompat.base.stream import rexp, rnorm, runif
from sparsek.rcompat.stats.api_dist import dist
from sparsek.rcompat.stats.api_hclust import cutree, hclust
from sparsek.rcompat.stats.api_kmeans import KMeansResult, kmeans

__all__ = ["KMeansResult", "cutree", "dist", "hclust", "kmeans", "rexp", "rnorm", "runif"]
