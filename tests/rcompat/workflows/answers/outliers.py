"""Gross errors: robust sparse k-means beside the plain one."""

import numpy as np

from sparsek import rcompat as r

r.set_seed(5)
x = r.matrix(r.rnorm(60 * 12), 60)
truth = np.repeat([1, 2, 3], 20)
x[:, :3] += 3 * (truth - 2)[:, None]
x[[2, 32], 11] = 25
x = r.scale(x)
re = r.RSKC(x, ncl=3, alpha=2 / 60, L1=2, nstart=50)
re.print()
r.print(re.oW)
r.print(re.oE)
r.print(r.round(re.weights, 3))
r.print(r.CER(re.labels, truth))
r.Sensitivity(re.labels, truth).print()
r.table(truth, re["labels"]).print()
km = r.kmeans(x, 3, nstart=50)
r.table(truth, km["cluster"]).print()
r.print(r.CER(km.cluster, truth))
