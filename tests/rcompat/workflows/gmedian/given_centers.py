"""k-medians from given centres, and from those of k-means, as programs with a menu do."""

from sparsek.rcompat import kGmedian, kmeans, matrix, rlogis, set_seed

set_seed(2)
x = matrix(rlogis(120), 40)
x[:20] = x[:20] + 8
centers = kmeans(x, 2, algorithm="MacQueen", iter_max=500).centers
fit = kGmedian(x, ncenters=centers, nstart=1)
clusters = fit.cluster.ravel()
