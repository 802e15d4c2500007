"""Measurements with holes: complete rows against k-POD."""

from pathlib import Path

import numpy as np
import pandas as pd

from sparsek import rcompat as r

DATA = Path(__file__).resolve().parents[1] / "data"
airquality = pd.read_csv(DATA / "airquality.csv")

r.set_seed(3)
air = r.as_matrix(airquality.iloc[:, :4])
r.print(r.RArray(np.isnan(air).sum(axis=0), names=list(airquality.columns[:4])))
r.print(r.mean(np.isnan(air)))
whole = ~np.isnan(air).any(axis=1)
full = air[whole]
r.print(full.shape)
centre = r.colMeans(air, na_rm=True)
r.print(centre)
spread = r.apply(air, 2, "sd", na_rm=True)
z = r.sweep(r.sweep(air, 2, centre), 2, spread, "/")
r.print(z[:6])
fit = r.kpod(z, 3)
r.table(fit["cluster"]).print()
r.print(fit.fit)
by_cluster = r.aggregate(airquality.iloc[:, :4], {"cluster": fit.cluster}, "mean", na_rm=True)
r.print(by_cluster)
r.table(airquality["Month"], fit.cluster, dnn=["month", "cluster"]).print()
km = r.kmeans(r.scale(full), 3, nstart=10)
r.table(fit.cluster[whole], km["cluster"]).print()
