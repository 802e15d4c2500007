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
    list = list(a = v, b = list(words, whole[1]), c = NULL), words = array(words, dim(x)))
}
printed <- function(value, ...) utf8ToInt(paste(utils::capture.output(print(value, ...)), collapse = "\n"))
CALLS$print <- function(x, kind, ...) printed(value_of_kind(x, kind), ...)
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
