"""Sparse hierarchical clustering: permute, fit on the same distances, cut the tree."""

import numpy as np

from sparsek.rcompat import (
    HierarchicalSparseCluster,
    HierarchicalSparseCluster_permute,
    cutree,
    matrix,
    rnorm,
    scale,
    set_seed,
)

set_seed(1)
x = matrix(rnorm(24 * 12), 24)
x[:12, :4] = x[:12, :4] - 2
x = scale(x, True, True)
perm = HierarchicalSparseCluster_permute(x, wbounds=[1.5, 2, 3], nperms=3)
fit = HierarchicalSparseCluster(dists=perm.dists, wbound=perm.bestw, method="complete", silent=True)
groups = cutree(fit.hc, k=2)
nested = cutree(fit.hc, k=range(2, 5))
used = np.count_nonzero(fit.ws)
truth = np.repeat([1, 2], 12)
wrong = min(np.count_nonzero(groups != truth), np.count_nonzero(groups != 3 - truth))
fit.print()
perm.print()
