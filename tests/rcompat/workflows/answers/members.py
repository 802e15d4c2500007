"""How are the members of each cluster listed?"""

import numpy as np
import pandas as pd

from sparsek import rcompat as r

r.set_seed(99)
df = pd.DataFrame(
    {
        "id": [f"s{i}" for i in range(1, 13)],
        "a": r.round(r.rnorm(12), 2),
        "b": r.round(r.runif(12), 2),
    }
)
df.index += 1
r.print(df)
fit = r.hclust(r.dist(df[["a", "b"]]))
df["cluster"] = r.cutree(fit, k=3)
r.print(df)
r.print(df.sort_values("cluster", kind="stable"))
parts = {str(k): df[df["cluster"] == k] for k in (1, 2, 3)}
r.print({k: list(part["id"]) for k, part in parts.items()})
r.print(pd.Series({k: ", ".join(part["id"]) for k, part in parts.items()}))
r.print({k: list(part["id"]) for k, part in parts.items()})
r.print(r.aggregate("cbind(a, b) ~ cluster", data=df, FUN="mean"))
clust = r.RArray(df["cluster"], names=list(df["id"]))
r.print(clust)
r.print(clust[np.argsort(clust, kind="stable")])
names = clust[clust == 2].attributes["names"]
r.print(r.RArray(np.flatnonzero(clust == 2) + 1, names=names))
r.print(r.table(clust)[0])
r.print(fit.merge)
r.print(fit.height)
r.print(fit.order)
r.print(fit.labels)
