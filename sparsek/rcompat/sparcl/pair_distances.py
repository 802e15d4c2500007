"""Distances of all pairs of rows in every feature, as sparcl computes them, and their memory."""

from __future__ import annotations

import math

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.rcompat.base.data import as_number

MEMORY_LIMIT = 4 * 10**9
"""Bytes that the distances may take by default."""


def require_memory(shape: tuple[int, ...], limit: float, copies: int = 1) -> None:
    """Refuse when the distances of all pairs of rows in every feature need more memory than allowed.

    Raises MemoryError with the bytes needed, those allowed, and the remedy.
    """
    n, p = shape
    needed = 8 * copies * (n * (n - 1) // 2) * p
    allowed = as_number(limit, "memory_limit")
    if needed > allowed:
        times = "" if copies == 1 else f"{copies} times "
        raise MemoryError(
            f"the distances take {times}n (n - 1) / 2 x p = {n * (n - 1) // 2} x {p} doubles = {needed} "
            f"bytes; memory_limit allows {allowed:.0f}: raise memory_limit, or use fewer rows or features"
        )


def pair_distances(x: FloatArray, squared: bool) -> FloatArray:
    """Absolute differences of all pairs of rows in every feature, in single precision as in sparcl.

    Shapes: x (n, p) float64; returns (p, n (n - 1) / 2) float64.
    """
    n, p = x.shape
    observed = ~np.isnan(x)
    complete = observed.all()
    with np.errstate(over="ignore"):
        columns = np.ascontiguousarray(np.where(observed, x, 0.0).T, dtype=np.float32)
    seen = np.ascontiguousarray(observed.T)
    common = observed.astype(np.float64) @ observed.T
    out = np.empty((p, n * (n - 1) // 2))
    begin = 0
    for i in range(n - 1):
        block = out[:, begin : begin + n - 1 - i]
        begin += n - 1 - i
        with np.errstate(invalid="ignore", over="ignore"):
            block[:] = np.abs(columns[:, i + 1 :] - columns[:, i : i + 1])
        if not complete:
            with np.errstate(divide="ignore", invalid="ignore"):
                scale = p / common[i, i + 1 :]
                block *= np.sqrt(scale) if squared else scale
            block[~(seen[:, i + 1 :] & seen[:, i : i + 1])] = 0
    return out


def pair_matrix(pairs: FloatArray) -> FloatArray:
    """The symmetric matrix of the dissimilarities of the pairs, divided by sqrt(2); its diagonal is 0.

    Shapes: pairs (n (n - 1) / 2,); returns (n, n).
    """
    n = math.ceil(math.sqrt(2 * len(pairs)))
    matrix = np.zeros((n, n))
    matrix[np.triu_indices(n, 1)] = pairs
    return (matrix + matrix.T) / math.sqrt(2)
