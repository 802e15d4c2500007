"""The total within sum of squares over k, for the elbow."""

import numpy as np

from sparsek.rcompat import kmeans, matrix, rnorm, set_seed, sum, var

set_seed(123)
x = np.vstack([matrix(rnorm(100, sd=0.3), ncol=2), matrix(rnorm(100, mean=1, sd=0.3), ncol=2)])
results = np.full((7, 2), np.nan)
for i in range(2, 9):
    fit = kmeans(x, i)
    results[i - 2, 0] = i
    results[i - 2, 1] = fit["tot.withinss"]
wss = (len(x) - 1) * sum([var(column) for column in x.T])
ratio = []
for k in range(1, 9):
    each = kmeans(x, k, nstart=10)
    ratio.append(each.betweenss / each.totss)
