"""A tree as a dendrogram: its structure, its branches and their members."""

from pathlib import Path

import pandas as pd

from sparsek import rcompat as r

DATA = Path(__file__).resolve().parents[1] / "data"
USArrests = pd.read_csv(DATA / "USArrests.csv", index_col=0)

hc = r.hclust(r.dist(USArrests[:10]), "average")
dend = r.as_dendrogram(hc)
dend.print()
r.str(dend)
r.print(r.nobs(dend))
r.print(r.order_dendrogram(dend))
r.print(r.labels(dend))
dend[0].print()
parts = r.cut(dend, h=50)
parts.print()
parts.upper.print()
r.print([r.nobs(part) for part in parts.lower])
r.print([r.labels(part) for part in parts.lower])
r.print(dend.attributes["midpoint"])
r.rev(dend).print()
r.print(r.cophenetic(dend))
r.print(hc.merge)
r.print(r.round(r.rev(hc.height), 1))
r.print(bool((r.cutree(hc, h=50) == r.cutree(hc, k=len(parts.lower))).all()))
