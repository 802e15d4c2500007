# Input data of the cases, computed with the same operations as recipes.py: the bits must agree.
# Only draws, + - * /, floor and comparisons are used. Needs jsonlite to read the csv files exactly.

# A csv file of numbers with one header line; jsonlite reads decimals correctly rounded, R's own parser may not.
read_numbers <- function(path) {
  lines <- readLines(path)[-1]
  do.call(rbind, lapply(lines, function(line) as.numeric(jsonlite::fromJSON(paste0("[", line, "]")))))
}

# The matrix that a recipe starts from.
base_matrix <- function(recipe, datasets, folder) {
  if (!is.null(recipe$rows)) {
    return(do.call(rbind, lapply(recipe$rows, decode_numbers)))
  }
  if (!is.null(recipe$dataset)) {
    set <- datasets[[recipe$dataset]]
    x <- read_numbers(file.path(folder, set$file))
    if (isTRUE(recipe$scaled)) {
      for (j in seq_len(ncol(x))) x[, j] <- (x[, j] - set$center[[j]]) / set$scale[[j]]
    }
    return(x)
  }
  suppressWarnings(RNGkind("Mersenne-Twister", "Inversion", "Rejection"))
  set.seed(recipe$seed)
  size <- recipe$n * recipe$p
  draws <- switch(recipe$draw,
    normal = stats::rnorm(size), uniform = stats::runif(size),
    integer = as.numeric(sample.int(recipe$levels, size, replace = TRUE)))
  matrix(draws, recipe$n, recipe$p)
}

# One step of a recipe applied to x.
apply_step <- function(x, step) {
  a <- decode_numbers(step[-1])
  n <- nrow(x)
  switch(step[[1]],
    clusters = { # k groups in turn, the first q columns moved by shift times the group number
      group <- (seq_len(n) - 1) %% a[1]
      for (j in seq_len(a[3])) x[, j] <- x[, j] + a[2] * group
      x
    },
    add = x + a[1],
    multiply = x * a[1],
    round = floor(x * a[1]) / a[1],
    duplicate = x[(seq_len(n) - 1) %% a[1] + 1, , drop = FALSE],
    set = { x[a[1], a[2]] <- a[3]; x },
    constant = { x[, a[1]] <- a[2]; x },
    missing = { # q cells in column-major order, drawn by the seed
      suppressWarnings(RNGkind("Mersenne-Twister", "Inversion", "Rejection"))
      set.seed(a[1])
      x[sample.int(length(x), a[2])] <- NaN
      x
    },
    every = x[seq(1, n, by = a[1]), , drop = FALSE],
    columns = x[, seq_len(a[1]), drop = FALSE],
    stop("unknown step: ", step[[1]]))
}

# The input matrix of a recipe.
make_data <- function(recipe, datasets, folder) {
  x <- base_matrix(recipe, datasets, folder)
  for (step in recipe$steps) x <- apply_step(x, step)
  unname(x)
}

# What JSON has no number for is written as one of these strings.
SPECIAL <- c("NA" = NA, "NaN" = NaN, "Inf" = Inf, "-Inf" = -Inf)

decode_number <- function(v) if (is.character(v)) SPECIAL[[v]] else as.numeric(v)

decode_numbers <- function(values) vapply(values, decode_number, numeric(1))

# One argument of a case: rows of x, a matrix, a number or vector, a logical, a name.
decode_argument <- function(value, x) {
  if (!is.null(names(value)) && !is.null(value$rows_of_x)) return(x[decode_numbers(value$rows_of_x), , drop = FALSE])
  if (!is.null(names(value)) && !is.null(value$matrix)) return(do.call(rbind, lapply(value$matrix, decode_numbers)))
  if (is.list(value)) return(decode_numbers(value))
  if (is.logical(value) || (is.character(value) && !(value %in% names(SPECIAL)))) return(value)
  decode_number(value)
}
