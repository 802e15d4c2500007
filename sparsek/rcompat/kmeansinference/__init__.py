"""R's package KmeansInference."""

from sparsek.rcompat.kmeansinference.api import kmeans_estimation, kmeans_inference

__all__ = ["kmeans_estimation", "kmeans_inference"]
