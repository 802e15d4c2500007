"""The starts of k-POD by hand: kmpp and assign_clustpp, then kmeans from them."""

import numpy as np

from sparsek.rcompat import assign_clustpp, kmeans, kmpp, matrix, rnorm, set_seed

set_seed(5)
x = matrix(rnorm(120), 40) + np.repeat([0, 4], 20)[:, None]
seeds = kmpp(x, 3)
labels = assign_clustpp(x, seeds)
again = kmeans(x, seeds, iter_max=50)
