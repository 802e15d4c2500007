"""A loop over seeds that keeps the best of many single starts."""

import math

import numpy as np

from sparsek.rcompat import kmeans, rnorm, set_seed

set_seed(1000)
blocks = []
for j in range(1, 5):
    first = rnorm(25, 3 * math.cos(j), 0.5)
    blocks.append(np.column_stack([first, rnorm(25, 3 * math.sin(j), 0.5)]))
x = np.vstack(blocks)
best = None
found = []
for seed in [1, 22, 333, 4444]:
    set_seed(seed)
    fit = kmeans(x, 4)
    found.append(fit["tot.withinss"])
    if best is None or fit["tot.withinss"] < best["tot.withinss"]:
        best = fit
together = kmeans(x, 4, nstart=25)
gain = min(found) - together["tot.withinss"]
ordered = best.centers[np.argsort(best.centers[:, 0], kind="stable")]
