"""A map of cities from the distances by road, and groups of neighbours."""

from pathlib import Path

import numpy as np
import pandas as pd

from sparsek import rcompat as r

DATA = Path(__file__).resolve().parents[1] / "data"
eurodist = r.as_dist(pd.read_csv(DATA / "eurodist.csv", index_col=0))

r.print("dist")
r.print(r.labels(eurodist)[:5])
loc = r.cmdscale(eurodist)
r.print(loc[:6])
x = loc[:, 0]
y = -loc[:, 1]
full = r.cmdscale(eurodist, k=3, eig=True)
r.print(r.round(full.eig, 1))
r.print(full.GOF)
hc = r.hclust(eurodist, "average")
hc.print()
r.print(r.cutree(hc, 4))
cophenetic_cor = r.cor(eurodist, r.cophenetic(hc))
r.print(cophenetic_cor)
r.set_seed(5)
km = r.kmeans(loc, 3, nstart=10)
r.print(km.cluster)
r.print(km.centers)
r.table(r.cutree(hc, 3), km.cluster, dnn=["tree", "kmeans"]).print()
m = r.as_matrix(eurodist)
r.print(m[:3, :3])
r.summary(np.asarray(eurodist)).print()
