# Scaled data, a bound chosen by permutation, a fit at that bound.
library(sparcl)
set.seed(11)
x <- matrix(rnorm(40 * 20), ncol = 20)
x[1:20, 1:6] <- x[1:20, 1:6] + 1.5
x <- scale(x, TRUE, TRUE)
perm <- KMeansSparseCluster.permute(x, K = 2, wbounds = seq(1.5, 4, length.out = 6), nperms = 4, silent = TRUE)
fit <- KMeansSparseCluster(x, K = 2, wbounds = perm$bestw, silent = TRUE)
print(perm)
print(fit)
kept <- which(fit[[1]]$ws > 0)
clusters <- fit[[1]]$Cs
