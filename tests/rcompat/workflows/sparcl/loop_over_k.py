"""For several numbers of clusters: tune, fit, keep both in lists."""

import numpy as np

from sparsek.rcompat import KMeansSparseCluster, KMeansSparseCluster_permute, matrix, rnorm, set_seed

set_seed(3)
x = np.vstack(
    [
        matrix(rnorm(60, sd=0.5), 12),
        matrix(rnorm(60, mean=2, sd=0.5), 12),
        matrix(rnorm(60, mean=[2, 0], sd=0.5), 12),
    ]
)
tunes, groups = [], []
for k in range(2, 5):
    tunes.append(KMeansSparseCluster_permute(x, K=k, nperms=3, nvals=4, silent=True))
    groups.append(KMeansSparseCluster(x, K=k, wbounds=tunes[-1].bestw, nstart=5, silent=True))
gaps = [tune.gaps.max() for tune in tunes]
best = int(np.argmax(gaps)) + 2
within = [group[0].wcss.wcss for group in groups]
sizes = [np.bincount(group[0].Cs)[1:] for group in groups]
