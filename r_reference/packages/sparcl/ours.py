"""Python calls for sparcl's hierarchical clustering: numbers of the trees, sums of the distances."""

from typing import Any

import numpy as np

from sparsek import rcompat
from sparsek.bits.ordered_arithmetic import long_column_sums
from sparsek.rng import RRandom


def _tree(tree: Any) -> dict[str, Any]:
    """The numbers of a tree."""
    return {name: tree[name] for name in ("merge", "height", "order")}


def _column_sums(dists: np.ndarray) -> np.ndarray:
    """Column sums of the distances, as by R's ``colSums``."""
    return long_column_sums(dists)


def _hierarchical(
    x: np.ndarray, rng: RRandom, complement: bool = False, reuse: bool = False, **args: Any
) -> dict[str, Any]:
    """The numbers of a sparse hierarchical clustering; ``calls.R`` explains complement and reuse."""
    fit = rcompat.HierarchicalSparseCluster(x, **args, rng=rng)
    if complement:
        fit = rcompat.HierarchicalSparseCluster(x, **args, uorth=fit["u"], rng=rng)
    if reuse:
        fit = rcompat.HierarchicalSparseCluster(dists=fit["dists"], **args, rng=rng)
    fields = {name: fit[name] for name in ("ws", "u", "crit", "wbound")}
    fields |= {"hc": _tree(fit["hc"]), "dists": _column_sums(fit["dists"])}
    return fields | ({"hc.features": _tree(fit["hc.features"])} if "hc.features" in fit else {})


def _hierarchical_permute(x: np.ndarray, rng: RRandom, **args: Any) -> dict[str, Any]:
    """The gap of a sparse hierarchical clustering, with the sums of the distances."""
    fit = rcompat.HierarchicalSparseCluster_permute(x, **args, rng=rng)
    return {**fit, "dists": _column_sums(fit["dists"])}


CALLS = {
    "HierarchicalSparseCluster": _hierarchical,
    "HierarchicalSparseCluster.permute": _hierarchical_permute,
}
"""Calls, by the name of the R function."""
