"""The same draws under other generators, normals and samplers; the defaults come back."""

import warnings

import numpy as np

from sparsek.rcompat import RNGkind, rnorm, runif, sample, set_seed

set_seed(1)
before = runif(2)
kinds = ["Wichmann-Hill", "Marsaglia-Multicarry", "Super-Duper", "Knuth-TAOCP-2002", "Mersenne-Twister"]
draws = np.zeros((5, 6))
for i in range(1, 6):
    RNGkind(kinds[i - 1], "Box-Muller")
    set_seed(7)
    draws[i - 1] = [*runif(1), *rnorm(3), *sample(100, 2)]
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    RNGkind(sample_kind="Rounding")
set_seed(7)
old = sample(1000, 4)
RNGkind("default", "default", "default")
set_seed(7)
new = sample(1000, 4)
