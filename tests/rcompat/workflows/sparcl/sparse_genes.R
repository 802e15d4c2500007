# Sparse k-means of made genes: the bound by permutations, then the genes with weight.
library(sparcl)
set.seed(11)
x <- matrix(rnorm(50 * 30), ncol = 30)
x[1:25, 1:10] <- x[1:25, 1:10] + 2
x <- scale(x, TRUE, TRUE)
km.perm <- KMeansSparseCluster.permute(x, K = 2, wbounds = seq(2, 5, len = 4), nperms = 5, silent = TRUE)
print(km.perm)
plot(km.perm)
km.out <- KMeansSparseCluster(x, K = 2, wbounds = km.perm$bestw, silent = TRUE)
print(km.out)
km.out[[1]]$Cs
round(km.out[[1]]$ws, 3)
sum(km.out[[1]]$ws != 0)
order(km.out[[1]]$ws, decreasing = TRUE)[1:5]
truth <- rep(1:2, each = 25)
table(truth, km.out[[1]]$Cs)
km.perm$gaps
km.perm$nnonzerows
data.frame(wbound = km.perm$wbounds, gap = km.perm$gaps, sd = km.perm$sdgaps)
