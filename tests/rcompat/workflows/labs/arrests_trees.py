"""The states in trees of three linkages, and what scaling changes."""

from pathlib import Path

import pandas as pd

from sparsek import rcompat as r

DATA = Path(__file__).resolve().parents[1] / "data"
USArrests = pd.read_csv(DATA / "USArrests.csv", index_col=0)

hc_complete = r.hclust(r.dist(USArrests), method="complete")
hc_average = r.hclust(r.dist(USArrests), method="average")
hc_single = r.hclust(r.dist(USArrests), method="single")
r.print(r.cutree(hc_complete, 3))
r.table(r.cutree(hc_average, 3)).print()
r.table(r.cutree(hc_single, 3)).print()
xsc = r.scale(USArrests)
hc_scaled = r.hclust(r.dist(xsc), "complete")
hc_scaled.print()
groups = r.cutree(hc_scaled, 3)
r.table(groups).print()
r.table(r.cutree(hc_complete, 3), groups, dnn=["raw", "scaled"]).print()
r.print(r.aggregate(USArrests, [groups], "mean"))
by_group = r.aggregate(USArrests, by={"cluster": groups}, FUN="median")
r.print(by_group)
r.print(groups[groups == 1].attributes["names"])
r.summary(hc_scaled).print()
