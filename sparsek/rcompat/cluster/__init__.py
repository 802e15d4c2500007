"""R's package cluster."""

from sparsek.rcompat.cluster.api_clara import ClaraResult, clara
from sparsek.rcompat.cluster.api_daisy import daisy
from sparsek.rcompat.cluster.api_fanny import FannyResult, fanny
from sparsek.rcompat.cluster.api_gap import GapTable, clusGap, maxSE
from sparsek.rcompat.cluster.api_pam import PamResult, pam
from sparsek.rcompat.cluster.api_silhouette import Silhouette, SilhouetteSummary, silhouette
from sparsek.rcompat.cluster.api_twins import AgnesResult, DianaResult, agnes, diana

__all__ = [
    "AgnesResult",
    "ClaraResult",
    "DianaResult",
    "FannyResult",
    "GapTable",
    "PamResult",
    "Silhouette",
    "SilhouetteSummary",
    "agnes",
    "clara",
    "clusGap",
    "daisy",
    "diana",
    "fanny",
    "maxSE",
    "pam",
    "silhouette",
]
