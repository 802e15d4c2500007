"""The agglomerative coefficient of several linkages, and the tree of the best."""

from pathlib import Path

import pandas as pd

from sparsek import rcompat as r

DATA = Path(__file__).resolve().parents[1] / "data"
USArrests = pd.read_csv(DATA / "USArrests.csv", index_col=0)

df = r.scale(USArrests.dropna())
m = ["average", "single", "complete", "ward"]


def ac(x):
    return r.agnes(df, method=x).ac


r.print(r.RArray([ac(x) for x in m], names=m))
hc = r.agnes(df, method="ward")
hc.print()
r.print(hc.order_lab[:6])
sub_grp = r.cutree(r.as_hclust(hc), k=4)
r.table(sub_grp).print()
r.print(USArrests.assign(cluster=sub_grp).head(6))
div = r.diana(df)
r.print(div.dc)
div.print()
r.table(r.cutree(r.as_hclust(div), 4), sub_grp).print()
first = df[:8]
small = r.agnes(first, method="average")
small.print()
r.summary(small).print()
