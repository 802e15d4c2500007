# A small simulation: over seeds, the share of rows that each method puts right.
library(sparcl)
agreement <- function(found, truth) max(mean(found == truth), mean(found != truth))
truth <- rep(1:2, each = 10)
results <- matrix(NA, 4, 3)
for (seed in 1:4) {
  set.seed(seed)
  x <- matrix(rnorm(20 * 25), 20)
  x[truth == 2, 1:5] <- x[truth == 2, 1:5] + 1.7
  x <- scale(x)
  plain <- kmeans(x, 2, nstart = 10)$cluster
  sparse <- KMeansSparseCluster(x, K = 2, wbounds = 2.2, nstart = 10, silent = TRUE)[[1]]$Cs
  tree <- HierarchicalSparseCluster(x, wbound = 2.2, method = "complete", silent = TRUE)
  results[seed, ] <- c(agreement(plain, truth), agreement(sparse, truth), agreement(cutree(tree$hc, k = 2), truth))
}
means <- colMeans(results)
spread <- apply(results, 2, sd)
