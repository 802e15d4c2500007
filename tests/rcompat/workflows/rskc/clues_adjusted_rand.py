"""Five indices of agreement between k-means, a tree and the truth, over seeds."""

import numpy as np

from sparsek.rcompat import adjustedRand, colMeans, cutree, dist, hclust, kmeans, matrix, rnorm, set_seed

truth = np.repeat([1, 2, 3], [10, 14, 16])
indices = np.full((5, 5), np.nan)
for seed in range(1, 6):
    set_seed(seed)
    x = matrix(rnorm(80), 40) + 2 * truth[:, None]
    a = kmeans(x, 3, nstart=3).cluster
    indices[seed - 1] = list(adjustedRand(a, truth).values())
b = cutree(hclust(dist(x), "average"), 3)
one = adjustedRand(a, b, randMethod="HA")
means = colMeans(indices)
ranges = np.array([indices.min(axis=0), indices.max(axis=0)])
