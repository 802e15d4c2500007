# The k-means on MADD of the authors of sparse MinMax k-means; see README.md for the package.
CALLS$maddkmeans <- function(x, k) SparseMinMax::maddkmeans(x, k)
CALLS$maddkmeans1 <- function(x, k) SparseMinMax::maddkmeans1(x, k)
CALLS$maddkmeans2 <- function(x, k) SparseMinMax::maddkmeans2(x, k)
