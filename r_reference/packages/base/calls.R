# Calls of base: scale with its attributes as fields.
CALLS$scale <- function(x, ...) {
  z <- base::scale(x, ...)
  list(value = array(z, dim(z)), center = attr(z, "scaled:center"), scale = attr(z, "scaled:scale"))
}

# The kinds of generators, then a seed, then a call that draws; head has the state before that call.
CALLS$RNGkind <- function(..., kind = NULL, normal.kind = NULL, sample.kind = NULL, then.seed = NULL, then = NULL) {
  base::RNGkind(kind, normal.kind, sample.kind)
  if (!is.null(then.seed)) set.seed(then.seed)
  list(head = as.numeric(utils::head(get(".Random.seed", envir = globalenv())[-1], 6)),
       drawn = if (!is.null(then)) do.call(then, list(...)))
}

# The sum of x, of more numbers one by one, and of all of them.
CALLS$sum <- function(x, more = NULL, ...) do.call(base::sum, c(list(x), as.list(more), list(more, ...)))

# Counts of labels and what is printed of them, as numbers of characters; words stand for numbers where wanted.
CALLS$table <- function(first, second = NULL, words = "none", ...) {
  if (words %in% c("first", "both")) first <- WORDS[first]
  if (words %in% c("second", "both") && !is.null(second)) second <- WORDS[second]
  if (words == "truth") first <- first > 1
  if (words == "levels") first <- factor(first, levels = 7:1)
  if (words == "integers") first <- as.integer(first)
  counts <- if (is.null(second)) base::table(first, ..., deparse.level = 0) else base::table(first, second, ..., deparse.level = 0)
  list(value = array(counts, dim(counts)), printed = utf8ToInt(paste(utils::capture.output(print(counts)), collapse = "\n")))
}
WORDS <- c("setosa", "versicolor", "b", "A", "long name", "", "Zo\u00eb")

# A value of a kind made of the data; and what is printed of it, as numbers of characters.
value_of_kind <- function(x, kind) {
  hclust <- stats::hclust  # fastcluster has one of the same name
  x[is.nan(x)] <- NA
  v <- as.vector(x)
  whole <- ifelse(abs(v) < 1e9, floor(v), 0) %% 5
  words <- c("one", "two", "three", "a longer word", "b")[whole + 1]
  rows <- paste0("row", seq_len(nrow(x)))
  columns <- paste0("c", seq_len(ncol(x)))
  switch(kind,
    plain = v, named = stats::setNames(v, paste0("v", seq_along(v))), logical = v > 0, texts = words,
    factor = factor(words), ordered = factor(whole, levels = 0:4, ordered = TRUE), integers = as.integer(whole),
    matrix = x, dimnamed = array(x, dim(x), list(rows, columns)),
    frame = as.data.frame(array(x, dim(x), list(NULL, columns))),
    rows = as.data.frame(array(x, dim(x), list(rows, columns))),
    mixed = data.frame(n = x[, 1], w = words[seq_len(nrow(x))], f = factor(words[seq_len(nrow(x))]), b = x[, 1] > 0),
    list = list(a = v, b = list(words, whole[1]), c = NULL), words = array(words, dim(x)),
    dist = dist(x), minkowski = dist(x, p = 3, method = "minkowski"), tree = hclust(dist(x), "average"),
    named.dist = {
      named <- array(x, dim(x), list(rows, columns))
      list(d = dist(named, "man", upper = TRUE, diag = TRUE), half = dist(named) / 2)
    },
    as.dist = as.dist(as.matrix(dist(x)), upper = TRUE), cophenetic = cophenetic(hclust(dist(x))),
    cophenetic.tree = cophenetic(as.dendrogram(hclust(dist(x)))))
}
printed <- function(value, ...) utf8ToInt(paste(utils::capture.output(print(value, ...)), collapse = "\n"))
CALLS$print <- function(x, kind, ...) printed(value_of_kind(x, kind), ...)
CALLS$str <- function(x, kind) utf8ToInt(paste(utils::capture.output(utils::str(value_of_kind(x, kind))), collapse = "\n"))
CALLS$summary <- function(x, kind) {
  s <- summary(value_of_kind(x, kind))
  list(value = if (is.numeric(s)) as.vector(unclass(s)), printed = printed(s))
}

# Shares of the data, or of a table of two vectors with what is printed of it.
CALLS$prop.table <- function(x, first = NULL, second = NULL, ...) {
  if (is.null(first)) return(base::prop.table(x, ...))
  shares <- base::prop.table(base::table(first, second, deparse.level = 0), ...)
  list(value = array(shares, dim(shares)), printed = printed(shares))
}

# eigen of the data, or of their covariances or products.
CALLS$eigen <- function(x, of = NULL, ...) {
  base::eigen(if (is.null(of)) x else if (of == "var") stats::var(x) else base::crossprod(x), ...)[1:2]
}

# apply and tapply with functions by name, some of them made here; as.matrix of several kinds of values.
OWN <- list(large = function(v) v[!is.na(v) & v > 0], none = function(v) NULL)
own_function <- function(FUN) if (is.character(FUN) && FUN %in% names(OWN)) OWN[[FUN]] else FUN
as_named <- function(x, named) {
  x[is.nan(x)] <- NA
  if (named == "vector") return(x[, 1])
  if (named %in% c("rows", "both")) rownames(x) <- paste0("row", seq_len(nrow(x)))
  if (named %in% c("columns", "both", "frame")) colnames(x) <- paste0("c", seq_len(ncol(x)))
  if (named == "frame") as.data.frame(x) else x
}
# A result and what is printed of it.
shown <- function(value) {
  size <- if (is.matrix(value)) dim(value) else length(value)
  list(value = if (is.list(value)) unname(lapply(value, as.vector)) else if (length(value)) array(as.numeric(value), size),
       printed = if (length(value)) printed(value))
}
CALLS$apply <- function(x, FUN, named, ...) {
  shown(do.call(base::apply, list(as_named(x, named), FUN = own_function(FUN), ...)))
}
CALLS$tapply <- function(x, first, second = NULL, words = "none", list = "vector", FUN = NULL, ...) {
  x[is.nan(x)] <- NA
  if (words == "first") first <- WORDS[first]
  if (words == "levels") first <- factor(first, levels = 6:1)
  index <- if (is.null(second)) list(first) else list(first, second)
  if (list == "named") names(index) <- c("first", "second")[seq_along(index)]
  if (list == "vector") index <- first
  if (list == "empty") index <- list()
  shown(do.call(base::tapply, list(x[, 1], index, own_function(FUN), ...)))
}
CALLS$as.matrix <- function(x, form) {
  x[is.nan(x)] <- NA
  if (form == "named dist") rownames(x) <- paste0("row", seq_len(nrow(x)))
  shown(base::as.matrix(switch(form, dist = , "named dist" = stats::dist(x), frame = as_named(x, "frame"), matrix = x,
                               vector = stats::setNames(x[, 1], paste0("v", seq_len(nrow(x)))))))
}
