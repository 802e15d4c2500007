# The total within sum of squares over k, for the elbow.
set.seed(123)
x <- rbind(matrix(rnorm(100, sd = 0.3), ncol = 2), matrix(rnorm(100, mean = 1, sd = 0.3), ncol = 2))
results <- matrix(nrow = 7, ncol = 2)
for (i in 2:8) {
  fit <- kmeans(x, i)
  results[i - 1, 1] <- i
  results[i - 1, 2] <- fit$tot.withinss
}
wss <- (nrow(x) - 1) * sum(apply(x, 2, var))
ratio <- sapply(1:8, function(k) {
  fit <- kmeans(x, k, nstart = 10)
  fit$betweenss / fit$totss
})
