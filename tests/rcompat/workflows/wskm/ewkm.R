# Entropy weighting: clusters in different subspaces, weights by cluster.
library(wskm)
set.seed(12)
x <- as.data.frame(matrix(runif(40 * 6), 40))
x[1:20, 1:2] <- x[1:20, 1:2] / 10 + 0.2
x[21:40, 4:6] <- x[21:40, 4:6] / 10 + 0.7
fit <- ewkm(x, 2, lambda = 0.5, maxiter = 50)
rounded <- round(fit$weights, 3)
strongest <- apply(fit$weights, 1, which.max)
again <- predict(fit, x)
