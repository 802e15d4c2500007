"""The four algorithms from the same centres, and their warnings."""

import numpy as np

from sparsek.rcompat import kmeans, matrix, rcauchy, sample, set_seed

set_seed(44)
x = matrix(rcauchy(200), 100)
centers = x[sample(len(x), 6) - 1]
methods = ["Hartigan-Wong", "Lloyd", "Forgy", "MacQueen"]
fits = [kmeans(x, centers, iter_max=3, algorithm=method) for method in methods]
iterations = [fit.iter for fit in fits]
codes = [fit.ifault for fit in fits]
best = int(np.argmin([fit["tot.withinss"] for fit in fits])) + 1
