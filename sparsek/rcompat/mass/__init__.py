"""R's package MASS."""

from sparsek.rcompat.mass.api import mvrnorm

__all__ = ["mvrnorm"]
