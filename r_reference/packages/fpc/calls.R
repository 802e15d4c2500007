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

# The chosen clustering, in the fields of both methods, with what is printed of it.
CALLS$pamk <- function(x, form = "rows", ...) {
  x[is.nan(x)] <- NA
  if (form == "named rows") dimnames(x) <- list(paste0("row", seq_len(nrow(x))), paste0("v", seq_len(ncol(x))))
  found <- fpc::pamk(if (form == "dist") stats::dist(x) else x, ...)
  fit <- found$pamobject
  data <- fit$data
  list(nc = found$nc, crit = found$crit, objective = fit$objective, clustering = fit$clustering, medoids = fit$medoids,
       clusinfo = fit$clusinfo, avg.width = fit$silinfo$avg.width, data = if (!is.null(data)) array(data, dim(data)),
       center = attr(data, "scaled:center"), scale = attr(data, "scaled:scale"),
       call = if (!is.null(fit)) utf8ToInt(paste(deparse(fit$call), collapse = " ")), printed = printed(found))
}
