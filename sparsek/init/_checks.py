"""Arguments of the functions that choose starting rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.core.steps import Array
from sparsek.inputs.validation import check_array, require_array

SAFE_EXPONENT = 255
"""Squares of sums of numbers between 2^-255 and 2^255 neither overflow nor vanish."""


def check_data(X: ArrayLike, n_clusters: int) -> Array:
    """Checked data with enough rows."""
    X = require_array(X)
    x: Array = check_array(X, dtype=[np.float64, np.float32], order="C", input_name="X")
    if n_clusters > len(x):
        raise ValueError(f"n_clusters={n_clusters} must be at most n_samples={len(x)}; add rows or lower it")
    return x


def check_doubles(X: ArrayLike, n_clusters: int) -> FloatArray:
    """Checked data as float64, multiplied by a power of two if squares could overflow or vanish."""
    x: FloatArray = check_data(X, n_clusters).astype(np.float64, copy=False)
    exponent = int(np.frexp(np.abs(x).max())[1])
    return np.ldexp(x, -exponent) if abs(exponent) > SAFE_EXPONENT else x


def check_neighbors(n_neighbors: int | None, n: int) -> None:
    """Raise unless `n_neighbors` is None or at most n - 1."""
    if n_neighbors is not None and n_neighbors >= n:
        raise ValueError(f"n_neighbors must be at most n_samples - 1 = {n - 1}; got {n_neighbors}")


def check_row(name: str, value: int | str, n: int, random_state: Any) -> int:
    """The checked number of a row; for a name, "random", it is drawn."""
    if isinstance(value, str):
        return int(np.random.default_rng(find_seed(random_state)).integers(n))
    if value >= n:
        raise ValueError(f"{name} must be the number of a row, at most {n - 1}; got {value}")
    return int(value)


def find_seed(random_state: Any) -> int:
    """The seed for a generator: a given integer, else one drawn from `random_state`."""
    if isinstance(random_state, int | np.integer) and random_state >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))
