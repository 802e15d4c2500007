"""Is a clustering stable? Fits to samples of the rows, compared with that of all."""

from pathlib import Path

import numpy as np
import pandas as pd

from sparsek import rcompat as r

DATA = Path(__file__).resolve().parents[1] / "data"
swiss = pd.read_csv(DATA / "swiss.csv", index_col=0)

x = r.scale(swiss)
r.set_seed(11)
ref = r.kmeans(x, 3, nstart=25).cluster
B = 20
ari = np.zeros(B)
for b in range(1, B + 1):
    idx = r.sample(len(x), replace=True)
    boot = r.kmeans(x[idx - 1], 3, nstart=10).cluster
    ari[b - 1] = r.adjustedRandIndex(boot, ref[idx - 1])
r.print(r.round(ari, 3))
r.summary(ari).print()
r.print(r.quantile(ari, [0.1, 0.9]))
print("mean", round(r.mean(ari), 3), "sd", round(r.sd(ari), 3), "")


def jaccard(a, b):
    return len(set(a) & set(b)) / len(set(a) | set(b))


idx = r.sample(len(x), 30)
part = r.cutree(r.hclust(r.dist(x[idx - 1]), "ward.D2"), 3)
ks = [1, 2, 3]
sim = np.array([[jaccard(idx[part == i], idx[ref[idx - 1] == j]) for j in ks] for i in ks])
sim = r.RArray(sim, dimnames=(list("123"), list("123")))
r.print(r.round(sim, 2))
r.print(r.apply(sim, 1, "max"))
