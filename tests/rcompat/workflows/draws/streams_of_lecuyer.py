"""Streams of L'Ecuyer's generator, one for each of four tasks, as mclapply scripts prepare them."""

import numpy as np

from sparsek.rcompat import (
    RNGkind,
    kmeans,
    matrix,
    nextRNGStream,
    nextRNGSubStream,
    resolve_rng,
    rnorm,
    set_seed,
)

RNGkind("L'Ecuyer-CMRG")
set_seed(10)
rng = resolve_rng()
stream = rng.random_seed
results = np.full((4, 3), np.nan)
for task in range(1, 5):
    rng.setstate(stream)
    x = matrix(rnorm(40), 20) + np.repeat([0, 3], 10)[:, None]
    fit = kmeans(x, 2, nstart=4)
    results[task - 1] = [fit["tot.withinss"], *fit.size]
    stream = nextRNGStream(stream)
sub = nextRNGSubStream(stream)
kind = RNGkind()
