"""Several clusterings of the same rows compared: tables, indices, widths."""

from pathlib import Path

import numpy as np
import pandas as pd

from sparsek import rcompat as r

DATA = Path(__file__).resolve().parents[1] / "data"
iris = pd.read_csv(DATA / "iris.csv")
iris.index += 1

some = iris.iloc[[*range(20), *range(50, 70), *range(100, 120)]]
x = r.scale(some.iloc[:, :4])
d = r.dist(x)
r.set_seed(1)
groups = {
    "kmeans": r.kmeans(x, 3, nstart=20).cluster,
    "pam": r.pam(x, 3).clustering,
    "ward": r.cutree(r.hclust(d, "ward.D2"), 3),
}
names = list(groups)
sizes = [r.table(g) for g in groups.values()]
r.print(r.RArray(np.column_stack(sizes), dimnames=(list("123"), names)))
r.print(r.RArray([r.adjustedRandIndex(g, some["Species"]) for g in groups.values()], names=names))
r.table(groups["kmeans"], groups["ward"], dnn=["kmeans", "ward"]).print()
widths = r.RArray([r.silhouette(g, d).summary().avg_width for g in groups.values()], names=names)
r.print(r.round(widths, 3))
r.print(r.RArray([r.calinhara(x, g) for g in groups.values()], names=names))
stats = r.cluster_stats(d, groups["pam"], groups["ward"])
r.print(stats.avg_silwidth)
r.print(stats.dunn)
r.print(stats.corrected_rand)
r.print(stats["cluster.size"])
chosen = ["wb.ratio", "ch", "vi"]
r.print(r.RArray([stats[name] for name in chosen], names=chosen))
result = pd.DataFrame({"method": names, "width": widths})
r.print(result.iloc[np.argsort(-result["width"], kind="stable")])
