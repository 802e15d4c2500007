"""R's names, arguments, quirks and 1-based labels; the same answers as R under the same seed."""

from sparsek.rcompat._agreement import CER, Sensitivity
from sparsek.rcompat._clues import adjustedRand
from sparsek.rcompat._fgkm import fgkm, twkm
from sparsek.rcompat._gmedian import Gmedian, GmedianCov, Weiszfeld, WeiszfeldCov
from sparsek.rcompat._hclust import cutree, dist, hclust
from sparsek.rcompat._hierarchical import HierarchicalSparseCluster, HierarchicalSparseCluster_permute
from sparsek.rcompat._hierarchical_results import ColorDendrogram, SparseHierarchy, SparseHierarchyGap
from sparsek.rcompat._hierarchical_wrapper import HierarchicalSparseCluster_wrapper
from sparsek.rcompat._kgmedian import kGmedian
from sparsek.rcompat._kmeans import KMeansResult, kmeans
from sparsek.rcompat._kpod import assign_clustpp, findMissing, initialImpute, kmpp, kpod, makeData
from sparsek.rcompat._rlist import RList
from sparsek.rcompat._rskc import RSKC, RobustClusters
from sparsek.rcompat._rskc_tools import Clest, ClestResult, revisedsil
from sparsek.rcompat._sparcl import KMeansSparseCluster, KMeansSparseCluster_permute
from sparsek.rcompat._sparcl_results import SparseClusterGap, SparseClusters
from sparsek.rcompat._stream import RNGkind, resolve_rng, rexp, rnorm, runif, sample, sample_int, set_seed
from sparsek.rcompat._wrsk import ROBIN, lof, wrk, wrsk
from sparsek.rcompat._wrsk_gap import GetOutRates, SimData, wrskGap
from sparsek.rcompat._wskm import ewkm, predict_ewkm
from sparsek.rcompat._wskm_results import EntropyClusters, WeightedClusters

__all__ = [
    "CER",
    "ROBIN",
    "RSKC",
    "Clest",
    "ClestResult",
    "ColorDendrogram",
    "EntropyClusters",
    "GetOutRates",
    "Gmedian",
    "GmedianCov",
    "HierarchicalSparseCluster",
    "HierarchicalSparseCluster_permute",
    "HierarchicalSparseCluster_wrapper",
    "KMeansResult",
    "KMeansSparseCluster",
    "KMeansSparseCluster_permute",
    "RList",
    "RNGkind",
    "RobustClusters",
    "Sensitivity",
    "SimData",
    "SparseClusterGap",
    "SparseClusters",
    "SparseHierarchy",
    "SparseHierarchyGap",
    "WeightedClusters",
    "Weiszfeld",
    "WeiszfeldCov",
    "adjustedRand",
    "assign_clustpp",
    "cutree",
    "dist",
    "ewkm",
    "fgkm",
    "findMissing",
    "hclust",
    "initialImpute",
    "kGmedian",
    "kmeans",
    "kmpp",
    "kpod",
    "lof",
    "makeData",
    "predict_ewkm",
    "resolve_rng",
    "revisedsil",
    "rexp",
    "rnorm",
    "runif",
    "sample",
    "sample_int",
    "set_seed",
    "twkm",
    "wrk",
    "wrsk",
    "wrskGap",
]
