"""Cars by Ward's tree on standardised columns: members and profiles of the groups."""

from pathlib import Path

import numpy as np
import pandas as pd

from sparsek import rcompat as r

DATA = Path(__file__).resolve().parents[1] / "data"
mtcars = pd.read_csv(DATA / "mtcars.csv", index_col=0)

cars_scaled = r.scale(mtcars)
d = r.dist(cars_scaled, method="euclidean")
r.print(r.round(r.as_matrix(d)[:4, :4], 2))
fit = r.hclust(d, method="ward.D2")
fit.print()
groups = r.cutree(fit, k=4)
r.print(groups)
counts = r.table(groups)
counts[np.argsort(-counts, kind="stable")].print()
r.print(list(mtcars.index[groups == 3]))
r.print({str(k): list(mtcars.index[groups == k]) for k in range(1, 5)})
r.print(r.aggregate(mtcars, by={"group": groups}, FUN="mean"))
cars = mtcars.assign(group=pd.Categorical(groups))
r.print(cars.head(6))
r.print(r.tapply(cars["mpg"], cars["group"], "mean"))
r.print(r.tapply(cars["mpg"], {"cyl": cars["cyl"], "group": cars["group"]}, "mean"))
of_groups = [r.summary(cars["hp"][groups == k]) for k in range(1, 5)]
names = (of_groups[0].attributes["names"], list("1234"))
r.print(r.RArray(np.column_stack(of_groups), dimnames=names))
r.table(cars["cyl"], cars["group"], dnn=["cylinders", "group"]).print()
r.table(cars["gear"], cars["group"], dnn=["gear", "group"]).print()
r.print(r.cor(mtcars["mpg"], mtcars["wt"]))
