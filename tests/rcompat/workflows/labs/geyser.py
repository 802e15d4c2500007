"""Short and long eruptions of the geyser, found by k-means and by a cut at three minutes."""

from pathlib import Path

import numpy as np
import pandas as pd

from sparsek import rcompat as r

DATA = Path(__file__).resolve().parents[1] / "data"
faithful = pd.read_csv(DATA / "faithful.csv", index_col=0).astype(float)
faithful.index = faithful.index.astype(str)

r.str(faithful)
r.summary(faithful).print()
r.set_seed(10)
km = r.kmeans(r.scale(faithful), 2)
r.print(km.size)
r.print(km.iter)
centers = r.aggregate(faithful, {"cluster": km.cluster}, "mean")
r.print(centers)
long = np.where(faithful["eruptions"] > 3, "long", "short")
r.table(long).print()
r.table(km.cluster, long, dnn=["", "long"]).print()
r.print(r.mean(km.cluster == np.where(long == "long", km.cluster[0], 3 - km.cluster[0])))
part = r.cut(faithful["eruptions"], breaks=[0, 2, 3, 4, 6])
r.table(part).print()
r.table(part, km.cluster, dnn=["part", "cluster"]).print()
by_half = r.cut(faithful["waiting"], 3, labels=["low", "middle", "high"])
r.print(r.summary(by_half))
r.print(r.tapply(faithful["eruptions"], by_half, "quantile", probs=[0.25, 0.75]))
r.print(r.quantile(faithful["waiting"], [0.05, 0.5, 0.95]))
r.print(faithful[km.cluster == 1].head(6))
r.print(np.sqrt(r.sum((km.centers[0] - km.centers[1]) ** 2)))
