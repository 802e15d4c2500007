"""Many rows: clara, what it prints, and how it agrees with k-means."""

from pathlib import Path

import numpy as np
import pandas as pd

from sparsek import rcompat as r

DATA = Path(__file__).resolve().parents[1] / "data"
faithful = pd.read_csv(DATA / "faithful.csv", index_col=0)
faithful.index = faithful.index.astype(str)
iris = pd.read_csv(DATA / "iris.csv")

r.set_seed(2)
x = np.vstack(
    [
        np.column_stack([r.rnorm(80, 0, 8), r.rnorm(80, 0, 8)]),
        np.column_stack([r.rnorm(120, 50, 8), r.rnorm(120, 50, 8)]),
    ]
)
clarax = r.clara(x, 2, samples=50)
clarax.print()
r.print(clarax.clusinfo)
r.print(clarax.medoids)
r.print(clarax.i_med)
r.table(clarax["clustering"]).print()
km = r.kmeans(x, 2)
r.table(clarax.clustering, km.cluster, dnn=["clara", "kmeans"]).print()
r.summary(r.clara(faithful, 2)).print()
flowers = iris.iloc[:, :4]
q = r.clara(flowers, 3, stand=True, samples=20, pamLike=True)
q.print()
r.print(r.aggregate(iris["Petal.Width"], by={"cluster": q.clustering}, FUN="mean"))
