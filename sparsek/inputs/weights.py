"""Weights of rows, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.inputs.containers import numbers
from sparsek.inputs.validation import check_array

WEIGHT_EXPONENT = {8: 256, 4: 60}
"""Weights are from 2**-e to 2**e, so that products and sums of them stay finite, by the bytes of a number."""


def checked_weights(given: ArrayLike, X: NDArray[Any], name: str = "sample_weight") -> NDArray[Any]:
    """Weights of the rows of X, one or more of them positive, in its precision; ValueError for others."""
    weights = row_weights(given, X.shape[0], X.dtype, name)
    if not weights.any():
        raise ValueError(f"{name} is zero for every row; give at least one row a positive weight")
    return weights


def row_weights(given: ArrayLike, n_rows: int, dtype: Any, name: str = "sample_weight") -> NDArray[Any]:
    """Weights of so many rows in the precision of data of this type.

    Raises ValueError, which calls them by `name`, for another shape, and for weights that are negative, or so
    large or small that products with them leave the range of the numbers.
    """
    weights: NDArray[Any] = check_array(
        numbers(given, name), ensure_2d=False, dtype=np.float64, input_name=name, ensure_min_samples=0
    )
    if weights.shape != (n_rows,):
        raise ValueError(f"{name} must have shape ({n_rows},), one entry per row of X; got {weights.shape}")
    if weights.size and weights.min() < 0:
        raise ValueError(f"{name} must not be negative; got {weights.min()}; use 0 to leave a row out")
    precision = np.dtype(dtype if dtype in (np.float64, np.float32) else np.float64)
    high = 2.0 ** WEIGHT_EXPONENT[precision.itemsize]
    far = weights[(weights > high) | ((weights > 0) & (weights < 1 / high))]
    if far.size:
        raise ValueError(
            f"{name} must be 0 or from {1 / high:.3g} to {high:.3g} for data of type {precision}; got "
            f"{far[0]:.6g}; divide all weights by a constant"
        )
    return weights.astype(precision, copy=False)
