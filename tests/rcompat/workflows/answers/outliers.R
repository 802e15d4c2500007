# Gross errors: robust sparse k-means beside the plain one.
library(RSKC)
set.seed(5)
x <- matrix(rnorm(60 * 12), 60)
truth <- rep(1:3, each = 20)
x[, 1:3] <- x[, 1:3] + 3 * (truth - 2)
x[c(3, 33), 12] <- 25
x <- scale(x)
re <- RSKC(x, ncl = 3, alpha = 2 / 60, L1 = 2, nstart = 50)
re
re$oW
re$oE
round(re$weights, 3)
CER(re$labels, truth)
Sensitivity(re$labels, truth)
table(truth, re$labels)
km <- kmeans(x, 3, nstart = 50)
table(truth, km$cluster)
CER(km$cluster, truth)
