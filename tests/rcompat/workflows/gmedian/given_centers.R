# k-medians from given centres, and from those of k-means, as programs with a menu do.
library(Gmedian)
set.seed(2)
x <- matrix(rlogis(120), 40)
x[1:20, ] <- x[1:20, ] + 8
centers <- kmeans(x, 2, algorithm = "MacQueen", iter.max = 500)$centers
fit <- kGmedian(x, ncenters = centers, nstart = 1)
clusters <- as.vector(fit$cluster)
