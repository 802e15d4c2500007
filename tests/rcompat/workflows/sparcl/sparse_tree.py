"""A sparse tree of made samples, and the groups in its branches."""

import numpy as np

from sparsek import rcompat as r

r.set_seed(1)
x = r.matrix(r.rnorm(16 * 12), ncol=12)
y = np.repeat([1, 2], 8)
x[y == 1, :5] += 2.5
x = r.scale(x, True, True)
perm_out = r.HierarchicalSparseCluster_permute(x, wbounds=[1.5, 2, 3], nperms=3)
perm_out.print()
sparsehc = r.HierarchicalSparseCluster(
    dists=perm_out.dists, wbound=perm_out.bestw, method="complete", silent=True
)
sparsehc.print()
r.print(r.round(sparsehc.ws.T, 3))
r.table(y, r.cutree(sparsehc.hc, 2), dnn=["y", ""]).print()
r.print(r.cutree(sparsehc.hc, 2))
plain = r.hclust(r.dist(x))
r.table(r.cutree(plain, 2), r.cutree(sparsehc.hc, 2), dnn=["plain", "sparse"]).print()
