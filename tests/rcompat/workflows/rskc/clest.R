# The number of clusters by Clest without principal components.
library(RSKC)
set.seed(3)
x <- rbind(matrix(rnorm(30, 0, 0.4), 15), matrix(rnorm(30, 3, 0.4), 15))
invisible(capture.output(
  chosen <- Clest(x, maxK = 3, alpha = 0.1, B = 3, B0 = 2, nstart = 10, L1 = 1.3, pca = FALSE, silent = TRUE)))
K <- chosen$K
