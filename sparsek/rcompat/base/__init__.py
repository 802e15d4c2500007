"""R's base: lists, matrices, printing, random numbers."""

from sparsek.rcompat.base.data import RList
from sparsek.rcompat.base.stream import RNGkind, sample, sample_int, set_seed
from sparsek.rng import resolve_rng

__all__ = ["RList", "RNGkind", "resolve_rng", "sample", "sample_int", "set_seed"]
