"""Profiles by rmultinom, their shares, a tree of the Canberra distances."""

import numpy as np

from sparsek.rcompat import colMeans, cutree, dist, hclust, rbeta, rgeom, rmultinom, rowSums, set_seed

set_seed(18)
p = np.array([[8, 4, 2, 1, 1], [1, 1, 2, 4, 8]])
x = np.vstack([rmultinom(8, 60, p[0]).T, rmultinom(8, 60, p[1]).T])
shares = x / rowSums(x)[:, None]
tree = hclust(dist(shares, "canberra"), "mcquitty")
groups = cutree(tree, 2)
profile = np.vstack([colMeans(shares[groups == 1]), colMeans(shares[groups == 2])])
waits = rgeom(5, 0.2)
angles = rbeta(5, 2, 5)
