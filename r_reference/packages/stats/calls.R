# Calls of stats: distances with their attributes, trees from data.
CALLS$dist <- function(x, ...) {
  d <- stats::dist(x, ...)
  list(distances = as.vector(d), Size = attr(d, "Size"), Diag = attr(d, "Diag"), Upper = attr(d, "Upper"),
       method = match(attr(d, "method"), DISTANCES), p = attr(d, "p"))
}
CALLS$hclust <- function(x, metric = "euclidean", power = 1, named = FALSE, ...) {
  names <- paste0("row", seq_len(nrow(x)))
  if (named) rownames(x) <- names
  h <- stats::hclust(stats::dist(x, metric)^power, ...)
  list(merge = h$merge, height = h$height, order = h$order, labels = match(h$labels, names),
       method = match(h$method, METHODS), dist.method = match(h$dist.method, DISTANCES))
}
CALLS$cutree <- function(x, method, ...) unname(stats::cutree(stats::hclust(stats::dist(x), method), ...))

# Texts are compared by their places here.
DISTANCES <- c("euclidean", "maximum", "manhattan", "canberra", "binary", "minkowski")
METHODS <- c("ward.D", "ward.D2", "single", "complete", "average", "mcquitty", "median", "centroid")
