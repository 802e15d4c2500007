# Calls of clusterpval: trees made here, intervals as matrices, and lapply in place of future_lapply, which gives
# every draw a stream of its own and so changes the stream, though nothing is drawn from it. Warnings about empty
# sets on the way to the intervals say nothing of the result. Standard errors are rounded to 12 decimals, because one
# of a p-value of 1 is rounding alone.

rounded <- function(fit) {
  fit$stderr <- round(as.numeric(fit$stderr), 12)
  fit$pval <- as.numeric(fit$pval) # a logical NA where no draw keeps the clusters
  fit
}
tree <- function(x, link) stats::hclust(stats::dist(x)^2, link)

CALLS$test_hier_clusters_exact <- function(x, link, ...) {
  fit <- suppressWarnings(clusterpval::test_hier_clusters_exact(x, link, tree(x, link), ...))
  c(fit[c("stat", "pval")], list(trunc = unname(as.matrix(fit$trunc))))
}
CALLS$test_complete_hier_clusters_approx <- function(x, ...) {
  suppressPackageStartupMessages(library(fastcluster)) # clusterpval asks for it
  rounded(clusterpval::test_complete_hier_clusters_approx(x, tree(x, "complete"), ...))
}
CALLS$test_clusters_approx <- function(x, link, K, ...) {
  place <- asNamespace("future.apply")
  unlockBinding("future_lapply", place)
  assign("future_lapply", function(X, FUN, future.seed) lapply(X, FUN), envir = place)
  rounded(clusterpval::test_clusters_approx(x, ..., cl_fun = function(x) stats::cutree(tree(x, link), K)))
}
