"""Robust sparse k-means on contaminated rows: which rows are trimmed."""

import numpy as np

from sparsek.rcompat import CER, RSKC, matrix, rnorm, scale, set_seed

set_seed(6)
x = matrix(rnorm(40 * 10), 40)
x[:20, :3] = x[:20, :3] + 3
bad = np.array([5, 17, 31])
x[bad - 1, 7] = 25
x = scale(x)
fit = RSKC(x, ncl=2, alpha=0.1, L1=2, nstart=20)
trimmed = np.union1d(fit.oW, fit.oE)
found = np.isin(bad, trimmed).all()
order_of_weights = np.argsort(-fit.weights, kind="stable") + 1
error = CER(fit.labels, np.repeat([1, 2], 20))
