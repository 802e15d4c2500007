# Feature groups: fgkm weighs groups by cluster, twkm for all clusters together.
library(wskm)
set.seed(21)
x <- matrix(rnorm(36 * 6), 36)
x[1:12, 1:2] <- x[1:12, 1:2] + 5
x[13:24, 3:4] <- x[13:24, 3:4] - 5
groups <- c(0, 0, 1, 1, 2, 2)
by_cluster <- fgkm(x, 3, groups, 3, 1, seed = 19)
together <- twkm(x, 3, groups, 3, 1, seed = 19)
heaviest <- apply(by_cluster$groupWeight, 1, which.max)
size <- tabulate(by_cluster$cluster, 3)
