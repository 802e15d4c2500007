"""The means of the groups of a Ward tree are the starting centres of kmeans."""

import numpy as np

from sparsek.rcompat import colMeans, cutree, dist, hclust, kmeans, matrix, rgamma, scale, set_seed

set_seed(62)
x = scale(np.vstack([matrix(rgamma(40, 2, 1), 20), matrix(rgamma(40, 20, 2), 20)]))
groups = cutree(hclust(dist(x), "ward.D2"), k=2)
centers = np.vstack([colMeans(x[groups == 1]), colMeans(x[groups == 2])])
fit = kmeans(x, centers)
moved = np.flatnonzero(fit.cluster != groups) + 1
center = x.attributes["scaled:center"]
unit = x.attributes["scaled:scale"]
back = fit.centers * unit + center
