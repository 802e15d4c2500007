"""The elbow of the sums of squares of the Swiss districts."""

from pathlib import Path

import numpy as np
import pandas as pd

from sparsek import rcompat as r

DATA = Path(__file__).resolve().parents[1] / "data"
swiss = pd.read_csv(DATA / "swiss.csv", index_col=0)

mydata = r.scale(swiss)
wss = [(len(mydata) - 1) * r.sum(r.apply(mydata, 2, "var"))]
r.set_seed(123)
for i in range(2, 9):
    wss.append(r.sum(r.kmeans(mydata, centers=i, nstart=10).withinss))
wss = np.array(wss)
r.print(wss)
r.print(r.round(-np.diff(wss), 2))
explained = r.RArray(1 - wss / wss[0], names=list("12345678"))
r.print(r.round(explained, 3))
k_values = np.arange(1, 7)
tot = [r.kmeans(mydata, k, nstart=10).tot_withinss for k in k_values]
r.print(pd.DataFrame({"k": k_values, "tot.withinss": tot}))
r.set_seed(123)
final = r.kmeans(mydata, 3, nstart=25)
final.print()
r.print(final.size)
r.print(r.round(final.centers, 2))
r.print(r.aggregate(swiss, by=[final.cluster], FUN="mean"))
swiss3 = swiss.assign(cluster=final.cluster)
r.print(swiss3.head(6))
order = np.lexsort([-swiss3["Catholic"], swiss3["cluster"]])
r.print(swiss3.iloc[order[:5]][["Catholic", "cluster"]])
