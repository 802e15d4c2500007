"""Cuts by height: at the largest gap, at a share of the top, at several heights."""

import numpy as np

from sparsek.rcompat import cutree, dist, hclust, matrix, runif, set_seed

set_seed(9)
x = matrix(runif(48), 16)
x[8:16] = x[8:16] + 2
tree = hclust(dist(x, "manhattan"), "average")
gaps = np.diff(tree.height)
at = int(np.argmax(gaps)) + 1
h = (tree.height[at - 1] + tree.height[at]) / 2
groups = cutree(tree, h=h)
half = cutree(tree, h=tree.height.max() / 2)
several = cutree(tree, h=[0.2, 0.8, 1.6])
number = several.max(axis=0)
