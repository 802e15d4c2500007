# Calls of mvtnorm: draws with the covariances of the data, or these times a sign.
CALLS$rmvnorm <- function(x, n, mean, sign = 1) unname(mvtnorm::rmvnorm(n, mean, sign * stats::var(x)))
