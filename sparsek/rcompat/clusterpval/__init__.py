"""R's package clusterpval."""

from sparsek.rcompat.clusterpval.api import (
    test_clusters_approx,
    test_complete_hier_clusters_approx,
    test_hier_clusters_exact,
)

__all__ = ["test_clusters_approx", "test_complete_hier_clusters_approx", "test_hier_clusters_exact"]
