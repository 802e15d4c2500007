# Sparse k-means from given centres, as those of a first plain k-means.
library(sparcl)
set.seed(7)
x <- matrix(runif(30 * 8), 30)
x[16:30, 1:3] <- x[16:30, 1:3] + 0.8
start <- kmeans(x, 2, nstart = 5)
fit <- KMeansSparseCluster(x, wbounds = c(1.5, 2), centers = start$centers, silent = TRUE)
same <- mean(fit[[2]]$Cs == start$cluster)
print(fit)
