"""R's package cluster."""

from sparsek.rcompat.cluster.api_pam import PamResult, pam

__all__ = ["PamResult", "pam"]
