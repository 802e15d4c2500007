"""All eight linkages of the same distances, cut into three groups."""

import numpy as np

from sparsek.rcompat import cutree, dist, hclust, matrix, rnorm, set_seed

set_seed(77)
x = matrix(rnorm(60), 20) + np.repeat([0, 3, 6, 6], 5)[:, None]
d = dist(x)
methods = ["ward.D", "ward.D2", "single", "complete", "average", "mcquitty", "median", "centroid"]
trees = [hclust(d**2 if method in ("median", "centroid") else d, method) for method in methods]
heights = np.column_stack([tree.height for tree in trees])
orders = np.column_stack([tree.order for tree in trees])
groups = np.column_stack([cutree(tree, k=3) for tree in trees])
sizes = [np.bincount(groups[:, i], minlength=4)[1:] for i in range(8)]
