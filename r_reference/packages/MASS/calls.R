# Calls of MASS: draws with the covariances of the data, or these times a sign.
CALLS$mvrnorm <- function(x, n, mu, sign = 1, ...) unname(MASS::mvrnorm(n, mu, sign * stats::var(x), ...))
