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
CALLS$cutree <- function(x, method, named = FALSE, ...) {
  if (!named) return(unname(stats::cutree(stats::hclust(stats::dist(x), method), ...)))
  rownames(x) <- paste0("row", seq_len(nrow(x)))
  groups <- stats::cutree(stats::hclust(stats::dist(x), method), ...)
  rows <- if (is.matrix(groups)) rownames(groups) else names(groups)
  list(value = unname(groups), rows = codes(rows), cuts = codes(colnames(groups)))
}
CALLS$as.dist <- function(x, named = "no", metric = NULL, ...) {
  if (named %in% c("rows", "both")) rownames(x) <- paste0("r", seq_len(nrow(x)))
  if (named %in% c("columns", "both")) colnames(x) <- paste0("c", seq_len(ncol(x)))
  if (!is.null(metric)) x <- stats::dist(x, metric, diag = TRUE)
  distances(stats::as.dist(x, ...))
}
CALLS$cophenetic <- function(x, ...) distances(stats::cophenetic(tree(x, ...)))
CALLS$order.dendrogram <- function(x, ...) stats::order.dendrogram(stats::as.dendrogram(tree(x, ...)))
CALLS$rect.hclust <- function(x, method, metric = "euclidean", power = 1, named = FALSE, at = NULL, ...) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  grDevices::dev.control("enable")
  h <- tree(x, method, metric, power, named)
  plot(h)
  if (is.null(at)) groups <- stats::rect.hclust(h, ...) else groups <- stats::rect.hclust(h, ..., x = at)
  drawn <- Filter(function(entry) any(grepl("C_rect", deparse(entry[[2]][[1]]), fixed = TRUE)),
                  grDevices::recordPlot()[[1]])
  sides <- vapply(drawn, function(entry) unlist(entry[[2]][c(2, 4, 5)]), numeric(3))
  list(groups = unname(lapply(groups, unname)), names = codes(unlist(lapply(groups, names))), sides = unname(sides))
}

# A tree of the distances of x, perhaps with names; distances with their print where none are missing
# and names fit; texts as numbers.
tree <- function(x, method, metric = "euclidean", power = 1, named = FALSE) {
  if (named) rownames(x) <- paste0("row", seq_len(nrow(x)))
  stats::hclust(stats::dist(x, metric)^power, method)
}
distances <- function(d) {
  plain <- !anyNA(d) && length(attr(d, "Labels")) %in% c(0, attr(d, "Size"))
  list(distances = as.vector(d), Size = attr(d, "Size"), Diag = attr(d, "Diag"), Upper = attr(d, "Upper"),
       labels = codes(attr(d, "Labels")), printed = if (plain) codes(utils::capture.output(print(d))))
}
codes <- function(texts) if (length(texts)) utf8ToInt(paste(texts, collapse = "\n"))

# Fitted values of a k-means of x.
CALLS$fitted <- function(x, centers, nstart = 1, ...) stats::fitted(stats::kmeans(x, centers, nstart = nstart), ...)

# prcomp with what its summary adds.
CALLS$prcomp <- function(x, ...) {
  p <- stats::prcomp(x, ...)
  c(unclass(p), list(importance = unname(summary(p)$importance)))
}

# Texts are compared by their places here.
DISTANCES <- c("euclidean", "maximum", "manhattan", "canberra", "binary", "minkowski")
METHODS <- c("ward.D", "ward.D2", "single", "complete", "average", "mcquitty", "median", "centroid")

# aggregate by lists or formulas; the columns of the result and what is printed of it.
CALLS$aggregate <- function(x, FUN, first, second = NULL, words = "none", form = "frame", named = FALSE, formula = NULL, ...) {
  x[is.nan(x)] <- NA
  if (words == "first") first <- LETTERS[first]
  if (words == "levels") first <- factor(first, levels = 6:1)
  frame <- as.data.frame(array(x, dim(x), list(NULL, paste0("c", seq_len(ncol(x))))))
  if (is.null(formula)) {
    by <- if (is.null(second)) list(first) else list(first, second)
    if (named) names(by) <- c("first", "second")[seq_along(by)]
    if (form == "plain") by <- first
    found <- do.call(stats::aggregate, list(switch(form, matrix = x, vector = x[, 1], frame), by, FUN, ...))
  } else {
    frame <- frame[1:2]
    frame$first <- first
    if (grepl("second|[.]$", formula)) frame$second <- second
    found <- do.call(stats::aggregate, list(stats::as.formula(formula), frame, FUN, ...))
  }
  numbers <- Filter(is.numeric, as.list(found))
  list(value = unlist(numbers, use.names = FALSE), size = dim(found), printed = printed(found))
}
printed <- function(value, ...) utf8ToInt(paste(utils::capture.output(print(value, ...)), collapse = "\n"))

# Scaling of distances, or of a matrix.
CALLS$cmdscale <- function(x, form, metric = "euclidean", ...) {
  if (form == "named dist") rownames(x) <- paste0("row", seq_len(nrow(x)))
  d <- if (form == "data") x else stats::dist(x, metric)
  found <- stats::cmdscale(if (form == "matrix") as.matrix(d) else d, ...)
  points <- if (is.list(found)) found$points else found
  c(list(points = array(points, dim(points)), rows = codes(rownames(points))), if (is.list(found)) found[-1])
}
