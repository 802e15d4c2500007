"""Weights of the columns in each cluster, and a plain fit beside them."""

from pathlib import Path

import numpy as np
import pandas as pd

from sparsek import rcompat as r

DATA = Path(__file__).resolve().parents[1] / "data"
iris = pd.read_csv(DATA / "iris.csv")

r.set_seed(8)
x = iris.iloc[:, :4]
myewkm = r.ewkm(x, 3, lambda_=0.5, maxiter=100)
myewkm.print()
r.print(r.round(myewkm.weights, 3))
r.print(myewkm.size)
r.print(r.apply(myewkm.weights, 1, lambda w: int(np.argmax(w)) + 1))
r.print(r.rowSums(myewkm.weights))
km = r.kmeans(x, 3, nstart=10)
r.table(myewkm.cluster, km.cluster, dnn=["ewkm", "kmeans"]).print()
r.table(iris["Species"], myewkm["cluster"]).print()
r.print(r.predict_ewkm(myewkm, x)[:12])
r.print(myewkm.iterations)
