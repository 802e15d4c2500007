"""k-medians on data with outliers, beside k-means."""

import numpy as np

from sparsek.rcompat import dist, kGmedian, kmeans, matrix, rnorm, set_seed

set_seed(17)
x = np.vstack([matrix(rnorm(60), 30), matrix(rnorm(60, 6), 30)])
x[[2, 39]] = 60
medians = kGmedian(x, ncenters=2, nstart=3, nstartkmeans=5)
means = kmeans(x, 2, nstart=5)
apart = dist(np.vstack([medians.centers, means.centers]))
size = np.bincount(medians.cluster.ravel())[1:]
