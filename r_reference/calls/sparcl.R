# Calls of sparcl.
CALLS$KMeansSparseCluster <- function(...) sparcl::KMeansSparseCluster(..., silent = TRUE)
CALLS$KMeansSparseCluster.permute <- function(...) sparcl::KMeansSparseCluster.permute(..., silent = TRUE)
