"""SKFR and sparse k-means on Dask arrays and data frames, with whatever scheduler is in force.

The classes are those of `sparsek`, with the same parameters; `fit` also takes Dask collections. Needs
``sparsek[dask]``.
"""

from __future__ import annotations

try:
    from sparsek.dask._estimators import SKFR, SparseKMeans
except ModuleNotFoundError as error:
    raise ImportError('sparsek.dask needs Dask: pip install "sparsek[dask]"') from error

__all__ = ["SKFR", "SparseKMeans"]


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
