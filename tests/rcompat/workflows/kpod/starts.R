# The starts of k-POD by hand: kmpp and assign_clustpp, then kmeans from them.
library(kpodclustr)
set.seed(5)
x <- matrix(rnorm(120), 40) + rep(c(0, 4), each = 20)
seeds <- kmpp(x, 3)
labels <- assign_clustpp(x, seeds)
again <- kmeans(x, seeds, iter.max = 50)
