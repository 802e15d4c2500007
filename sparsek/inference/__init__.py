"""Tests of clusters and features found in the same data: p-values that hold after clustering.

The functions are named ``test_...``: in a module of pytest, write ``from sparsek import inference`` and call
``inference.test_kmeans``, so that pytest does not take them for tests of its own.
"""

from sparsek._docstrings import complete
from sparsek.inference.assumptions import check_assumptions
from sparsek.inference.exact import test_kmeans
from sparsek.inference.features import test_feature, test_features
from sparsek.inference.hierarchical import LinkageClustering, test_hierarchical
from sparsek.inference.monte_carlo import test_clusters
from sparsek.inference.multimodal import test_multimodal
from sparsek.inference.noise import estimate_sigma
from sparsek.inference.one_cluster import OneClusterTest, test_one_cluster
from sparsek.inference.pairs import test_pairs
from sparsek.inference.results import ClusterTest
from sparsek.inference.thinned import ThinnedTest, test_thinned

__all__ = [
    "ClusterTest",
    "LinkageClustering",
    "OneClusterTest",
    "ThinnedTest",
    "check_assumptions",
    "estimate_sigma",
    "test_clusters",
    "test_feature",
    "test_features",
    "test_hierarchical",
    "test_kmeans",
    "test_multimodal",
    "test_one_cluster",
    "test_pairs",
    "test_thinned",
]

_TEXTS = {
    "sigma": (
        "Noise: its standard deviation in the unit of X, its covariance matrix, or the method of "
        '`estimate_sigma` to be used on X. None means "shrunk" for complete data of at most 2000 features, '
        'else "sample".'
    )
}
complete((globals()[name] for name in __all__), _TEXTS)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
