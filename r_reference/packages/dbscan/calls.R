# lof of dbscan on distances.
CALLS$lof.dist <- function(x, ...) dbscan::lof(stats::dist(x), ...)
