"""Python calls for kpodclustr, whose functions also take the data as a plain vector."""

from collections.abc import Callable
from typing import Any

import numpy as np

from sparsek import rcompat
from sparsek.rng import RRandom


def _as_data(x: np.ndarray, as_vector: bool) -> np.ndarray:
    """The data or, with as_vector, their columns as one plain vector."""
    return x.ravel(order="F") if as_vector else x


def _drawing(name: str) -> Callable[..., Any]:
    """A function of kpodclustr that draws random numbers."""

    def call(x: np.ndarray, rng: RRandom, as_vector: bool = False, **args: Any) -> Any:
        return getattr(rcompat, name)(_as_data(x, as_vector), **args, rng=rng)

    return call


def _plain(name: str) -> Callable[..., Any]:
    """A function of kpodclustr whose only argument is the data."""

    def call(x: np.ndarray, as_vector: bool = False) -> Any:
        return getattr(rcompat, name)(_as_data(x, as_vector))

    return call


CALLS = {
    **{name: _drawing(name) for name in ("kpod", "assign_clustpp", "kmpp")},
    **{name: _plain(name) for name in ("initialImpute", "findMissing")},
}
"""Calls, by the name of the R function."""
