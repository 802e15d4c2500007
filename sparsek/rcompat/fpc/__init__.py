"""R's package fpc."""

from sparsek.rcompat.fpc.api import calinhara

__all__ = ["calinhara"]
