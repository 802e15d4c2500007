"""A tree of the columns by their correlations."""

import numpy as np

from sparsek.rcompat import cor, cutree, dist, hclust, matrix, rnorm, set_seed

set_seed(88)
base = matrix(rnorm(90), 30)
x = np.column_stack([base, base + 0.3 * matrix(rnorm(90), 30)])
correlations = cor(x)
far = 1 - np.abs(correlations)
tree = hclust(dist(far, "maximum"), "complete")
pairs = cutree(tree, 3)
strong = np.count_nonzero(correlations[np.triu_indices(6, 1)] > 0.9)
