"""R's package fpc."""

from sparsek.rcompat.fpc.api import calinhara
from sparsek.rcompat.fpc.api_cluster_stats import cluster_stats
from sparsek.rcompat.fpc.api_pamk import pamk
from sparsek.rcompat.fpc.api_prediction_strength import PredictionStrength, prediction_strength

__all__ = ["PredictionStrength", "calinhara", "cluster_stats", "pamk", "prediction_strength"]
