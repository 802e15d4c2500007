# Sparse hierarchical clustering: permute, fit on the same distances, cut the tree.
library(sparcl)
set.seed(1)
x <- matrix(rnorm(24 * 12), 24)
x[1:12, 1:4] <- x[1:12, 1:4] - 2
x <- scale(x, TRUE, TRUE)
invisible(capture.output(perm <- HierarchicalSparseCluster.permute(x, wbounds = c(1.5, 2:3), nperms = 3)))
fit <- HierarchicalSparseCluster(dists = perm$dists, wbound = perm$bestw, method = "complete", silent = TRUE)
groups <- cutree(fit$hc, k = 2)
nested <- cutree(fit$hc, k = 2:4)
used <- sum(fit$ws != 0)
wrong <- min(sum(groups != rep(1:2, each = 12)), sum(groups != rep(2:1, each = 12)))
print(fit)
print(perm)
