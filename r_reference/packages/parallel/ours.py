"""Python calls for streams: the state as integers, as in ``calls.R``."""

from collections.abc import Callable
from typing import Any

import numpy as np

from sparsek import rcompat


def _with_integers(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of a state that takes its numbers as doubles."""

    def call(seed: Any) -> Any:
        return function(np.asarray(seed, dtype=np.int64) if np.size(seed) == 7 else seed)

    return call


CALLS = {
    "nextRNGStream": _with_integers(rcompat.nextRNGStream),
    "nextRNGSubStream": _with_integers(rcompat.nextRNGSubStream),
}
"""Calls, by the name of the R function."""
