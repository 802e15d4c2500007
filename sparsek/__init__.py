"""Sparse k-means and its relatives, with R's answers under R's seeds.

Nothing is loaded before it is used: a public name imports its module when it is first asked for (PEP 562).
Type checkers and editors read `__init__.pyi`, which names the same modules (tests/test_lazy.py).
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# The module of every public name, below `sparsek`.  A new name goes here and into __init__.pyi.
_MODULES = {
    "PairwiseConstraints": "core.constraints",
    "ConstraintSplitter": "estimators._constraint_splits",
    "MPCKMeans": "estimators.constrained",
    "PCKMeans": "estimators.constrained",
    "COPKMeans": "estimators.constrained_hard",
    "PCSparseKMeans": "estimators.constrained_sparse",
    "ConstraintScores": "estimators.constraint_validation",
    "cross_validate_constraints": "estimators.constraint_validation",
    "l1_bound_grid": "estimators.constraint_validation",
    "ConsensusClustering": "estimators.consensus",
    "COSA": "estimators.cosa",
    "cosa_distances": "estimators.cosa",
    "DEC": "estimators.dec",
    "EntropyWeightedKMeans": "estimators.entropy",
    "FeatureGroupKMeans": "estimators.feature_groups",
    "TwoLevelKMeans": "estimators.feature_groups",
    "SparseAgglomerativeClustering": "estimators.hierarchical",
    "KernelKMeans": "estimators.kernel",
    "MADDKMeans": "estimators.madd",
    "madd_distances": "estimators.madd",
    "GeometricKMedians": "estimators.medians",
    "MinMaxKMeans": "estimators.minmax",
    "l1_bound_path": "estimators.minmax_path",
    "KPod": "estimators.missing",
    "PermutationGap": "estimators.permutation_gap",
    "EntropyWeightedPowerKMeans": "estimators.power",
    "PowerKMeans": "estimators.power",
    "SKFR": "estimators.ranking",
    "skfr_path": "estimators.ranking_path",
    "RobustSparseKMeans": "estimators.robust",
    "WeightedRobustSparseKMeans": "estimators.robust_weighted",
    "SparseKMeans": "estimators.sparse",
    "SparseKernelKMeans": "estimators.sparse_kernel",
    "SparseMinMaxKMeans": "estimators.sparse_minmax",
    "IFPCA": "estimators.spectral",
    "SpectralGEM": "estimators.spectral_gem",
    "StabilitySelection": "estimators.stability",
}
_SUBMODULES = ("compare", "datasets", "errors", "init", "metrics", "plots", "rcompat", "rng", "summary")

__all__ = ["__version__", *_MODULES]


def __getattr__(name: str) -> Any:
    """Import what is asked for first."""
    if name in _MODULES:
        value = getattr(import_module(f"sparsek.{_MODULES[name]}"), name)
        globals()[name] = value  # asked for once only
        return value
    if name in _SUBMODULES:
        return import_module(f"sparsek.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names and modules, loaded or not."""
    return sorted({*globals(), *__all__, *_SUBMODULES})
