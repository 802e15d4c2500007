# Runs one call in R under a seed and captures everything that sparsek promises to reproduce.
# Sourced from this folder by record.R (recording) and by bridge.py (live comparison); base R only.

Sys.setenv(LANGUAGE = "en")

# The calls of a package that are more than the function of that name: what its calls.R puts into CALLS, by name.
read_calls <- function(package) {
  calls <- new.env()
  calls$CALLS <- list()
  file <- file.path("packages", package, "calls.R")
  if (file.exists(file)) sys.source(file, calls)
  calls$CALLS
}
PACKAGES <- list.files("packages")
CALLS <- stats::setNames(lapply(PACKAGES, read_calls), PACKAGES)

# The function that makes a call: of calls.R, else the package's own, which takes the data first.
find_call <- function(name, package) {
  if (!is.null(CALLS[[package]][[name]])) return(CALLS[[package]][[name]])
  own <- getExportedValue(package, name)
  function(x, ...) if (missing(x)) own(...) else own(x, ...)
}

# A result as a flat named list of vectors: nested lists give names joined by "$", list elements
# without a name their position; NULL and empty fields are left out.
flatten_value <- function(value, prefix = "") {
  if (!is.list(value)) {
    value <- list(value)
    names(value) <- if (nzchar(prefix)) "" else "value"
  }
  flat <- list()
  for (i in seq_along(value)) {
    name <- if (is.null(names(value))) as.character(i) else names(value)[i]
    path <- if (nzchar(prefix) && nzchar(name)) paste0(prefix, "$", name) else paste0(prefix, name)
    field <- value[[i]]
    if (is.list(field)) {
      flat <- c(flat, flatten_value(field, path))
    } else if (length(field) > 0) {
      flat[[path]] <- field
    }
  }
  flat
}

# Kind code, position, sum and position-weighted sum of the 624 words of the generator: all exact.
state_digest <- function() {
  state <- get(".Random.seed", envir = globalenv())
  words <- as.numeric(state[-(1:2)])
  words[is.na(words)] <- -2147483648 # R shows this word as NA_integer_
  c(state[1], state[2], sum(words), sum(words * seq_along(words)))
}

# Sets the kinds and the seed, draws `before` uniforms, makes the call; returns its fields, error, warnings
# (messages in order), the digest of the stream, the next two uniforms and the elapsed seconds.
evaluate_case <- function(name, package, args, seed, sample_kind = "Rejection", before = 0) {
  call <- find_call(name, package)
  suppressWarnings(RNGkind("Mersenne-Twister", "Inversion", sample_kind))
  set.seed(seed)
  if (before > 0) stats::runif(before)
  value <- NULL
  error <- NULL
  messages <- character(0)
  started <- proc.time()[["elapsed"]]
  withCallingHandlers(
    tryCatch(value <- do.call(call, args), error = function(e) error <<- conditionMessage(e)),
    warning = function(w) {
      messages <<- c(messages, conditionMessage(w))
      invokeRestart("muffleWarning")
    }
  )
  seconds <- proc.time()[["elapsed"]] - started
  list(value = if (is.null(value)) list() else flatten_value(value), error = error, warnings = messages,
       state = state_digest(), "next" = stats::runif(2), seconds = seconds)
}

# Significant bits of R's long double; those of a double where R is built without it.
long_double_digits <- function() {
  digits <- .Machine$longdouble.digits
  if (is.null(digits)) .Machine$double.digits else digits
}

# Where a result comes from: versions, platform, libraries, date.
provenance <- function(package) {
  list(r = R.version.string, package = package,
       package_version = as.character(utils::packageVersion(package)), platform = R.version$platform,
       blas = basename(extSoftVersion()[["BLAS"]]), lapack = basename(La_library()),
       long_double_digits = long_double_digits(), date = format(Sys.Date()))
}
