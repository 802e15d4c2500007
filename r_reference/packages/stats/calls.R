# Calls of stats: trees from data.
CALLS$hclust <- function(x, ...) stats::hclust(stats::dist(x), ...)[c("merge", "height", "order")]
CALLS$cutree <- function(x, method, ...) unname(stats::cutree(stats::hclust(stats::dist(x), method), ...))
