# Calls of datathin: the folds as a vector with their dimensions, in fields of their own for the families whose draws
# are multiplied by a root of a matrix.
CALLS$datathin <- function(x, family, ...) {
  folds <- datathin::datathin(x, family, ...)
  named <- list(as.vector(folds), dim(folds))
  names(named) <- c(switch(family, normal = , gaussian = "normal", mvnormal = "rows", "folds"), "dim")
  named
}
