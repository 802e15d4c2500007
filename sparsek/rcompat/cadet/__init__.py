"""R's package CADET."""

from sparsek.rcompat.cadet.api import kmeans_inference_1f, test_hier_clusters_exact_1f

__all__ = ["kmeans_inference_1f", "test_hier_clusters_exact_1f"]
