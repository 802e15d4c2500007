# The weights of ewkm over a grid of lambda, every fit under the same seed.
library(wskm)
set.seed(8)
x <- scale(matrix(rnorm(90), 30) + rep(c(-1, 0, 3), each = 10))
lambdas <- c(0.2, 0.5, 1, 2)
fits <- list()
for (i in seq_along(lambdas)) {
  set.seed(100)
  fits[[i]] <- ewkm(x, 3, lambda = lambdas[i])
}
iterations <- sapply(fits, function(fit) fit$iterations)
within <- sapply(fits, function(fit) fit$tot.withinss)
spread <- sapply(fits, function(fit) max(fit$weights) - min(fit$weights))
