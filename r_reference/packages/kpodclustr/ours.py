"""Sparsek's side of kpodclustr, whose functions also take the data as a plain vector."""

from collections.abc import Callable
from typing import Any

import numpy as np

from sparsek import rcompat
from sparsek.rng import RRandom


def _as_data(x: np.ndarray, as_vector: bool) -> np.ndarray:
    """The data, with as_vector as a plain vector, column by column."""
    return x.ravel(order="F") if as_vector else x


def _drawing(name: str) -> Callable[..., Any]:
    """A function of kpodclustr that draws."""

    def call(x: np.ndarray, rng: RRandom, as_vector: bool = False, **args: Any) -> Any:
        return getattr(rcompat, name)(_as_data(x, as_vector), **args, rng=rng)

    return call


def _plain(name: str) -> Callable[..., Any]:
    """A function of kpodclustr of the data alone."""

    def call(x: np.ndarray, as_vector: bool = False) -> Any:
        return getattr(rcompat, name)(_as_data(x, as_vector))

    return call


CALLS = {
    **{name: _drawing(name) for name in ("kpod", "assign_clustpp", "kmpp")},
    **{name: _plain(name) for name in ("initialImpute", "findMissing")},
}
"""By R function."""
