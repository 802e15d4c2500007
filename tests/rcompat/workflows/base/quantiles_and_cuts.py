"""Features chosen by their spread: deviations over means above a quantile, then clustered."""

import numpy as np

from sparsek.rcompat import colMeans, cumsum, kmeans, matrix, mean, quantile, rexp, scale, sd, set_seed

set_seed(90)
x = matrix(rexp(400, np.repeat([0.5, 1, 2, 4], 100)), 40)
variation = [sd(column) / mean(column) for column in x.T]
limit = quantile(variation, 0.6)
chosen = np.flatnonzero(variation > limit) + 1
z = scale(x[:, chosen - 1])
fit = kmeans(z, 3, nstart=8)
by_group = np.column_stack([colMeans(x[fit.cluster == k][:, chosen - 1]) for k in range(1, 4)])
inner = np.diff(quantile(x, [0.25, 0.75]))
running = cumsum(np.sort(x[:, 0])) / np.arange(1, 41)
