"""Python calls of fpc, made as in ``calls.R``."""

from typing import Any

import numpy as np
from scipy.spatial.distance import squareform

from sparsek import rcompat
from sparsek.rng import RRandom


def printed(value: Any) -> np.ndarray:
    """What is printed of a value, as numbers of characters."""
    return np.array([ord(character) for character in str(value)])


def dissimilarities(x: np.ndarray, form: str) -> Any:
    """The dissimilarities of the rows in one of R's forms; the upper triangle of "lower" does not count."""
    d: Any = rcompat.dist(x)
    if form == "dist":
        return d
    square = squareform(np.asarray(d), checks=False)
    if form == "lower":
        square[np.triu_indices(len(square), 1)] = 7
    return square


def _cluster_stats(x: Any = None, form: str = "dist", **args: Any) -> dict[str, Any]:
    """Statistics of a clustering."""
    found = rcompat.cluster_stats(None if x is None else dissimilarities(x, form), **args)
    return {**found, "printed": printed(found)}


def _prediction_strength(x: np.ndarray, *, rng: RRandom, **args: Any) -> dict[str, Any]:
    """Prediction strengths of numbers of clusters."""
    found = rcompat.prediction_strength(x, rng=rng, **args)
    method = np.array([ord(character) for character in found["method"]])
    return {**found, "method": method, "printed": printed(found)}


CALLS = {"cluster.stats": _cluster_stats, "prediction.strength": _prediction_strength}
"""Calls, by the name of the R function."""
