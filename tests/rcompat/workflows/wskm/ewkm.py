"""Entropy weighting: clusters in different subspaces, weights by cluster."""

import numpy as np
import pandas as pd

from sparsek.rcompat import ewkm, matrix, predict_ewkm, runif, set_seed

set_seed(12)
x = pd.DataFrame(matrix(runif(40 * 6), 40), columns=[f"V{j}" for j in range(1, 7)])
x.iloc[:20, :2] = x.iloc[:20, :2] / 10 + 0.2
x.iloc[20:40, 3:6] = x.iloc[20:40, 3:6] / 10 + 0.7
fit = ewkm(x, 2, lambda_=0.5, maxiter=50)
rounded = np.round(fit.weights, 3)
strongest = fit.weights.argmax(axis=1) + 1
again = predict_ewkm(fit, x)
