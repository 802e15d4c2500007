"""R's base: lists, matrices, printing, random numbers."""

from sparsek.rcompat.base.lists import RList
from sparsek.rcompat.base.stream import RNGkind, resolve_rng, sample, sample_int, set_seed

__all__ = ["RList", "RNGkind", "resolve_rng", "sample", "sample_int", "set_seed"]
