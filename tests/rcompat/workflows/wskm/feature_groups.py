"""Feature groups: fgkm weighs groups by cluster, twkm for all clusters together."""

import numpy as np

from sparsek.rcompat import fgkm, matrix, rnorm, set_seed, twkm

set_seed(21)
x = matrix(rnorm(36 * 6), 36)
x[:12, :2] = x[:12, :2] + 5
x[12:24, 2:4] = x[12:24, 2:4] - 5
groups = [0, 0, 1, 1, 2, 2]
by_cluster = fgkm(x, 3, groups, 3, 1, seed=19)
together = twkm(x, 3, groups, 3, 1, seed=19)
heaviest = by_cluster.groupWeight.argmax(axis=1) + 1
size = np.bincount(by_cluster.cluster, minlength=4)[1:]
