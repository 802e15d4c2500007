# Calls of CADET: without messages and warnings about empty sets, trees and covariance matrices made here, intervals as matrices.

CALLS$kmeans_inference_1f <- function(x, ..., covariance = NULL) {
  q <- ncol(x)
  more <- if (is.null(covariance)) list() else list(covMat = matrix(covariance, q, q) + diag(1 - covariance, q))
  utils::capture.output(suppressWarnings(fit <- do.call(CADET::kmeans_inference_1f, c(list(x, ...), more))))
  fields <- c("final_cluster", "test_stat", "sig", "scale_factor", "p_naive", "pval")
  c(unclass(fit)[fields], list(final_interval = unname(as.matrix(fit$final_interval))))
}
CALLS$test_hier_clusters_exact_1f <- function(x, link, ...) {
  hcl <- stats::hclust(stats::dist(x)^2, link)
  fit <- suppressWarnings(CADET::test_hier_clusters_exact_1f(x, link, hcl, ...))
  c(unclass(fit)[c("stat", "pval", "p_naive")], list(trunc = unname(as.matrix(fit$trunc))))
}
