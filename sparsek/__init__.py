"""Sparse k-means and its relatives, with R's answers under R's seeds."""

from sparsek.estimators.permutation_gap import PermutationGap
from sparsek.estimators.ranking import SKFR
from sparsek.estimators.sparse import SparseKMeans

__version__ = "0.1.0"
__all__ = ["SKFR", "PermutationGap", "SparseKMeans", "__version__"]
