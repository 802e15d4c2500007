# Sparse MinMax k-means as its authors released it; README.md says how to install it.
# Where a start has no solution their code never ends: a limit stops it.
within_time <- function(call) {
  setTimeLimit(cpu = 3, transient = TRUE)
  on.exit(setTimeLimit())
  utils::capture.output(fit <- call)
  unclass(fit)
}
# The centres are the second argument, of another name.
CALLS$minmaxkmeans <- function(x, start, ...) SparseMinMax::minmaxkmeans(x, start, ...)
CALLS$SparseCl <- function(x, ...) within_time(SparseMinMax::SparseCl(x, ..., silent = TRUE))
CALLS$sp.perm <- function(x, ...) within_time(SparseMinMax::sp.perm(x, ..., silent = TRUE))
