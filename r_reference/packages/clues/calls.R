# Calls of clues.
CALLS$adjustedRand <- function(...) as.list(clues::adjustedRand(...))
