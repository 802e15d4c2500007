"""Clusters against classes in a table, and the share of rows on the best match."""

import numpy as np

from sparsek.rcompat import RArray, kmeans, matrix, rnorm, sample, set_seed, table

set_seed(5)
classes = sample([1, 2, 3], 60, replace=True)
shifts = RArray(np.column_stack([classes, -classes]), dimnames=(None, ["classes", ""]))
x = matrix(rnorm(120), 60) + 2.5 * shifts
fit = kmeans(x, 3, nstart=10)
counts = table(classes, fit.cluster)
purity = counts.max(axis=0).sum() / 60
shares = counts / counts.sum(axis=1, keepdims=True)
sizes = table(fit.cluster)
