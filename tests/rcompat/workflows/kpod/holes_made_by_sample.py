"""Holes punched by sample, k-POD for several k, the total within over k."""

import numpy as np

from sparsek.rcompat import initialImpute, kmeans, kpod, matrix, rnorm, sample, set_seed

set_seed(99)
x = np.vstack([matrix(rnorm(80, 0, 0.6), ncol=4), matrix(rnorm(80, 3, 0.6), ncol=4)])
full = x.copy()
rows, columns = np.unravel_index(sample(x.size, 24) - 1, x.shape, order="F")
x[rows, columns] = np.nan
share = np.isnan(x).sum() / x.size
first = initialImpute(x)
fits = [kpod(x, k) for k in range(2, 5)]
final = [fit.fit for fit in fits]
clusters = np.column_stack([fit.cluster for fit in fits])
complete = kmeans(full, 2, nstart=10)
same = np.count_nonzero(fits[0].cluster == complete.cluster)
