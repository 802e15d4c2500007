# Calls of VALIDICLUST: the clustering is a cut tree.

cutter <- function(link, K) function(x) stats::cutree(stats::hclust(stats::dist(x)^2, link), K)

CALLS$test_selective_inference <- function(x, link, K, ...) {
  fit <- VALIDICLUST::test_selective_inference(x, ..., cl_fun = cutter(link, K))
  fit$pval <- as.numeric(fit$pval) # a logical NA where no draw keeps the clusters
  fit
}
CALLS$merge_selective_inference <- function(x, link, K, ...) {
  fit <- VALIDICLUST::merge_selective_inference(x, ..., cl_fun = cutter(link, K), cl = cutter(link, K)(x))
  fit$pval <- as.numeric(fit$pval)
  fit$pval_adj <- as.numeric(fit$pval_adj) # a logical NA where there is nothing to merge
  fit
}
CALLS$test_multimod <- function(x, link, K, ...) VALIDICLUST::test_multimod(x, ..., cl = cutter(link, K)(x))
