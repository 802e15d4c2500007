"""Medoids of iris: print, summary, and the silhouettes of the clusters."""

from pathlib import Path

import pandas as pd

from sparsek import rcompat as r

DATA = Path(__file__).resolve().parents[1] / "data"
iris = pd.read_csv(DATA / "iris.csv")
iris.index += 1

iris2 = iris.drop(columns="Species")
pam_result = r.pam(iris2, 3)
pam_result.print()
r.table(pam_result["clustering"], iris["Species"]).print()
r.print(pam_result.medoids)
r.print(pam_result.clusinfo)
r.print(pam_result.objective)
r.print(pam_result.silinfo.clus_avg_widths)
r.print(pam_result.silinfo.avg_width)
r.print(pam_result.silinfo.widths[:6])
r.silhouette(pam_result).summary().print()
r.print(iris2.iloc[pam_result.id_med - 1])
r.print(list(pam_result))
two = r.pam(r.scale(iris2), 2, metric="manhattan")
r.print(two.id_med)
two.print()
