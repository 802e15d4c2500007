# Robust sparse k-means on contaminated rows: which rows are trimmed.
library(RSKC)
set.seed(6)
x <- matrix(rnorm(40 * 10), 40)
x[1:20, 1:3] <- x[1:20, 1:3] + 3
bad <- c(5, 17, 31)
x[bad, 8] <- 25
x <- scale(x)
fit <- RSKC(x, ncl = 2, alpha = 0.1, L1 = 2, nstart = 20)
trimmed <- sort(union(fit$oW, fit$oE))
found <- all(bad %in% trimmed)
order_of_weights <- order(fit$weights, decreasing = TRUE)
error <- CER(fit$labels, rep(1:2, each = 20))
