"""RSKC with holes in the data and its own scaling; the silhouettes that go with it."""

import numpy as np

from sparsek.rcompat import RSKC, Sensitivity, matrix, revisedsil, rweibull, set_seed

set_seed(29)
x = matrix(rweibull(36 * 5, 2, 3), 36)
x[:18, :2] = x[:18, :2] + 6
x[[1, 8, 29], [4, 2, 3]] = np.nan
fit = RSKC(x, 2, alpha=0.05, L1=1.8, nstart=15, scaling=True)
shares = Sensitivity(fit.labels, np.repeat([1, 2], 18)).marginal
full = x[~np.isnan(x).any(axis=1)]
again = RSKC(full, 2, alpha=0.1, L1=1.8, nstart=15)
sil = revisedsil(full, again)
