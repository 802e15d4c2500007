"""R's package cluster."""

from sparsek.rcompat.cluster.api_gap import GapTable, clusGap, maxSE
from sparsek.rcompat.cluster.api_pam import PamResult, pam
from sparsek.rcompat.cluster.api_silhouette import Silhouette, SilhouetteSummary, silhouette

__all__ = [
    "GapTable",
    "PamResult",
    "Silhouette",
    "SilhouetteSummary",
    "clusGap",
    "maxSE",
    "pam",
    "silhouette",
]
