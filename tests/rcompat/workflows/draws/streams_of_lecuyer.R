# Streams of L'Ecuyer's generator, one for each of four tasks, as mclapply scripts prepare them.
library(parallel)
RNGkind("L'Ecuyer-CMRG")
set.seed(10)
stream <- .Random.seed
results <- matrix(NA, 4, 3)
for (task in 1:4) {
  assign(".Random.seed", stream, envir = globalenv())
  x <- matrix(rnorm(40), 20) + rep(c(0, 3), each = 10)
  fit <- kmeans(x, 2, nstart = 4)
  results[task, ] <- c(fit$tot.withinss, fit$size)
  stream <- nextRNGStream(stream)
}
sub <- nextRNGSubStream(stream)
kind <- RNGkind()
