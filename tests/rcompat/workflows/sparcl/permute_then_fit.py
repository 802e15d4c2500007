"""Scaled data, a bound chosen by permutation, a fit at that bound."""

import numpy as np

from sparsek.rcompat import KMeansSparseCluster, KMeansSparseCluster_permute, matrix, rnorm, scale, set_seed

set_seed(11)
x = matrix(rnorm(40 * 20), ncol=20)
x[:20, :6] = x[:20, :6] + 1.5
x = scale(x, True, True)
perm = KMeansSparseCluster_permute(x, K=2, wbounds=np.linspace(1.5, 4, 6), nperms=4, silent=True)
fit = KMeansSparseCluster(x, K=2, wbounds=perm.bestw, silent=True)
perm.print()
fit.print()
kept = np.flatnonzero(fit[0].ws > 0) + 1
clusters = fit[0].Cs
