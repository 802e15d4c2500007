# The k-means on MADD of the authors of sparse MinMax k-means; see README.md for the package.
CALLS$maddkmeans <- function(x, k) SparseMinMax::maddkmeans(x, k)
CALLS$maddkmeans1 <- function(x, k) SparseMinMax::maddkmeans1(x, k)
CALLS$maddkmeans2 <- function(x, k) SparseMinMax::maddkmeans2(x, k)
# Sparse MinMax k-means of the same authors. Where a start has no solution their code never ends: a limit stops it.
CALLS$minmaxkmeans <- function(x, start, ...) SparseMinMax::minmaxkmeans(x, start, ...)
within_time <- function(call) {
  setTimeLimit(cpu = 3, transient = TRUE)
  on.exit(setTimeLimit())
  utils::capture.output(fit <- call)
  unclass(fit)
}
CALLS$SparseCl <- function(x, ...) within_time(SparseMinMax::SparseCl(x, ..., silent = TRUE))
CALLS$sp.perm <- function(x, ...) within_time(SparseMinMax::sp.perm(x, ..., silent = TRUE))
