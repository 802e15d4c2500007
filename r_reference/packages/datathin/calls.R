# Calls of datathin: the folds as a vector with their dimensions, in fields of their own for the families whose draws
# are multiplied by a root of a matrix. What is printed where the result is NULL counts as an error.
CALLS$datathin <- function(x, family, ...) {
  text <- utils::capture.output(folds <- datathin::datathin(x, family, ...))
  if (is.null(folds)) stop(sub('^\\[1\\] "(.*)"$', "\\1", text))
  named <- list(as.vector(folds), dim(folds))
  names(named) <- c(switch(family, normal = , gaussian = "normal", mvnormal = "rows", "folds"), "dim")
  named
}
