"""Which arrays compiled loops take, and in what form, so that few versions of each loop are compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.engine import compiles

Array = NDArray[Any]


def loops_take(X: Array) -> bool:
    """Whether compiled loops read this array as it lies: rows of single or double precision in C order."""
    return X.dtype in (np.float64, np.float32) and X.flags.c_contiguous and X.flags.aligned


def loops_run(X: Array) -> bool:
    """Whether a pass over these rows should run compiled; ask once for each pass, see `engine.compiles`."""
    return loops_take(X) and compiles(X.size)


class _Memory:
    """The memory of an array, as if it could be written."""

    def __init__(self, X: Array) -> None:
        self.array = X  # keeps it alive
        self.__array_interface__ = X.__array_interface__ | {"data": (X.ctypes.data, False)}


def readable(X: Array) -> Array:
    """The same memory without a mark that it is only read, for which loops would be compiled once more.

    Loops only read what they get by this function.
    """
    return X if X.flags.writeable else np.asarray(_Memory(X))


def masses(weights: Array | None, n_rows: int) -> Array:
    """Weights of the rows as loops take them: float64, 1 where there are none."""
    return np.ones(n_rows) if weights is None else readable(np.ascontiguousarray(weights, np.float64))
