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
CALLS$cophenetic <- function(x, ..., form = "tree") {
  distances(stats::cophenetic(if (form == "tree") tree(x, ...) else dendrogram(x, ...)))
}
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

# Dendrograms of hclust, agnes and diana, perhaps turned, cut or a branch of them, and every node of one.
dendrogram <- function(x, method, kind = "hclust", metric = "euclidean", power = 1, named = FALSE, hang = -1, part = "all") {
  d <- stats::as.dendrogram(twin(x, method, kind, metric, power, named), hang = hang)
  switch(part, rev = rev(d), upper = cut(d, attr(d, "height") / 2)$upper, left = d[[1]], right = d[[2]], d)
}
twin <- function(x, method, kind = "hclust", metric = "euclidean", power = 1, named = FALSE) {
  if (kind == "hclust") return(tree(x, method, metric, power, named))
  if (named) rownames(x) <- paste0("row", seq_len(nrow(x)))
  d <- stats::dist(x, metric)^power
  if (kind == "agnes") cluster::agnes(d, method = method) else cluster::diana(d)
}
nodes <- function(d) c(list(d), if (!stats::is.leaf(d)) do.call(c, lapply(seq_along(d), function(i) nodes(d[[i]]))))
node_fields <- function(d) {
  all <- nodes(d)
  number <- function(name) vapply(all, function(node) if (is.null(attr(node, name))) -1 else as.double(attr(node, name)), 0)
  leaves <- Filter(stats::is.leaf, all)
  list(height = number("height"), members = number("members"), midpoint = number("midpoint"), x.member = number("x.member"),
       value = number("value"), branches = vapply(all, function(node) if (stats::is.leaf(node)) 0 else as.double(length(node)), 0),
       objects = vapply(leaves, as.double, 0), labels = codes(vapply(leaves, function(leaf) as.character(attr(leaf, "label")), "")),
       printed = codes(utils::capture.output(print(d))))
}
# The height `at` of the nodes from below, times a factor.
height_of <- function(d, at, factor) {
  sort(vapply(Filter(Negate(stats::is.leaf), nodes(d)), function(node) attr(node, "height"), 0))[at] * factor
}
CALLS$as.dendrogram <- function(...) node_fields(dendrogram(...))
CALLS$as.hclust <- function(x, form, ..., kind = "hclust") {
  h <- stats::as.hclust(if (form == "dendrogram") dendrogram(x, kind = kind, ...) else twin(x, kind = kind, ...))
  h$call <- quote(as.hclust(x = x))
  list(merge = h$merge, height = h$height, order = h$order, labels = codes(h$labels), printed = codes(utils::capture.output(print(h))))
}
CALLS$labels <- function(...) list(labels = codes(as.character(labels(dendrogram(...)))))
CALLS$nobs <- function(...) as.double(stats::nobs(dendrogram(...)))
CALLS$cut <- function(x, ..., h = NULL, at = NULL, factor = 1, breaks = NULL) {
  if (!is.null(breaks)) return(pieces(cut(as.vector(x), breaks, ...)))
  d <- dendrogram(x, ...)
  found <- cut(d, if (is.null(at)) h else height_of(d, at, factor))
  list(upper = node_fields(found$upper), lower = lapply(found$lower, node_fields), printed = codes(utils::capture.output(print(found))))
}
pieces <- function(found) list(codes = as.numeric(found), printed = if (is.factor(found)) printed(found))
CALLS$rev <- function(..., form = "dendrogram") {
  if (form == "dendrogram") return(node_fields(rev(dendrogram(...))))
  x <- list(...)[[1]][, 1]
  if (form == "named") names(x) <- paste0("v", seq_along(x))
  list(value = unname(rev(x)), names = codes(names(rev(x))))
}
CALLS$reorder <- function(..., wts, agglo.FUN = "sum") node_fields(stats::reorder(dendrogram(...), wts, agglo.FUN))

# A heat map: the order, and the trees. `rows` and `columns` say what orders them; weights are given as Rowv and Colv.
CALLS$heatmap <- function(x, rows = "means", columns = "means", method = NULL, metric = NULL, form = "data", named = FALSE, ...) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  x[is.nan(x)] <- NA
  if (named) dimnames(x) <- list(paste0("row", seq_len(nrow(x))), paste0("v", seq_len(ncol(x))))
  args <- list(...)
  if (!is.null(method)) args$hclustfun <- function(d) stats::hclust(d, method)
  if (!is.null(metric)) args$distfun <- function(rows) stats::dist(rows, metric)
  if (form == "square") x <- as.matrix(stats::dist(x))
  if (form == "vector") x <- x[, 1]
  if (rows == "none") args$Rowv <- NA
  if (columns == "none") args$Colv <- NA
  if (rows == "tree") args$Rowv <- stats::as.dendrogram(stats::hclust(stats::dist(x), "average"))
  if (rows == "short") args$Rowv <- stats::as.dendrogram(stats::hclust(stats::dist(x[-1, ]), "average"))
  found <- suppressWarnings(do.call(stats::heatmap, c(list(x, keep.dendro = TRUE), args)))  # of colours that are all missing
  list(rowInd = as.double(found$rowInd), colInd = as.double(found$colInd), Rowv = if (!is.null(found$Rowv)) node_fields(found$Rowv),
       Colv = if (!is.null(found$Colv)) node_fields(found$Colv))
}
