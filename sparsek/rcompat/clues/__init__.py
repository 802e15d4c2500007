"""R's package clues."""

from sparsek.rcompat.clues.api import adjustedRand

__all__ = ["adjustedRand"]
