# A path of bounds: how many features keep a weight, and how the objective grows.
library(sparcl)
set.seed(20)
groups <- rep(1:3, each = 12)
x <- matrix(rnorm(36 * 15), 36, 15)
x[, 1:4] <- x[, 1:4] + 2 * groups
bounds <- c(1.3, 1.8, 2.5, 3.2)
fits <- KMeansSparseCluster(x, K = 3, wbounds = bounds, nstart = 10, silent = TRUE)
nonzero <- sapply(fits, function(fit) sum(fit$ws != 0))
last <- sapply(fits, function(fit) fit$crit[length(fit$crit)])
weights <- sapply(fits, function(fit) fit$ws)
errors <- sapply(fits, function(fit) sum(fit$Cs != groups))
print(fits)
