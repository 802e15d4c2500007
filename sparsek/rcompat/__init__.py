"""R's names, arguments, quirks and 1-based labels; the same answers as R under the same seed."""

from sparsek.rcompat._kmeans import KMeansResult, kmeans
from sparsek.rcompat._rlist import RList
from sparsek.rcompat._stream import RNGkind, resolve_rng, rexp, rnorm, runif, sample, sample_int, set_seed

__all__ = [
    "KMeansResult",
    "RList",
    "RNGkind",
    "kmeans",
    "resolve_rng",
    "rexp",
    "rnorm",
    "runif",
    "sample",
    "sample_int",
    "set_seed",
]
