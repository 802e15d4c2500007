# Calls of NbClust without its prints and pictures.
CALLS$NbClust <- function(x, form = "rows", ...) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  utils::capture.output(found <- switch(form,
    rows = NbClust::NbClust(x, ...),
    both = NbClust::NbClust(x, diss = stats::dist(x), distance = NULL, ...),
    dist = NbClust::NbClust(diss = stats::dist(x), distance = NULL, ...)
  ))
  kept <- function(field) {
    names <- if (is.matrix(field)) unlist(dimnames(field)) else names(field)
    list(values = if (is.matrix(field)) unname(field) else as.vector(field),
         names = if (!is.null(names)) utf8ToInt(paste(names, collapse = " ")))
  }
  lapply(found, kept)
}
