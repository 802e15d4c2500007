"""R's package wskm."""

from sparsek.rcompat.wskm.api import ewkm, predict_ewkm
from sparsek.rcompat.wskm.api_data import fgkm_sample, twkm_sample
from sparsek.rcompat.wskm.api_groups import fgkm, twkm
from sparsek.rcompat.wskm.results import EntropyClusters, WeightedClusters

__all__ = [
    "EntropyClusters",
    "WeightedClusters",
    "ewkm",
    "fgkm",
    "fgkm_sample",
    "predict_ewkm",
    "twkm",
    "twkm_sample",
]
