"""A small simulation: over seeds, the share of rows that each method puts right."""

import numpy as np

from sparsek.rcompat import (
    HierarchicalSparseCluster,
    KMeansSparseCluster,
    colMeans,
    cutree,
    kmeans,
    matrix,
    mean,
    rnorm,
    scale,
    sd,
    set_seed,
)


def agreement(found, truth):
    return max(mean(found == truth), mean(found != truth))


truth = np.repeat([1, 2], 10)
results = np.full((4, 3), np.nan)
for seed in range(1, 5):
    set_seed(seed)
    x = matrix(rnorm(20 * 25), 20)
    x[truth == 2, :5] = x[truth == 2, :5] + 1.7
    x = scale(x)
    plain = kmeans(x, 2, nstart=10).cluster
    sparse = KMeansSparseCluster(x, K=2, wbounds=2.2, nstart=10, silent=True)[0].Cs
    tree = HierarchicalSparseCluster(x, wbound=2.2, method="complete", silent=True)
    found = [plain, sparse, cutree(tree.hc, k=2)]
    results[seed - 1] = [agreement(groups, truth) for groups in found]
means = colMeans(results)
spread = [sd(column) for column in results.T]
