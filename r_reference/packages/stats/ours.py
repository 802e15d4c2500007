"""Python calls for distances and trees, made from data as in ``calls.R``."""

from typing import Any

import numpy as np
import pandas as pd

from r_reference.packages.stats.cases_trees import DISTANCES, METHODS
from sparsek import rcompat


def _dist(x: Any, **args: Any) -> dict[str, Any]:
    """The distances of the rows of x and their attributes."""
    d = rcompat.dist(x, **args)
    known = d.attributes
    fields = {name: known.get(name) for name in ("Size", "Diag", "Upper")}
    return {
        "distances": np.asarray(d),
        **fields,
        "method": DISTANCES.index(known["method"]) + 1,
        "p": known.get("p"),
    }


def _hclust(
    x: Any, method: str, metric: str = "euclidean", power: float = 1, named: bool = False, **args: Any
) -> dict[str, Any]:
    """The tree of the distances of x."""
    names = [f"row{i + 1}" for i in range(len(x))]
    d = rcompat.dist(pd.DataFrame(x, index=names) if named else x, metric) ** power
    tree = rcompat.hclust(d, method, **args)
    labels = tree.labels and [names.index(label) + 1 for label in tree.labels]
    places = {"method": METHODS.index(tree.method) + 1, "dist.method": DISTANCES.index(tree.dist_method) + 1}
    return {**tree, "labels": np.array(labels) if labels else None, **places}


def _cutree(x: Any, method: str, **cuts: Any) -> Any:
    """The groups of the tree of the distances of x."""
    return rcompat.cutree(rcompat.hclust(rcompat.dist(x), method), **cuts)


CALLS = {"dist": _dist, "hclust": _hclust, "cutree": _cutree}
"""Calls, by the name of the R function."""
