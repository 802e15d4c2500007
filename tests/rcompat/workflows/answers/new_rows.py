"""No predict for kmeans: the nearest centre of rows that were held out."""

from pathlib import Path

import numpy as np
import pandas as pd

from sparsek import rcompat as r

DATA = Path(__file__).resolve().parents[1] / "data"
iris = pd.read_csv(DATA / "iris.csv")

r.set_seed(2024)
train = r.sample(len(iris), 100)
x = r.as_matrix(iris.iloc[:, :4])
fit = r.kmeans(x[train - 1], 3, nstart=10)


def closest_cluster(v):
    cluster_dist = r.apply(fit.centers, 1, lambda y: np.sqrt(r.sum((v - y) ** 2)))
    return int(np.argmin(cluster_dist)) + 1


rest = np.setdiff1d(np.arange(1, len(iris) + 1), train)
clusters2 = r.apply(x[rest - 1], 1, closest_cluster)
r.print(clusters2[:6])
r.table(clusters2, iris["Species"][rest - 1], dnn=["clusters2", ""]).print()
same = r.apply(x[train - 1], 1, closest_cluster)
r.print(bool((same == fit.cluster).all()))
r.print(r.fitted(fit)[:3])
residuals = x[train - 1] - r.fitted(fit)
r.print(r.sum(residuals**2))
r.print(fit.tot_withinss)
r.print(fit.betweenss / fit.totss)
r.print(train[:6])
