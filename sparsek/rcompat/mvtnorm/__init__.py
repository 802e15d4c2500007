"""R's package mvtnorm."""

from sparsek.rcompat.mvtnorm.api import rmvnorm

__all__ = ["rmvnorm"]
