"""Principal components of the arrests in the states, as in a first lab on unsupervised learning."""

from pathlib import Path

import pandas as pd

from sparsek import rcompat as r

DATA = Path(__file__).resolve().parents[1] / "data"
USArrests = pd.read_csv(DATA / "USArrests.csv", index_col=0)

states = list(USArrests.index)
r.print(list(USArrests.columns))
r.print(USArrests.shape)
r.print(r.apply(USArrests, 2, "mean"))
r.print(r.apply(USArrests, 2, "var"))
pr_out = r.prcomp(USArrests, scale_=True)
r.print(list(pr_out))
pr_out.print()
r.print(pr_out.center)
r.print(pr_out.scale)
r.print(pr_out.rotation)
r.print(pr_out.x.shape)
r.print(pr_out.x[:6])
pr_out.rotation = -pr_out.rotation
pr_out.x = -pr_out.x
r.print(pr_out.sdev)
pr_var = pr_out.sdev**2
pve = pr_var / r.sum(pr_var)
r.print(pve)
r.print(r.cumsum(pve))
pr_out.summary().print()
r.print(r.round(pr_out.x[:, :2], 2)[-3:])
