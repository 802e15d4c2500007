"""R's package NbClust."""

from sparsek.rcompat.nbclust.api import NbClust

__all__ = ["NbClust"]
