"""The gap statistic of k-means and of medoids."""

import numpy as np

from sparsek import rcompat as r

r.set_seed(42)
x = np.vstack(
    [
        r.matrix(r.rnorm(60, sd=0.3), ncol=2),
        r.matrix(r.rnorm(60, mean=1.5, sd=0.3), ncol=2),
        np.column_stack([r.rnorm(20, 0, 0.3), r.rnorm(20, 2, 0.3)]),
    ]
)
gap_stat = r.clusGap(x, FUNcluster=r.kmeans, nstart=10, K_max=6, B=20)
gap_stat.print(method="firstmax")
gap_stat.print()
r.print(gap_stat.Tab)
r.print(r.maxSE(gap_stat.Tab[:, 2], gap_stat.Tab[:, 3]))


def pam1(x, k):
    return {"cluster": r.pam(x, k, cluster_only=True)}


gs_pam = r.clusGap(x, FUNcluster=pam1, K_max=5, B=10)
gs_pam.print()
r.print(r.round(gs_pam.Tab[:, 2], 3))
methods = ["firstSEmax", "Tibs2001SEmax", "globalmax"]
chosen = [r.maxSE(gs_pam.Tab[:, 2], gs_pam.Tab[:, 3], m) for m in methods]
r.print(r.RArray(chosen, names=methods))
