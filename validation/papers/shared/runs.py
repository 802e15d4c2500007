"""Single runs of methods: without warnings, on one thread, with a digest of labels; sparcl's own tuning."""

import hashlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from sparsek import rcompat
from sparsek.errors import RError, RWarning
from sparsek.inputs.threads import thread_control
from sparsek.rng import RRandom


@contextmanager
def quietly() -> Iterator[None]:
    """Suppress the warnings of runs that end early: their scores show their quality."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", RWarning)
        yield


def on_one_thread() -> Any:
    """A context in which matrix products use one thread: trials share the cores, and times are comparable."""
    return thread_control().limit(limits=1)


def digest(labels: NDArray[Any]) -> str:
    """A short text that identifies the labels."""
    return hashlib.sha256(np.asarray(labels, dtype=np.int64).tobytes()).hexdigest()[:16]


def default_bounds(n_features: int, n_bounds: int = 10) -> NDArray[np.float64]:
    """sparcl's default bounds: from 1.2 to 0.9 sqrt(p) in steps of equal ratio."""
    return np.exp(np.linspace(np.log(1.2), np.log(0.9 * np.sqrt(n_features)), n_bounds))


def tune_sparcl(
    X: NDArray[np.float64], n_clusters: int, bounds: NDArray[np.float64], n_permutations: int, seed: int
) -> tuple[list[float], Any]:
    """The permutation gap of R's sparcl; while it fails, the smallest bound is dropped.

    Shapes: X (n, p).

    Raises sparsek.errors.RError if fewer than two bounds are left.
    """
    while True:
        try:
            fit = rcompat.KMeansSparseCluster_permute(
                X, n_clusters, nperms=n_permutations, wbounds=bounds, rng=RRandom(seed)
            )
        except RError:
            bounds = bounds[1:]
            if len(bounds) < 2:
                raise
        else:
            return bounds.tolist(), fit
