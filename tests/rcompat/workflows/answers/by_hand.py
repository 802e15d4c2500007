"""k-means written out, beside R's own."""

from pathlib import Path

import numpy as np
import pandas as pd

from sparsek import rcompat as r

DATA = Path(__file__).resolve().parents[1] / "data"
faithful = pd.read_csv(DATA / "faithful.csv", index_col=0)
faithful.index = faithful.index.astype(str)

r.set_seed(31)
x = r.as_matrix(r.scale(faithful))
k = 2
centers = x[r.sample(len(x), k) - 1]
r.print(centers)
for step in range(1, 21):
    d = np.column_stack([r.colSums((x.T - np.asarray(centers)[j][:, None]) ** 2) for j in range(k)])
    cluster = np.argmin(d, axis=1) + 1
    new = np.array([r.colMeans(x[cluster == j + 1]) for j in range(k)])
    change = np.abs(new - centers).max()
    centers = new
    print("step", step, "change", f"{change:.3g}", "")
    if change < 1e-8:
        break
centers = r.RArray(centers, dimnames=(None, list(faithful.columns)))
r.print(centers)
r.table(cluster).print()
fit = r.kmeans(x, 2, algorithm="Lloyd", nstart=3)
r.print(fit.centers)
r.table(cluster, fit["cluster"]).print()
r.print(fit.tot_withinss)
r.print(r.sum(d[np.arange(len(x)), cluster - 1]))
r.str(fit.centers)
