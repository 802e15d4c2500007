"""Python calls of NbClust, made as in ``calls.R``."""

from typing import Any

import numpy as np

from sparsek import rcompat
from sparsek.rng import RRandom


def _nbclust(x: np.ndarray, form: str = "rows", *, rng: RRandom, **args: Any) -> dict[str, Any]:
    """The indices and their choice."""
    if form == "rows":
        found = rcompat.NbClust(x, rng=rng, **args)
    else:
        data = x if form == "both" else None
        found = rcompat.NbClust(data, diss=rcompat.dist(x), distance=None, rng=rng, **args)
    return {name: _kept(field) for name, field in found.items()}


def _kept(field: Any) -> dict[str, Any]:
    """The values of a field, and their names as numbers of characters."""
    known = getattr(field, "attributes", {})
    values, names = np.asarray(field), known.get("names")
    if "dimnames" in known:
        names = [name for side in known["dimnames"] for name in side]
    return {"values": values, "names": None if names is None else np.array([*map(ord, " ".join(names))])}


CALLS = {"NbClust": _nbclust}
"""Calls, by the name of the R function."""
