"""kpod on the data of makeData, as in the package's example."""

import numpy as np

from sparsek.rcompat import findMissing, kpod, makeData, mean, set_seed

set_seed(42)
p = 5
n = 50
k = 3
sigma = 0.25
missing = 0.1
data = makeData(p, n, k, sigma, missing)
X = data.Missing
holes = findMissing(X)
fit = kpod(X, k)
size = np.bincount(fit.cluster)[1:]
right = mean(fit.cluster == data.truth)
