"""A mixture: classes by sample with weights, rows by rnorm with means by class."""

import numpy as np

from sparsek.rcompat import KMeansSparseCluster, matrix, mean, rnorm, sample, scale, set_seed

set_seed(64)
n = 45
classes = sample([1, 2, 3], n, replace=True, prob=[0.5, 0.3, 0.2])
centers = np.array([[0, 0, 0], [4, 0, 0], [0, 4, 0]])
x = matrix(rnorm(n * 3), n, 3) + centers[classes - 1]
noise = matrix(rnorm(n * 9), n, 9)
x = np.column_stack([x, noise])
fit = KMeansSparseCluster(scale(x), K=3, wbounds=1.7, silent=True)[0]
counts = np.bincount(classes, minlength=4)[1:]
rate = mean(fit.Cs == classes)
chosen = np.argsort(-fit.ws, kind="stable")[:2] + 1
