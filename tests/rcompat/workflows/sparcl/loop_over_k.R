# For several numbers of clusters: tune, fit, keep both in lists.
library(sparcl)
set.seed(3)
x <- rbind(matrix(rnorm(60, sd = 0.5), 12), matrix(rnorm(60, mean = 2, sd = 0.5), 12),
           matrix(rnorm(60, mean = c(2, 0), sd = 0.5), 12))
tunes <- list()
groups <- list()
for (k in 2:4) {
  tunes[[k - 1]] <- KMeansSparseCluster.permute(x, K = k, nperms = 3, nvals = 4, silent = TRUE)
  groups[[k - 1]] <- KMeansSparseCluster(x, K = k, wbounds = tunes[[k - 1]]$bestw, nstart = 5, silent = TRUE)
}
gaps <- sapply(tunes, function(tune) max(tune$gaps))
best <- which.max(gaps) + 1
within <- sapply(groups, function(group) group[[1]]$wcss$wcss)
sizes <- lapply(groups, function(group) tabulate(group[[1]]$Cs))
