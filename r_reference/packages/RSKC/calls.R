# Calls of RSKC: the numbers of its results.
CALLS$Sensitivity <- function(...) {
  found <- RSKC::Sensitivity(...)
  list(share = as.numeric(found$prob[1, ]), label = as.numeric(found$prob[2, ]), table = unclass(found$table),
       marginal = matrix(as.numeric(found$marginal), nrow(found$marginal)))
}
# The numbers and logicals of a fit; weighted = FALSE stands for L1 = NULL.
CALLS$RSKC <- function(x, weighted = TRUE, ...) {
  sink(nullfile()) # it prints a line for every undefined distance
  on.exit(sink())
  fit <- if (weighted) RSKC::RSKC(x, ...) else RSKC::RSKC(x, L1 = NULL, ...)
  Filter(function(field) is.numeric(field) || is.logical(field), unclass(fit))
}
CALLS$Clest <- function(x, weighted = TRUE, ...) {
  sink(nullfile())
  on.exit(sink())
  fit <- if (weighted) RSKC::Clest(x, silent = TRUE, ...) else RSKC::Clest(x, L1 = NULL, silent = TRUE, ...)
  fit[c("K", "result.table", "referenceCERs", "observedCERs")]
}
CALLS$revisedsil <- function(x, ...) RSKC::revisedsil(x, ..., print.plot = FALSE)
# Undefined distances are printed; without trimmed rows oW is a text.
# An infinite sum of squares comes with memory that was not set; it counts as an error.
CALLS$RSKC.trimkmeans <- function(x, ...) {
  sink(nullfile())
  on.exit(sink())
  fit <- RSKC::RSKC.trimkmeans(x, ...)
  if (is.infinite(fit$WSS)) stop("memory")
  Filter(is.numeric, fit)
}
