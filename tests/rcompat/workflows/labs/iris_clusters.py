"""The flowers of iris in three clusters, against their species."""

from pathlib import Path

import pandas as pd

from sparsek import rcompat as r

DATA = Path(__file__).resolve().parents[1] / "data"
iris = pd.read_csv(DATA / "iris.csv")
iris.index += 1
iris["Species"] = iris["Species"].astype("category")

r.print(iris.head(6))
r.summary(iris).print()
r.set_seed(20)
irisCluster = r.kmeans(iris.iloc[:, 2:4], 3, nstart=20)
irisCluster.print()
r.table(irisCluster["cluster"], iris["Species"]).print()
irisCluster.cluster = pd.Categorical(irisCluster.cluster)
r.print(list(map(str, irisCluster.cluster.categories)))
counts = r.table(iris["Species"], irisCluster["cluster"])
r.prop_table(counts, 1).print()
r.round(r.prop_table(counts, 2), 3).print()
r.print(r.aggregate(iris.iloc[:, :4], by={"cluster": irisCluster.cluster}, FUN="mean"))
r.print(r.aggregate(". ~ Species", data=iris, FUN="mean"))
r.print(r.tapply(iris["Petal.Length"], iris["Species"], "sd"))
iris["cluster"] = irisCluster.cluster
r.print(iris[iris["Species"] == "virginica"].head(4))
r.print(iris.tail(6))
r.print(r.apply(iris.iloc[:, :4], 2, "range"))
