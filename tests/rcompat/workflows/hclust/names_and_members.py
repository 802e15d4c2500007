"""Names of rows go through dist and hclust; groups of a first k-means weigh as many as they hold."""

import numpy as np
import pandas as pd

from sparsek.rcompat import dist, hclust, kmeans, matrix, rnorm, set_seed

set_seed(51)
x = pd.DataFrame(matrix(rnorm(80), 40), index=[f"plot{i}" for i in range(1, 41)])
first = kmeans(x, 8, nstart=5)
numbered = pd.DataFrame(first.centers, index=[str(k) for k in range(1, 9)])
tree = hclust(dist(numbered) ** 2, "centroid", members=first.size)
d = dist(x[:6], method="canberra")
labels = hclust(d).labels
d.print()
np.round(d, 2).print()
