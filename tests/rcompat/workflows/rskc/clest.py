"""The number of clusters by Clest without principal components."""

import numpy as np

from sparsek.rcompat import Clest, matrix, rnorm, set_seed

set_seed(3)
x = np.vstack([matrix(rnorm(30, 0, 0.4), 15), matrix(rnorm(30, 3, 0.4), 15)])
chosen = Clest(x, maxK=3, alpha=0.1, B=3, B0=2, nstart=10, L1=1.3, pca=False, silent=True)
K = chosen.K
