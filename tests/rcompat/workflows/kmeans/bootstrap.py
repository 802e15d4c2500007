"""Stability of k-means under resampling of the rows."""

import numpy as np

from sparsek.rcompat import kmeans, matrix, mean, median, rnorm, sample, set_seed

set_seed(314)
x = np.vstack([matrix(rnorm(50, 0), 25), matrix(rnorm(50, 3), 25)])
whole = kmeans(x, 2, nstart=5)


def nearest(rows, centers):
    d = [(rows[:, 0] - a) ** 2 + (rows[:, 1] - b) ** 2 for a, b in centers]
    return np.argmin(d, axis=0) + 1


same, draws = np.zeros(6), []
for b in range(1, 7):
    draws.append(sample(len(x), replace=True))
    fit = kmeans(x[draws[-1] - 1], 2, nstart=5)
    labels = nearest(x, fit.centers)
    same[b - 1] = max(mean(labels == whole.cluster), mean(labels != whole.cluster))
stability = mean(same)
middle = median(same)
