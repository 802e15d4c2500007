# RSKC over a grid of trimming shares and bounds, the sums kept in a matrix.
library(RSKC)
set.seed(13)
x <- matrix(rnorm(30 * 8), 30)
x[11:30, 1:2] <- x[11:30, 1:2] + 4
alphas <- c(0, 0.1, 0.2)
bounds <- c(1.3, 2)
weighted <- matrix(0, 3, 2)
labels <- list()
for (i in 1:3) {
  for (j in 1:2) {
    set.seed(10 * i + j)
    fit <- RSKC(x, 2, alpha = alphas[i], L1 = bounds[j], nstart = 10)
    weighted[i, j] <- fit$WBSS[length(fit$WBSS)]
    labels[[2 * (i - 1) + j]] <- fit$labels
  }
}
rates <- sapply(labels, function(a) CER(a, labels[[1]]))
