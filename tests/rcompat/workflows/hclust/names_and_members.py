"""Names of rows go through dist and hclust; groups of a first k-means weigh as many as they hold."""

import numpy as np

from sparsek.rcompat import RArray, dist, hclust, kmeans, matrix, rnorm, set_seed

set_seed(51)
x = RArray(matrix(rnorm(80), 40), dimnames=([f"plot{i}" for i in range(1, 41)], None))
first = kmeans(x, 8, nstart=5)
tree = hclust(dist(first.centers) ** 2, "centroid", members=first.size)
d = dist(x[:6], method="canberra")
labels = hclust(d).labels
d.print()
np.round(d, 2).print()
