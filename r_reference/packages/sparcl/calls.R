# Calls of sparcl.
CALLS$KMeansSparseCluster <- function(...) sparcl::KMeansSparseCluster(..., silent = TRUE)
CALLS$KMeansSparseCluster.permute <- function(...) sparcl::KMeansSparseCluster.permute(..., silent = TRUE)

# The numbers of a tree.
tree_numbers <- function(tree) tree[c("merge", "height", "order")]

# Numbers of a sparse hierarchical clustering; of the distances their sums. complement: cluster again, orthogonal to the
# first result; reuse: take the distances of a first call.
CALLS$HierarchicalSparseCluster <- function(x, ..., complement = FALSE, reuse = FALSE) {
  quiet <- function(...) { utils::capture.output(fit <- sparcl::HierarchicalSparseCluster(..., silent = TRUE)); fit }
  fit <- quiet(x = x, ...)
  if (complement) fit <- quiet(x = x, ..., uorth = fit$u)
  if (reuse) fit <- quiet(dists = fit$dists, ...)
  fields <- list(hc = tree_numbers(fit$hc), ws = fit$ws, u = unname(fit$u), crit = fit$crit)
  fields <- c(fields, list(dists = colSums(fit$dists), wbound = fit$wbound))
  if (!is.null(fit$hc.features)) fields$hc.features <- tree_numbers(fit$hc.features)
  fields
}
CALLS$HierarchicalSparseCluster.permute <- function(...) {
  utils::capture.output(fit <- sparcl::HierarchicalSparseCluster.permute(...))
  fit$dists <- colSums(fit$dists)
  unclass(fit)
}
