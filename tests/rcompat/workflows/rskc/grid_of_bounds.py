"""RSKC over a grid of trimming shares and bounds, the sums kept in a matrix."""

import numpy as np

from sparsek.rcompat import CER, RSKC, matrix, rnorm, set_seed

set_seed(13)
x = matrix(rnorm(30 * 8), 30)
x[10:30, :2] = x[10:30, :2] + 4
alphas = [0, 0.1, 0.2]
bounds = [1.3, 2]
weighted = np.zeros((3, 2))
labels = []
for i in range(1, 4):
    for j in range(1, 3):
        set_seed(10 * i + j)
        fit = RSKC(x, 2, alpha=alphas[i - 1], L1=bounds[j - 1], nstart=10)
        weighted[i - 1, j - 1] = fit.WBSS[-1]
        labels.append(fit.labels)
rates = [CER(a, labels[0]) for a in labels]
