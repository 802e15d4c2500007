# Eigenvectors and scores are compared without their signs, which belong to the solver.
without_signs <- function(fit) {
  for (name in intersect(c("scores", "vectors"), names(fit))) fit[[name]] <- abs(fit[[name]])
  fit
}
CALLS$GmedianCov <- function(x, ...) without_signs(Gmedian::GmedianCov(x, ...))
CALLS$WeiszfeldCov <- function(x, ...) without_signs(Gmedian::WeiszfeldCov(x, ...))
