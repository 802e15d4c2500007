"""Clusters against classes in a table, and the share of rows on the best match."""

import numpy as np
import pandas as pd

from sparsek.rcompat import kmeans, matrix, rnorm, sample, set_seed

set_seed(5)
classes = sample([1, 2, 3], 60, replace=True)
x = matrix(rnorm(120), 60) + 2.5 * np.column_stack([classes, -classes])
fit = kmeans(x, 3, nstart=10)
counts = pd.crosstab(classes, fit.cluster).to_numpy()
purity = counts.max(axis=0).sum() / 60
shares = counts / counts.sum(axis=1, keepdims=True)
sizes = np.bincount(fit.cluster)[1:]
