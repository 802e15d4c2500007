"""R's base: lists, matrices, printing, random numbers."""

from sparsek.rcompat.base.api_columns import colMeans, colSums, rowMeans, rowSums
from sparsek.rcompat.base.api_eigen import eigen
from sparsek.rcompat.base.api_scale import scale
from sparsek.rcompat.base.api_svd import svd
from sparsek.rcompat.base.api_table import RTable, table
from sparsek.rcompat.base.api_vectors import cumsum, matrix, mean, sum
from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.data import RList
from sparsek.rcompat.base.stream import RNGkind, sample, sample_int, set_seed
from sparsek.rcompat.base.values.api_apply import apply, tapply
from sparsek.rcompat.base.values.api_margins import prop_table, sweep
from sparsek.rcompat.base.values.api_print import print
from sparsek.rcompat.base.values.api_rounding import round, zapsmall
from sparsek.rcompat.base.values.api_str import str
from sparsek.rng import resolve_rng

__all__ = [
    "RArray",
    "RList",
    "RNGkind",
    "RTable",
    "apply",
    "colMeans",
    "colSums",
    "cumsum",
    "eigen",
    "matrix",
    "mean",
    "print",
    "prop_table",
    "resolve_rng",
    "round",
    "rowMeans",
    "rowSums",
    "sample",
    "sample_int",
    "scale",
    "set_seed",
    "str",
    "sum",
    "svd",
    "sweep",
    "table",
    "tapply",
    "zapsmall",
]
