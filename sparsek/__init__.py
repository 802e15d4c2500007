"""Sparse k-means and its relatives, with R's answers under R's seeds.

Nothing is loaded before it is used: a public name imports its module at its first use (PEP 562).
Type checkers and editors read `__init__.pyi`, which names the same modules (tests/package/test_lazy.py).
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# The module of every public name, below `sparsek`.  A new name goes here and into __init__.pyi.
_MODULES = {
    "PairwiseConstraints": "methods.constrained.constraints",
    "ConstraintSplitter": "methods.constrained.splits",
    "MPCKMeans": "methods.constrained.soft",
    "PCKMeans": "methods.constrained.soft",
    "COPKMeans": "methods.constrained.hard",
    "PCSparseKMeans": "methods.constrained.sparse",
    "ConstraintScores": "methods.constrained.validation",
    "cross_validate_constraints": "methods.constrained.validation",
    "l1_bound_grid": "methods.constrained.validation",
    "ConsensusClustering": "methods.search.consensus",
    "COSA": "methods.cosa.estimator",
    "cosa_distances": "methods.cosa.estimator",
    "DEC": "methods.dec.estimator",
    "EntropyWeightedKMeans": "methods.entropy.estimator",
    "FeatureGroupKMeans": "methods.entropy.groups",
    "TwoLevelKMeans": "methods.entropy.groups",
    "SparseAgglomerativeClustering": "methods.sparse_hierarchical.estimator",
    "KernelKMeans": "methods.kernel.estimator",
    "MADDKMeans": "methods.madd.estimator",
    "madd_distances": "methods.madd.estimator",
    "GeometricKMedians": "methods.kmedians.estimator",
    "MinMaxKMeans": "methods.minmax.estimator",
    "l1_bound_path": "methods.minmax.path",
    "KPod": "methods.kpod.estimator",
    "PermutationGap": "methods.search.permutation_gap",
    "EntropyWeightedPowerKMeans": "methods.power.estimator",
    "PowerKMeans": "methods.power.estimator",
    "SKFR": "methods.skfr.estimator",
    "skfr_path": "methods.skfr.path",
    "RobustSparseKMeans": "methods.robust.estimator",
    "WeightedRobustSparseKMeans": "methods.robust.weighted_estimator",
    "SparseKMeans": "methods.sparse_kmeans.estimator",
    "SparseKernelKMeans": "methods.kernel.sparse_estimator",
    "SparseMinMaxKMeans": "methods.minmax.sparse_estimator",
    "IFPCA": "methods.spectral.ifpca_estimator",
    "SpectralGEM": "methods.spectral.gem_estimator",
    "StabilitySelection": "methods.search.stability",
}
_SUBMODULES = ("compare", "datasets", "errors", "init", "metrics", "plots", "rcompat", "rng", "summary")

__all__ = ["__version__", *_MODULES]


def __getattr__(name: str) -> Any:
    """Import the module of a name at its first use."""
    if name in _MODULES:
        value = getattr(import_module(f"sparsek.{_MODULES[name]}"), name)
        globals()[name] = value  # found directly from now on
        return value
    if name in _SUBMODULES:
        return import_module(f"sparsek.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names and modules, loaded or not."""
    return sorted({*globals(), *__all__, *_SUBMODULES})
