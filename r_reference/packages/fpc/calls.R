# Calls of fpc: results with what R prints of them, as numbers of characters.
printed <- function(value, ...) utf8ToInt(paste(utils::capture.output(print(value, ...)), collapse = "\n"))

# The dissimilarities of the rows of x in one of R's forms; the upper triangle of "lower" does not count.
dissimilarities <- function(x, form) {
  d <- stats::dist(x)
  square <- as.matrix(d)
  switch(form, dist = d, square = square, lower = replace(square, upper.tri(square), 7))
}
CALLS$cluster.stats <- function(x = NULL, form = "dist", ...) {
  found <- fpc::cluster.stats(if (!is.null(x)) dissimilarities(x, form), ...)
  c(lapply(found, function(field) if (is.matrix(field)) unname(field) else as.vector(field)),
    list(printed = printed(found)))
}

# The interface function of fpc by its name.
CALLS$prediction.strength <- function(x, clustermethod = "kmeansCBI", ...) {
  found <- fpc::prediction.strength(x, clustermethod = getExportedValue("fpc", clustermethod), ...)
  c(found[names(found) != "method"], list(method = utf8ToInt(found$method), printed = printed(found)))
}
