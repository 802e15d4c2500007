# Calls of the SKFR authors' functions, which take features x cases; see README.md for the package.
CALLS$sparsekmeans1 <- function(x, ...) SKFR::sparsekmeans1(t(x), ...)
# All gains of an empty cluster are zero: which features it has is a tie.
CALLS$sparsekmeans2 <- function(x, class, classes, sparsity) {
  fit <- SKFR::sparsekmeans2(t(x), class, classes, sparsity)
  fit$selected[!(seq_len(classes) %in% fit$m1), ] <- NaN
  fit
}
