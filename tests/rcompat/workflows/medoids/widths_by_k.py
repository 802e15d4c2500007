"""The number of clusters by the average silhouette width."""

from pathlib import Path

import numpy as np
import pandas as pd

from sparsek import rcompat as r

DATA = Path(__file__).resolve().parents[1] / "data"
USArrests = pd.read_csv(DATA / "USArrests.csv", index_col=0)

df = r.scale(USArrests)
r.set_seed(123)


def avg_sil(k):
    km_res = r.kmeans(df, centers=k, nstart=25)
    ss = r.silhouette(km_res.cluster, r.dist(df))
    return r.mean(ss[:, 2])


k_values = np.arange(2, 7)
avg_sil_values = [avg_sil(k) for k in k_values]
r.print(avg_sil_values)
best = k_values[np.argmax(avg_sil_values)]
print("Best number of clusters:", best, "")
km = r.kmeans(df, best, nstart=25)
sil = r.silhouette(km.cluster, r.dist(df))
sil = r.RArray(sil, dimnames=(list(USArrests.index), ["cluster", "neighbor", "sil_width"]))
r.print(sil[:10])
si_sum = r.silhouette(km.cluster, r.dist(df)).summary()
si_sum.print()
r.print(si_sum.clus_avg_widths)
r.print(si_sum.avg_width)
r.print(si_sum.clus_sizes)
neg = np.flatnonzero(sil[:, 2] < 0.1) + 1
r.print(sil[neg - 1])
