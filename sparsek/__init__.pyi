from sparsek import compare as compare
from sparsek import datasets as datasets
from sparsek import errors as errors
from sparsek import init as init
from sparsek import metrics as metrics
from sparsek import plots as plots
from sparsek import rcompat as rcompat
from sparsek import rng as rng
from sparsek import summary as summary
from sparsek.core.constraints import PairwiseConstraints
from sparsek.estimators._constraint_splits import ConstraintSplitter
from sparsek.estimators.consensus import ConsensusClustering
from sparsek.estimators.constrained import MPCKMeans, PCKMeans
from sparsek.estimators.constrained_hard import COPKMeans
from sparsek.estimators.constrained_sparse import PCSparseKMeans
from sparsek.estimators.constraint_validation import (
    ConstraintScores,
    cross_validate_constraints,
    l1_bound_grid,
)
from sparsek.estimators.cosa import COSA, cosa_distances
from sparsek.estimators.dec import DEC
from sparsek.estimators.entropy import EntropyWeightedKMeans
from sparsek.estimators.feature_groups import FeatureGroupKMeans, TwoLevelKMeans
from sparsek.estimators.hierarchical import SparseAgglomerativeClustering
from sparsek.estimators.kernel import KernelKMeans
from sparsek.estimators.madd import MADDKMeans, madd_distances
from sparsek.estimators.medians import GeometricKMedians
from sparsek.estimators.minmax import MinMaxKMeans
from sparsek.estimators.minmax_path import l1_bound_path
from sparsek.estimators.missing import KPod
from sparsek.estimators.permutation_gap import PermutationGap
from sparsek.estimators.power import EntropyWeightedPowerKMeans, PowerKMeans
from sparsek.estimators.ranking import SKFR
from sparsek.estimators.ranking_path import skfr_path
from sparsek.estimators.robust import RobustSparseKMeans
from sparsek.estimators.robust_weighted import WeightedRobustSparseKMeans
from sparsek.estimators.sparse import SparseKMeans
from sparsek.estimators.sparse_kernel import SparseKernelKMeans
from sparsek.estimators.sparse_minmax import SparseMinMaxKMeans
from sparsek.estimators.spectral import IFPCA
from sparsek.estimators.spectral_gem import SpectralGEM
from sparsek.estimators.stability import StabilitySelection

__version__: str
__all__ = [
    "COSA",
    "DEC",
    "IFPCA",
    "SKFR",
    "COPKMeans",
    "ConsensusClustering",
    "ConstraintScores",
    "ConstraintSplitter",
    "EntropyWeightedKMeans",
    "EntropyWeightedPowerKMeans",
    "FeatureGroupKMeans",
    "GeometricKMedians",
    "KPod",
    "KernelKMeans",
    "MADDKMeans",
    "MPCKMeans",
    "MinMaxKMeans",
    "PCKMeans",
    "PCSparseKMeans",
    "PairwiseConstraints",
    "PermutationGap",
    "PowerKMeans",
    "RobustSparseKMeans",
    "SparseAgglomerativeClustering",
    "SparseKMeans",
    "SparseKernelKMeans",
    "SparseMinMaxKMeans",
    "SpectralGEM",
    "StabilitySelection",
    "TwoLevelKMeans",
    "WeightedRobustSparseKMeans",
    "__version__",
    "cosa_distances",
    "cross_validate_constraints",
    "l1_bound_grid",
    "l1_bound_path",
    "madd_distances",
    "skfr_path",
]
