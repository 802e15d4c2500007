"""R's package cluster."""

from sparsek.rcompat.cluster.api_pam import PamResult, pam
from sparsek.rcompat.cluster.api_silhouette import Silhouette, SilhouetteSummary, silhouette

__all__ = ["PamResult", "Silhouette", "SilhouetteSummary", "pam", "silhouette"]
