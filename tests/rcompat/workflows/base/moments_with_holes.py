"""Means, covariances and correlations of data with missing cells."""

import numpy as np

from sparsek.rcompat import (
    colMeans,
    colSums,
    cor,
    cov,
    dist,
    matrix,
    rnorm,
    rowSums,
    sample,
    scale,
    set_seed,
    var,
)

set_seed(33)
x = matrix(rnorm(100, 5, 2), 25)
rows, columns = np.unravel_index(sample(100, 9) - 1, x.shape, order="F")
x[rows, columns] = np.nan
means = colMeans(x, na_rm=True)
sums = rowSums(x, na_rm=True)
filled = x.copy()
for j in range(1, 5):
    filled[np.isnan(x[:, j - 1]), j - 1] = means[j - 1]
z = scale(x)
covariance = cov(x, use="complete.obs")
correlation = cor(filled)
d = dist(x)
missing = colSums(np.isnan(x))
variances = [var(column, na_rm=True) for column in x.T]
