"""Sparse k-means and its relatives, with R's answers under R's seeds."""

from sparsek.estimators.entropy import EntropyWeightedKMeans
from sparsek.estimators.feature_groups import FeatureGroupKMeans, TwoLevelKMeans
from sparsek.estimators.hierarchical import SparseAgglomerativeClustering
from sparsek.estimators.medians import GeometricKMedians
from sparsek.estimators.missing import KPod
from sparsek.estimators.permutation_gap import PermutationGap
from sparsek.estimators.power import EntropyWeightedPowerKMeans, PowerKMeans
from sparsek.estimators.ranking import SKFR
from sparsek.estimators.ranking_path import skfr_path
from sparsek.estimators.robust import RobustSparseKMeans
from sparsek.estimators.robust_weighted import WeightedRobustSparseKMeans
from sparsek.estimators.sparse import SparseKMeans

__version__ = "0.1.0"
__all__ = [
    "SKFR",
    "EntropyWeightedKMeans",
    "EntropyWeightedPowerKMeans",
    "FeatureGroupKMeans",
    "GeometricKMedians",
    "KPod",
    "PermutationGap",
    "PowerKMeans",
    "RobustSparseKMeans",
    "SparseAgglomerativeClustering",
    "SparseKMeans",
    "TwoLevelKMeans",
    "WeightedRobustSparseKMeans",
    "__version__",
    "skfr_path",
]
