"""A tree from the top down: heights, order and the cut, of few countries."""

from pathlib import Path

import pandas as pd

from sparsek import rcompat as r

DATA = Path(__file__).resolve().parents[1] / "data"
LifeCycleSavings = pd.read_csv(DATA / "LifeCycleSavings.csv", index_col=0)

x = LifeCycleSavings[:12]
dv = r.diana(x, metric="manhattan", stand=True)
dv.print()
r.summary(dv).print()
r.print(dv.order_lab)
r.print(r.round(dv.height, 3))
groups = r.cutree(r.as_hclust(dv), k=3)
r.print(groups)
r.print({str(k): groups[groups == k].attributes["names"] for k in range(1, 4)})
dend = r.as_dendrogram(r.as_hclust(dv))
dend.print()
r.print(r.labels(dend))
r.print(r.nobs(dend))
r.str(dend)
