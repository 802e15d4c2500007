# A sparse tree of made samples, and the groups in its branches.
library(sparcl)
set.seed(1)
x <- matrix(rnorm(16 * 12), ncol = 12)
y <- c(rep(1, 8), rep(2, 8))
x[y == 1, 1:5] <- x[y == 1, 1:5] + 2.5
x <- scale(x, TRUE, TRUE)
invisible(capture.output(perm.out <- HierarchicalSparseCluster.permute(x, wbounds = c(1.5, 2, 3), nperms = 3)))
print(perm.out)
sparsehc <- HierarchicalSparseCluster(dists = perm.out$dists, wbound = perm.out$bestw, method = "complete", silent = TRUE)
sparsehc
ColorDendrogram(sparsehc$hc, y = y, branchlength = 0.007)
round(t(sparsehc$ws), 3)
table(y, cutree(sparsehc$hc, 2))
cutree(sparsehc$hc, 2)
plain <- hclust(dist(x))
table(plain = cutree(plain, 2), sparse = cutree(sparsehc$hc, 2))
