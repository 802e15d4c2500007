"""A path of bounds: how many features keep a weight, and how the objective grows."""

import numpy as np

from sparsek.rcompat import KMeansSparseCluster, matrix, rnorm, set_seed

set_seed(20)
groups = np.repeat([1, 2, 3], 12)
x = matrix(rnorm(36 * 15), 36, 15)
x[:, :4] = x[:, :4] + 2 * groups[:, None]
bounds = [1.3, 1.8, 2.5, 3.2]
fits = KMeansSparseCluster(x, K=3, wbounds=bounds, nstart=10, silent=True)
nonzero = [np.count_nonzero(fit.ws) for fit in fits]
last = [fit.crit[-1] for fit in fits]
weights = np.column_stack([fit.ws for fit in fits])
errors = [np.count_nonzero(groups != fit.Cs) for fit in fits]
fits.print()
