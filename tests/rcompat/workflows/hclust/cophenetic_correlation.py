"""The linkage whose cophenetic distances follow the distances best."""

import numpy as np
import pandas as pd

from sparsek.rcompat import (
    cophenetic,
    cor,
    cutree,
    dist,
    hclust,
    matrix,
    order_dendrogram,
    rnorm,
    scale,
    set_seed,
)

set_seed(1984)
x = scale(matrix(rnorm(54), 18) + np.repeat([0, 2, 5], 6)[:, None])
x = pd.DataFrame(x, index=[f"site {i}" for i in range(1, 19)])
d = dist(x)
linkages = ["single", "complete", "average", "mcquitty", "ward.D2"]
fits = {}
for linkage in linkages:
    fits[linkage] = cor(d, cophenetic(hclust(d, linkage)))
best = max(fits, key=fits.get)
tree = hclust(d, best)
order = order_dendrogram(tree)
left_to_right = [tree.labels[i - 1] for i in order]
groups = cutree(tree, k=3)
cophenetic(hclust(dist(x[:5]))).print()
