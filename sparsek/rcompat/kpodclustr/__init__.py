"""R's package kpodclustr."""

from sparsek.rcompat.kpodclustr.api import assign_clustpp, findMissing, initialImpute, kmpp, kpod, makeData

__all__ = ["assign_clustpp", "findMissing", "initialImpute", "kmpp", "kpod", "makeData"]
