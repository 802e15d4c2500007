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

# eigen of the data, or of their covariances or products.
CALLS$eigen <- function(x, of = NULL, ...) {
  base::eigen(if (is.null(of)) x else if (of == "var") stats::var(x) else base::crossprod(x), ...)[1:2]
}
