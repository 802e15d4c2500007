"""The parts of the sum of squares by hand, beside those of kmeans."""

import numpy as np

from sparsek.rcompat import kmeans, matrix, rnorm, scale, set_seed, sum

set_seed(71)
x = np.vstack([matrix(rnorm(60, 0, 1), 20), matrix(rnorm(60, 4, 1), 20)])
fit = kmeans(x, 2, nstart=5)
residuals = x - fit.centers[fit.cluster - 1]
within = sum(residuals**2)
total = sum(scale(x, scale=False) ** 2)
parts = [sum(residuals[fit.cluster == k] ** 2) for k in range(1, 3)]
explained = 1 - within / total
ch = ((total - within) / 1) / (within / (len(x) - 2))
off = fit["tot.withinss"] - within
