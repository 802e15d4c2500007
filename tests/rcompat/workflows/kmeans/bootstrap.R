# Stability of k-means under resampling of the rows.
set.seed(314)
x <- rbind(matrix(rnorm(50, 0), 25), matrix(rnorm(50, 3), 25))
whole <- kmeans(x, 2, nstart = 5)
nearest <- function(rows, centers) {
  d <- sapply(1:nrow(centers), function(k) (rows[, 1] - centers[k, 1])^2 + (rows[, 2] - centers[k, 2])^2)
  apply(d, 1, which.min)
}
same <- numeric(6)
draws <- list()
for (b in 1:6) {
  draws[[b]] <- sample(nrow(x), replace = TRUE)
  fit <- kmeans(x[draws[[b]], ], 2, nstart = 5)
  labels <- nearest(x, fit$centers)
  same[b] <- max(mean(labels == whole$cluster), mean(labels != whole$cluster))
}
stability <- mean(same)
middle <- median(same)
