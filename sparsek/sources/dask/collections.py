"""Dask collections checked and cut into chunks of whole rows."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np
from pandas.api.types import is_extension_array_dtype, is_numeric_dtype

from sparsek.core.steps import Array
from sparsek.sources.dask.checks import checked_chunk


def as_rows(X: Any, known: bool) -> Any:
    """A Dask array of floats whose chunks hold whole rows.

    Shapes: X (n, p); returns (n, p).

    Raises TypeError for another collection, and for columns that are not numbers; ValueError if X has not two
    dimensions, has no columns, or has chunks of unknown size.
    """
    if is_frame(X):
        X = _from_frame(X, known)
    if not isinstance(X, da.Array):
        raise TypeError(f"X must be a Dask array or a Dask data frame; got {type(X).__name__}")
    if type(X._meta) is not np.ndarray:
        raise TypeError(f"the chunks of X must be NumPy arrays; got {type(X._meta).__name__}")
    if X.ndim != 2 or not X.shape[1] >= 1:
        raise ValueError(
            f"X must have shape (n_samples, n_features) with at least one feature; got {X.shape}"
        )
    if X.dtype.kind not in "fiub":
        raise TypeError(f"X must hold numbers; got dtype {X.dtype}")
    if known and np.isnan(X.chunks[0]).any():
        raise ValueError("the sizes of X's chunks are unknown; call X.compute_chunk_sizes() first")
    dtype = X.dtype if X.dtype in (np.float32, np.float64) else np.dtype(np.float64)
    if X.numblocks[1] > 1 or X.dtype != dtype:
        # What these steps make of wrong chunks would look right, or fail with words of their own.
        convert: Any = _as_floats
        X = X.map_blocks(convert, X.dtype, dtype=dtype, meta=np.empty((0, 0), dtype))
    return X.rechunk({1: -1}) if X.numblocks[1] > 1 else X


def _as_floats(chunk: Any, declared: Any, block_info: Any) -> Array:
    """A chunk as floats of the dtype of the result, checked."""
    told = block_info[None]
    place = told["chunk-location"]
    number = place[0] if told["num-chunks"][1] == 1 else place
    return checked_chunk(chunk, number, told["chunk-shape"], declared, told["dtype"])


def is_frame(X: Any) -> bool:
    """Whether X is a Dask data frame (a Delayed has any attribute)."""
    return hasattr(type(X), "to_dask_array")


def _from_frame(X: Any, known: bool) -> Any:
    """The array of a data frame whose columns are all numbers."""
    bad = [str(name) for name, dtype in X.dtypes.items() if not is_numeric_dtype(dtype)]
    if bad:
        raise TypeError(f"columns {', '.join(bad[:5])} of X are not numbers; drop or encode them")
    # pandas' own types, such as Int64, would make an array of objects; their missing values become NaN.
    own = {name: np.float64 for name, dtype in X.dtypes.items() if is_extension_array_dtype(dtype)}
    X = X.astype(own) if own else X
    return X.to_dask_array(lengths=True if known else None)
