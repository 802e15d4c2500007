"""A whole analysis: simulate, look, tune, fit, compare, check the stability, report."""

import math

import numpy as np
import pandas as pd

from sparsek.rcompat import (
    KMeansSparseCluster,
    KMeansSparseCluster_permute,
    colMeans,
    cor,
    cutree,
    dist,
    hclust,
    kmeans,
    matrix,
    mean,
    quantile,
    rgamma,
    rnorm,
    sample,
    scale,
    sd,
    set_seed,
)

# 1. Simulate: 3 groups that differ in 6 of 30 features
set_seed(2010)
n_group = 15
truth = np.repeat([1, 2, 3], n_group)
n = len(truth)
p = 30
informative = np.arange(1, 7)
x = matrix(rnorm(n * p), nrow=n, ncol=p)
shift = np.array([-1.8, 0, 1.8])
x[:, informative - 1] += shift[truth - 1][:, None]
outlier = sample(n, 2)
x[outlier - 1, p - 1] += rgamma(2, shape=5, rate=0.5)
x = pd.DataFrame(x, columns=[f"f{j}" for j in range(1, p + 1)])

# 2. Look at the data and scale them
average = colMeans(x)
deviation = np.array([sd(x[name]) for name in x.columns])
skewed = np.flatnonzero(abs(average) > 2 * deviation / math.sqrt(n)) + 1
x_scaled = scale(x, True, True)
correlation = cor(x_scaled[:, informative - 1])
above = np.triu(np.ones((6, 6), dtype=bool), 1)
quartiles = quantile(correlation[above], [0.25, 0.5, 0.75])

# 3. Plain k-means and a tree, for comparison
km = kmeans(x_scaled, centers=3, nstart=20)
tree = hclust(dist(x_scaled), method="ward.D2")
tree_groups = cutree(tree, k=3)

# 4. Sparse k-means: choose the bound, then fit
bounds = 1.4 + 0.5 * np.arange(7)
perm = KMeansSparseCluster_permute(x_scaled, K=3, wbounds=bounds, nperms=5, silent=True)
perm.print()
fit = KMeansSparseCluster(x_scaled, K=3, wbounds=perm.bestw, nstart=20, silent=True)[0]
selected = np.flatnonzero(fit.ws > 0.05) + 1
confusion = pd.crosstab(truth, fit.Cs)
print("Selected features:", *x.columns[selected - 1], "")


# 5. How many pairs of rows do two groupings treat alike?
def agreement(a, b):
    same_a = a[:, None] == a
    same_b = b[:, None] == b
    return mean((same_a == same_b)[np.triu_indices(len(a), 1)])


found = {"kmeans": km.cluster, "tree": tree_groups, "sparse": fit.Cs}
rates = {name: agreement(labels, truth) for name, labels in found.items()}
for name in found:
    print(name, "agrees with the truth on", round(rates[name], 3), "of all pairs")
improved = rates["sparse"] - rates["kmeans"]

# 6. Stability: refit on halves of the rows under several seeds
stability = np.zeros(4)
for seed in range(1, 5):
    set_seed(seed)
    half = np.sort(sample(n, size=math.floor(0.7 * n)))
    refit = KMeansSparseCluster(x_scaled[half - 1], K=3, wbounds=perm.bestw, silent=True)[0]
    stability[seed - 1] = agreement(refit.Cs, fit.Cs[half - 1])
print("Stability:", round(mean(stability), 3), "")
