"""The numbers of clusters change with the seed: clusters renamed by size or by a column."""

from pathlib import Path

import numpy as np
import pandas as pd

from sparsek import rcompat as r

DATA = Path(__file__).resolve().parents[1] / "data"
iris = pd.read_csv(DATA / "iris.csv")

r.set_seed(7)
km = r.kmeans(iris["Petal.Length"], centers=3, nstart=5)
r.print(km.centers)
o = np.argsort(km.centers[:, 0], kind="stable") + 1
r.print(o)
relabelled = np.argsort(o)[km.cluster - 1] + 1
r.table(km.cluster, relabelled, dnn=["old", "new"]).print()
f = pd.Categorical.from_codes(relabelled - 1, ["short", "medium", "long"])
r.print(f[[0, 50, 100]])
r.table(f, iris["Species"]).print()
r.print(r.summary(f))
by_size = np.argsort(-km.size, kind="stable") + 1
r.print(by_size)
cluster = pd.Categorical(np.argsort(by_size)[km.cluster - 1] + 1)
r.print(len(cluster.categories))
r.table(cluster).print()
r.print(r.tapply(iris["Petal.Length"], f, "range"))
r.print(f.codes[:10] + 1)
r.prop_table(r.table(f)).print()
r.round(100 * r.prop_table(r.table(f, iris["Species"]), 1), 1).print()
