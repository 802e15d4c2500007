from sparsek import anndata as anndata
from sparsek import compare as compare
from sparsek import datasets as datasets
from sparsek import engine as engine
from sparsek import errors as errors
from sparsek import federated as federated
from sparsek import inference as inference
from sparsek import init as init
from sparsek import metrics as metrics
from sparsek import plots as plots
from sparsek import rcompat as rcompat
from sparsek import rng as rng
from sparsek import summary as summary
from sparsek._cluster import cluster
from sparsek.engine import get_engine, set_engine
from sparsek.inference.explanation import explain
from sparsek.methods.constrained.constraints import PairwiseConstraints
from sparsek.methods.constrained.hard import COPKMeans
from sparsek.methods.constrained.soft import MPCKMeans, PCKMeans
from sparsek.methods.constrained.sparse import PCSparseKMeans
from sparsek.methods.constrained.splits import ConstraintSplitter
from sparsek.methods.constrained.validation import (
    ConstraintScores,
    cross_validate_constraints,
    l1_bound_grid,
)
from sparsek.methods.cosa.estimator import COSA, cosa_distances
from sparsek.methods.dec.estimator import DEC
from sparsek.methods.entropy.estimator import EntropyWeightedKMeans
from sparsek.methods.entropy.groups import FeatureGroupKMeans, TwoLevelKMeans
from sparsek.methods.factor_mixture.estimator import FactorSparseMixture
from sparsek.methods.filters.estimator import EntropyRanking, LaplacianScore
from sparsek.methods.kernel.estimator import KernelKMeans
from sparsek.methods.kernel.sparse_estimator import SparseKernelKMeans
from sparsek.methods.kmedians.estimator import GeometricKMedians
from sparsek.methods.kpod.estimator import KPod
from sparsek.methods.madd.estimator import MADDKMeans, madd_distances
from sparsek.methods.maps.estimator import SelfOrganizingMap
from sparsek.methods.minmax.estimator import MinMaxKMeans
from sparsek.methods.minmax.path import l1_bound_path
from sparsek.methods.minmax.sparse_estimator import SparseMinMaxKMeans
from sparsek.methods.power.estimator import EntropyWeightedPowerKMeans, PowerKMeans
from sparsek.methods.robust.estimator import RobustSparseKMeans
from sparsek.methods.robust.weighted_estimator import WeightedRobustSparseKMeans
from sparsek.methods.search.choice.model_choice import ModelChoice
from sparsek.methods.search.choice.prediction_strength import PredictionStrength
from sparsek.methods.search.choice.selection_consistency import SelectionConsistency
from sparsek.methods.search.choice.thinned_search import ThinnedSearch
from sparsek.methods.search.choice.thinning import thin
from sparsek.methods.search.choice.weakest_separation import WeakestSeparation
from sparsek.methods.search.consensus import ConsensusClustering
from sparsek.methods.search.entry_validation import EntryCrossValidation
from sparsek.methods.search.nulls.feature_fdr import FeatureFDR
from sparsek.methods.search.permutation_gap import PermutationGap
from sparsek.methods.search.stability import StabilitySelection
from sparsek.methods.search.uncertainty.fit_uncertainty import FitUncertainty
from sparsek.methods.skfr.certificate import Certificate
from sparsek.methods.skfr.estimator import SKFR
from sparsek.methods.skfr.path import skfr_path
from sparsek.methods.sparse_hierarchical.estimator import SparseAgglomerativeClustering
from sparsek.methods.sparse_kmeans.estimator import SparseKMeans
from sparsek.methods.spectral.gem_estimator import SpectralGEM
from sparsek.methods.spectral.ifpca_estimator import IFPCA

__version__: str
__all__ = [
    "COSA",
    "DEC",
    "IFPCA",
    "SKFR",
    "COPKMeans",
    "Certificate",
    "ConsensusClustering",
    "ConstraintScores",
    "ConstraintSplitter",
    "EntropyRanking",
    "EntropyWeightedKMeans",
    "EntropyWeightedPowerKMeans",
    "EntryCrossValidation",
    "FactorSparseMixture",
    "FeatureFDR",
    "FeatureGroupKMeans",
    "FitUncertainty",
    "GeometricKMedians",
    "KPod",
    "KernelKMeans",
    "LaplacianScore",
    "MADDKMeans",
    "MPCKMeans",
    "MinMaxKMeans",
    "ModelChoice",
    "PCKMeans",
    "PCSparseKMeans",
    "PairwiseConstraints",
    "PermutationGap",
    "PowerKMeans",
    "PredictionStrength",
    "RobustSparseKMeans",
    "SelectionConsistency",
    "SelfOrganizingMap",
    "SparseAgglomerativeClustering",
    "SparseKMeans",
    "SparseKernelKMeans",
    "SparseMinMaxKMeans",
    "SpectralGEM",
    "StabilitySelection",
    "ThinnedSearch",
    "TwoLevelKMeans",
    "WeakestSeparation",
    "WeightedRobustSparseKMeans",
    "__version__",
    "cluster",
    "cosa_distances",
    "cross_validate_constraints",
    "explain",
    "get_engine",
    "l1_bound_grid",
    "l1_bound_path",
    "madd_distances",
    "set_engine",
    "skfr_path",
    "thin",
]
