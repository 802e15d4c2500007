"""Complementary sparse clustering: a second tree whose distances are orthogonal to the first."""

import numpy as np

from sparsek.rcompat import HierarchicalSparseCluster, cutree, matrix, rnorm, set_seed

set_seed(31)
x = matrix(rnorm(20 * 10), 20)
x[:10, :3] = x[:10, :3] + 3
x[::2, 3:6] = x[::2, 3:6] + 2
first = HierarchicalSparseCluster(x, wbound=1.6, method="average", silent=True)
second = HierarchicalSparseCluster(x, uorth=first.u, wbound=1.6, method="average", silent=True)
first_groups = cutree(first.hc, k=2)
second_groups = cutree(second.hc, k=2)
overlap = np.count_nonzero((first.ws > 0) & (second.ws > 0))
