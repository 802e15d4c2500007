# Calls of parallel: the state as integers; from the case table it comes as doubles.
CALLS$nextRNGStream <- function(seed) parallel::nextRNGStream(if (length(seed) == 7) as.integer(seed) else seed)
CALLS$nextRNGSubStream <- function(seed) parallel::nextRNGSubStream(if (length(seed) == 7) as.integer(seed) else seed)
