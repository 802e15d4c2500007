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
