# Calls of vimpclust: the numbers of its results, their names as numbers of characters, and what its pictures draw.
characters <- function(names) if (!is.null(names)) utf8ToInt(paste(names, collapse = " "))
plain <- function(field) if (is.matrix(field)) array(field, dim(field)) else as.vector(field)
# Heights of a picture; its colours are drawn by the stream of random numbers, which is put back.
heights <- function(fit, what, Which = NULL) {
  seed <- get(".Random.seed", envir = globalenv())
  on.exit(assign(".Random.seed", seed, envir = globalenv()))
  data <- plot(fit, what = what, Which = Which)$data
  as.numeric(data[, setdiff(names(data), c("lambda", "group", "color", "feature", "line.type"))])
}
numbers_of <- function(fit, what, Which) {
  fields <- fit[setdiff(names(fit), c("call", "type"))]
  shown <- c(what, "expl.var", "w.expl.var", "pen.crit")
  W <- if (is.null(fit$Wm)) fit$Wg else fit$Wm
  c(lapply(fields, plain),
    list(features = characters(rownames(fit$W)), parts = characters(rownames(W)), penalties = characters(colnames(W)),
         drawn = unlist(lapply(shown, function(what) heights(fit, what, Which)))))
}
# A frame of numbers, whole numbers, factors, ordered ones, truth values and texts.
columns_of <- function(x, kinds) {
  if (is.null(kinds)) return(x)
  columns <- lapply(seq_len(ncol(x)), function(j) {
    v <- x[, j]
    v[is.nan(v)] <- NA
    text <- c("a", "b", "c")[1 + floor(v) %% 3]
    switch(substring(kinds, j, j), n = v, i = as.integer(floor(v)), f = factor(text, levels = c("c", "a", "b", "z")),
           o = factor(text, ordered = TRUE), l = v > 0, t = text)
  })
  as.data.frame(stats::setNames(columns, paste0("v", seq_along(columns))))
}
CALLS$groupsparsewkm <- function(x, what = "weights.features", Which = NULL, ...) {
  if (is.null(colnames(x)) && ncol(x) > 0) colnames(x) <- paste0("v", seq_len(ncol(x)))
  utils::capture.output(fit <- vimpclust::groupsparsewkm(x, ...))
  numbers_of(fit, what, Which)
}
CALLS$sparsewkm <- function(x, kinds = NULL, what = "weights.features", Which = NULL, ...) {
  utils::capture.output(fit <- vimpclust::sparsewkm(columns_of(x, kinds), ...))
  numbers_of(fit, what, Which)
}
CALLS$groupsoft <- function(x, ...) vimpclust::groupsoft(as.vector(x), ...)
CALLS$weightedss <- function(x, groups = NULL, cl = 1 + (seq_len(nrow(x)) * 7 + floor(seq_len(nrow(x)) / 3)) %% groups, ...) {
  found <- vimpclust::weightedss(x, cl, ...)
  c(lapply(found, as.vector), list(names = characters(names(found$bss.per.cluster))))
}
CALLS$recodmix <- function(x, kinds = NULL, ...) {
  found <- vimpclust::recodmix(columns_of(x, kinds), ...)
  list(Z = plain(found$Z), index = found$index, columns = characters(names(found$X)), names = characters(colnames(found$Z)),
       center = as.vector(attr(found$Z, "scaled:center")), scale = as.vector(attr(found$Z, "scaled:scale")),
       levels = characters(unlist(lapply(found$X, levels))))
}
CALLS$info_clust <- function(x, which.lambda, kinds = NULL, other = kinds, mixed = TRUE, ...) {
  frame <- columns_of(x, kinds)
  fit <- if (mixed) vimpclust::sparsewkm else vimpclust::groupsparsewkm
  utils::capture.output(fit <- fit(frame, ...))
  found <- vimpclust::info_clust(fit, which.lambda, columns_of(x, other))
  list(means = unlist(found$mean.by.clust), shares = unlist(found$freq.by.clust), lambda = found$lambda,
       names = characters(c(names(found$mean.by.clust), unlist(dimnames(found$freq.by.clust[[1]])))),
       numbers = characters(rownames(found$mean.by.clust[[1]])))
}
