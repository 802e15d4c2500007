"""R's package mclust."""

from sparsek.rcompat.mclust.api import adjustedRandIndex

__all__ = ["adjustedRandIndex"]
