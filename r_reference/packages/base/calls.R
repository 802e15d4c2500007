# Calls of base: scale with its attributes as fields.
CALLS$scale <- function(x, ...) {
  z <- base::scale(x, ...)
  list(value = array(z, dim(z)), center = attr(z, "scaled:center"), scale = attr(z, "scaled:scale"))
}
