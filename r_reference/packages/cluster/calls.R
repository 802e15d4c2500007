# Calls of cluster: results with what R prints of them, as numbers of characters.
printed <- function(value, ...) utf8ToInt(paste(utils::capture.output(print(value, ...)), collapse = "\n"))

# The rows of x, with names where wanted, or their dissimilarities in one of R's forms. Missing values print as NA.
objects_of <- function(x, form = "rows") {
  x[is.nan(x)] <- NA
  if (startsWith(form, "named")) dimnames(x) <- list(paste0("row", seq_len(nrow(x))), paste0("v", seq_len(ncol(x))))
  switch(sub("named ", "", form), rows = x, dist = stats::dist(x), vector = as.vector(stats::dist(x)),
         square = unname(as.matrix(stats::dist(x))))
}

CALLS$pam <- function(x, k, form = "rows", ...) {
  x <- objects_of(x, form)
  fit <- if (form %in% c("vector", "square")) cluster::pam(x, k, diss = TRUE, ...) else cluster::pam(x, k, ...)
  if (!is.list(fit)) return(list(clustering = fit))
  data <- fit$data
  names <- if (is.null(names(fit$clustering))) seq_along(fit$clustering) else names(fit$clustering)
  list(medoids = if (is.character(fit$medoids)) match(fit$medoids, names) else fit$medoids,
       id.med = fit$id.med, clustering = fit$clustering, objective = fit$objective,
       isolation = as.integer(fit$isolation), clusinfo = fit$clusinfo, widths = fit$silinfo$widths,
       objects = match(rownames(fit$silinfo$widths), names),
       clus.avg.widths = fit$silinfo$clus.avg.widths, avg.width = fit$silinfo$avg.width,
       diss = as.vector(fit$diss), data = if (!is.null(data)) array(data, dim(data)),
       center = attr(data, "scaled:center"), scale = attr(data, "scaled:scale"), printed = printed(fit))
}
CALLS$silhouette <- function(x, labels = NULL, k = NULL, form = "dist", fit = "pam", ...) {
  if (is.null(labels)) {
    made <- getExportedValue("cluster", fit)(x = x, k = k)
    return(silhouette_fields(cluster::silhouette(made), paste0(fit, "(x = x, k = k)")))
  }
  if (form == "none") return(as.numeric(cluster::silhouette(labels)))
  if (form == "list") labels <- list(clustering = labels)
  if (form == "text") labels <- as.character(labels)
  dist <- stats::dist(x)
  if (form == "lower") dist <- replace(as.matrix(dist), upper.tri(as.matrix(dist)), 7)
  dmatrix <- as.matrix(dist)
  x <- labels
  silhouette_fields(if (form == "dmatrix") cluster::silhouette(x = x, dmatrix = dmatrix) else cluster::silhouette(x = x, dist = dist))
}
silhouette_fields <- function(s, call = NULL) {
  if (!is.matrix(s)) return(as.numeric(s))
  if (!is.null(call)) attr(s, "call") <- str2lang(call)
  summary <- summary(s)
  list(value = array(s, dim(s)), rows = as.integer(rownames(s)), codes = attr(s, "codes"), Ordered = attr(s, "Ordered"),
       si.summary = summary$si.summary, clus.avg.widths = as.vector(summary$clus.avg.widths),
       clus.sizes = as.vector(summary$clus.sizes), avg.width = summary$avg.width,
       printed = printed(s), printed.summary = printed(summary))
}
CALLS$clusGap <- function(x, method = "kmeans", B = 3, spaceH0 = "original", print.method = "firstSEmax", print.factor = 1, ...) {
  fits <- list(kmeans = stats::kmeans, pam = cluster::pam, none = function(x, k) 1,
               fixed = function(x, k) list(cluster = rep(1, nrow(x))),
               hclust = function(x, k) list(cluster = stats::cutree(stats::hclust(stats::dist(x)), k)))
  gap <- cluster::clusGap(x, fits[[method]], B = B, spaceH0 = spaceH0, verbose = FALSE, ...)
  gap$call <- quote(clusGap(x = x, FUNcluster = FUNcluster, K.max = K.max, B = B))
  text <- tryCatch(printed(gap, method = print.method, SE.factor = print.factor), error = function(e) NULL)
  list(Tab = gap$Tab, n = gap$n, B = gap$B, printed = text)
}

# A frame whose columns are numbers, factors, ordered ones, truth values, binary numbers or texts.
mixed_frame <- function(x, kinds, named = FALSE) {
  columns <- lapply(seq_len(ncol(x)), function(j) {
    v <- x[, j]
    whole <- floor(v) %% 3
    switch(substring(kinds, j, j), n = v, f = factor(whole), o = factor(whole, levels = c(2, 0, 1), ordered = TRUE),
           l = v > 0, b = as.numeric(v > 0), t = as.character(whole))
  })
  frame <- as.data.frame(stats::setNames(columns, paste0("v", seq_along(columns))))
  if (named) rownames(frame) <- paste0("row", seq_len(nrow(x)))
  frame
}
given_types <- function(...) {
  types <- Filter(Negate(is.null), list(...))
  if (length(types)) list(type = types)
}
CALLS$daisy <- function(x, kinds = NULL, named = FALSE, asymm = NULL, symm = NULL, ordratio = NULL, logratio = NULL, ...) {
  x[is.nan(x)] <- NA
  if (!is.null(kinds)) x <- mixed_frame(x, kinds, named)
  types <- given_types(asymm = asymm, symm = symm, ordratio = ordratio, logratio = logratio)
  d <- do.call(cluster::daisy, c(list(x, ...), types))
  list(d = as.vector(d), Size = attr(d, "Size"), types = match(attr(d, "Types"), LETTERS),
       labels = if (!is.null(attr(d, "Labels"))) utf8ToInt(paste(attr(d, "Labels"), collapse = " ")),
       printed = printed(d), summary = printed(summary(d)))
}

# Trees of the rows or of their dissimilarities.
twins <- function(name, coefficient) {
  function(x, form = "rows", ...) {
    x <- objects_of(x, form)
    make <- getExportedValue("cluster", name)
    fit <- if (form %in% c("vector", "square")) make(x, diss = TRUE, ...) else make(x, ...)
    fit$call <- str2lang(paste0(name, "(x = x)"))
    data <- fit$data
    c(fit[c("order", "height", coefficient, "merge")],
      list(diss = as.vector(fit$diss), data = if (!is.null(data)) array(data, dim(data)),
           center = attr(data, "scaled:center"), scale = attr(data, "scaled:scale"),
           labels = if (!is.null(fit$order.lab)) utf8ToInt(paste(fit$order.lab, collapse = " ")), printed = printed(fit)))
  }
}
CALLS$agnes <- twins("agnes", "ac")
CALLS$diana <- twins("diana", "dc")

# The clustering of clara, or its labels alone.
CALLS$clara <- function(x, form = "rows", ...) {
  x <- objects_of(x, form)
  fit <- cluster::clara(x, ...)
  if (!is.list(fit)) return(list(clustering = fit))
  fit$call <- str2lang("clara(x = x)")
  data <- fit$data
  names <- if (is.null(names(fit$clustering))) seq_along(fit$clustering) else names(fit$clustering)
  widths <- fit$silinfo$widths
  list(sample = match(fit$sample, names), medoids = fit$medoids, i.med = fit$i.med, clustering = fit$clustering,
       objective = fit$objective, clusinfo = fit$clusinfo, diss = as.vector(fit$diss), widths = widths,
       objects = match(rownames(widths), names), clus.avg.widths = fit$silinfo$clus.avg.widths,
       avg.width = fit$silinfo$avg.width, data = if (!is.null(data)) array(data, dim(data)),
       center = attr(data, "scaled:center"), scale = attr(data, "scaled:scale"), printed = printed(fit))
}

# The fuzzy clusters of fanny.
CALLS$fanny <- function(x, form = "rows", ...) {
  x <- objects_of(x, form)
  fit <- if (form %in% c("vector", "square")) cluster::fanny(x, diss = TRUE, ...) else cluster::fanny(x, ...)
  fit$call <- str2lang("fanny(x = x)")
  data <- fit$data
  names <- if (is.null(names(fit$clustering))) seq_along(fit$clustering) else names(fit$clustering)
  c(fit[c("membership", "coeff", "memb.exp", "clustering", "k.crisp", "objective", "convergence")],
    list(diss = as.vector(fit$diss), widths = fit$silinfo$widths, objects = match(rownames(fit$silinfo$widths), names),
         clus.avg.widths = fit$silinfo$clus.avg.widths, avg.width = fit$silinfo$avg.width,
         data = if (!is.null(data)) array(data, dim(data)), center = attr(data, "scaled:center"),
         scale = attr(data, "scaled:scale"), printed = printed(fit)))
}
