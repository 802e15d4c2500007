"""Sparse k-means of made genes: the bound by permutations, then the genes with weight."""

import numpy as np
import pandas as pd

from sparsek import rcompat as r

r.set_seed(11)
x = r.matrix(r.rnorm(50 * 30), ncol=30)
x[:25, :10] += 2
x = r.scale(x, True, True)
km_perm = r.KMeansSparseCluster_permute(x, K=2, wbounds=np.linspace(2, 5, 4), nperms=5, silent=True)
km_perm.print()
km_out = r.KMeansSparseCluster(x, K=2, wbounds=km_perm.bestw, silent=True)
km_out.print()
r.print(km_out[0].Cs)
r.print(r.round(km_out[0].ws, 3))
r.print(int((km_out[0].ws != 0).sum()))
r.print(np.argsort(-km_out[0].ws, kind="stable")[:5] + 1)
truth = np.repeat([1, 2], 25)
r.table(truth, km_out[0].Cs, dnn=["truth", ""]).print()
r.print(km_perm.gaps)
r.print(km_perm.nnonzerows)
r.print(pd.DataFrame({"wbound": km_perm.wbounds, "gap": km_perm.gaps, "sd": km_perm.sdgaps}))
