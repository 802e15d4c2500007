"""Training and test rows, folds of a cross-validation, weights, all by sample."""

import math

import numpy as np

from sparsek.rcompat import kmeans, matrix, mean, rnorm, sample, sample_int, set_seed

set_seed(555)
n = 37
train = np.sort(sample(n, math.floor(0.7 * n)))
test = np.setdiff1d(np.arange(1, n + 1), train)
folds = sample(np.resize(np.arange(1, 6), n))
sizes = np.bincount(folds)[1:]
shuffled = sample(n)
heavy = sample(n, 5, prob=range(n, 0, -1))
coins = sample([0, 1], 12, replace=True)
big = sample_int(1e6, 3)
x = matrix(rnorm(2 * n), n)
errors = np.zeros(5)
for fold in range(1, 6):
    fit = kmeans(x[folds != fold], 2, nstart=3)
    held = x[folds == fold]
    (a1, a2), (b1, b2) = fit.centers
    a = (held[:, 0] - a1) ** 2 + (held[:, 1] - a2) ** 2
    b = (held[:, 0] - b1) ** 2 + (held[:, 1] - b2) ** 2
    errors[fold - 1] = mean(np.minimum(a, b))
error = mean(errors)
