"""R's base: lists, matrices, printing, random numbers."""

from sparsek.rcompat.base.api_scale import scale
from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.data import RList
from sparsek.rcompat.base.stream import RNGkind, sample, sample_int, set_seed
from sparsek.rng import resolve_rng

__all__ = ["RArray", "RList", "RNGkind", "resolve_rng", "sample", "sample_int", "scale", "set_seed"]
