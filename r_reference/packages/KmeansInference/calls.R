# Calls of KmeansInference: without messages and warnings about classes of intervals, intervals as matrices, the inverse of a covariance matrix made here.
# The criterion is left out: it is the sum of the distances, which nothing uses.

inverse <- function(q, share) solve(matrix(share, q, q) + diag(1 - share, q))

CALLS$kmeans_inference <- function(x, ..., covariance = NULL) {
  more <- if (is.null(covariance)) list() else list(iso = FALSE, SigInv = inverse(ncol(x), covariance))
  utils::capture.output(suppressWarnings(
    fit <- do.call(KmeansInference::kmeans_inference, c(list(x, ..., verbose = FALSE), more))
  ))
  fields <- c("final_cluster", "test_stat", "sig", "scale_factor", "p_naive", "pval")
  c(unclass(fit)[fields], list(final_interval = unname(as.matrix(fit$final_interval))))
}
CALLS$kmeans_estimation <- function(x, ...) {
  fit <- KmeansInference::kmeans_estimation(x, ..., verbose = FALSE)
  list(cluster = do.call(rbind, fit$cluster), last = fit$centers[[fit$iter]], iter = fit$iter,
       final_cluster = fit$final_cluster, random_init_obs = fit$random_init_obs)
}
