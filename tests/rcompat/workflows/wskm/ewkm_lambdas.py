"""The weights of ewkm over a grid of lambda, every fit under the same seed."""

import numpy as np

from sparsek.rcompat import ewkm, matrix, rnorm, scale, set_seed

set_seed(8)
x = scale(matrix(rnorm(90), 30) + np.repeat([-1, 0, 3], 10)[:, None])
lambdas = [0.2, 0.5, 1, 2]
fits = []
for value in lambdas:
    set_seed(100)
    fits.append(ewkm(x, 3, lambda_=value))
i = len(fits)
iterations = [fit.iterations for fit in fits]
within = [fit["tot.withinss"] for fit in fits]
spread = [fit.weights.max() - fit.weights.min() for fit in fits]
