# Five indices of agreement between k-means, a tree and the truth, over seeds.
library(clues)
truth <- rep(1:3, times = c(10, 14, 16))
indices <- matrix(NA, 5, 5)
for (seed in 1:5) {
  set.seed(seed)
  x <- matrix(rnorm(80), 40) + 2 * truth
  a <- kmeans(x, 3, nstart = 3)$cluster
  indices[seed, ] <- adjustedRand(a, truth)
}
b <- cutree(hclust(dist(x), "average"), 3)
one <- adjustedRand(a, b, randMethod = "HA")
means <- colMeans(indices)
ranges <- apply(indices, 2, range)
