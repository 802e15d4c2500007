"""The branches of a tree as dendrograms: cut, ordered by weights, turned, and back to hclust."""

import numpy as np
import pandas as pd

from sparsek.rcompat import (
    as_dendrogram,
    as_hclust,
    cophenetic,
    cor,
    cut,
    cutree,
    diana,
    dist,
    hclust,
    labels,
    matrix,
    nobs,
    order_dendrogram,
    reorder,
    rev,
    rnorm,
    rowMeans,
    scale,
    set_seed,
)

set_seed(77)
x = scale(matrix(rnorm(48), 16) + np.repeat([0, 3], 8)[:, None])
x = pd.DataFrame(x, index=[f"plot {i}" for i in range(1, 17)])
tree = hclust(dist(x), "average")
dend = as_dendrogram(tree)
dend.print()
parts = cut(dend, h=2.5)
parts.print()
sizes = [nobs(part) for part in parts.lower]
members = labels(parts.lower[0])
ordered = reorder(dend, rowMeans(x), "mean")
left_to_right = order_dendrogram(ordered)
turned = labels(rev(ordered))
groups = cutree(as_hclust(ordered), k=3)
as_hclust(ordered).print()
divided = as_dendrogram(diana(x))
height = divided.attributes["height"]
agree = cor(cophenetic(as_hclust(divided)), cophenetic(tree))
