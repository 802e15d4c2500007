"""Sparse k-means from given centres, as those of a first plain k-means."""

from sparsek.rcompat import KMeansSparseCluster, kmeans, matrix, mean, runif, set_seed

set_seed(7)
x = matrix(runif(30 * 8), 30)
x[15:30, :3] = x[15:30, :3] + 0.8
start = kmeans(x, 2, nstart=5)
fit = KMeansSparseCluster(x, wbounds=[1.5, 2], centers=start.centers, silent=True)
same = mean(fit[1].Cs == start.cluster)
fit.print()
