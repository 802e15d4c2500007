# Calls of dbscan.
CALLS$lof <- function(x, ...) dbscan::lof(x, ...)
CALLS$lof.dist <- function(x, ...) dbscan::lof(stats::dist(x), ...)
