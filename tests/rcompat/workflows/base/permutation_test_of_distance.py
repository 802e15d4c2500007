"""A permutation test of the distance of two means."""

import numpy as np

from sparsek.rcompat import mean, quantile, rnorm, sample, set_seed

set_seed(808)
x = np.concatenate([rnorm(12, 10), rnorm(15, 11)])
group = np.repeat(["a", "b"], [12, 15])
observed = mean(x[group == "b"]) - mean(x[group == "a"])
permuted = np.zeros(99)
for i in range(1, 100):
    mixed = sample(group)
    permuted[i - 1] = mean(x[mixed == "b"]) - mean(x[mixed == "a"])
p = (1 + np.count_nonzero(permuted >= observed)) / 100
limits = quantile(permuted, [0.025, 0.975])
print("p-value:", p, "")
print("limits:", f"{limits[0]:.4g}", f"{limits[1]:.4g}", "")
