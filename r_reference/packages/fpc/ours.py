"""Python calls of fpc, made as in ``calls.R``."""

from typing import Any

import numpy as np
import pandas as pd
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


def _pamk(x: np.ndarray, form: str = "rows", *, rng: RRandom, **args: Any) -> dict[str, Any]:
    """The chosen clustering, in the fields of both methods."""
    given: Any = x
    if form == "named rows":
        n, p = x.shape
        given = pd.DataFrame(x, [f"row{i + 1}" for i in range(n)], [f"v{j + 1}" for j in range(p)])
    found = rcompat.pamk(rcompat.dist(x) if form == "dist" else given, rng=rng, **args)
    fit = found.pamobject
    fields = {"nc": found.nc, "crit": found.crit, "printed": printed(found)}
    if fit is None:
        return fields
    names = ("objective", "clustering", "medoids", "clusinfo")
    fields |= {name: fit[name] for name in names} | {"call": printed(fit.call)}
    fields["avg.width"] = None if fit.get("silinfo") is None else fit.silinfo.avg_width
    if "data" in fit:
        kept = fit.data.attributes
        fields |= {"data": fit.data} | {name: kept.get(f"scaled:{name}") for name in ("center", "scale")}
    return fields


CALLS = {"cluster.stats": _cluster_stats, "pamk": _pamk, "prediction.strength": _prediction_strength}
"""Calls, by the name of the R function."""
