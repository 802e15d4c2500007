"""A tree of variables on one minus their correlation, its groups by number and by height."""

import numpy as np
import pandas as pd

from sparsek.rcompat import as_dist, cor, cutree, hclust, matrix, rnorm, set_seed

set_seed(606)
base = matrix(rnorm(120), 40)
x = np.column_stack([base, base + matrix(rnorm(120, sd=0.5), 40)])
x = pd.DataFrame(x, columns=["a", "b", "c", "a2", "b2", "c2"])
r = cor(x)
d = as_dist(1 - np.abs(r))
tree = hclust(d, "average")
by_number = cutree(tree, k=3)
by_height = cutree(tree, h=[0.3, 0.5, 0.9])
pairs = [[tree.labels[i] for i in np.flatnonzero(by_number == g)] for g in range(1, 4)]
d.print()
