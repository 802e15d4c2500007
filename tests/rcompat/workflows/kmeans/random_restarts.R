# A loop over seeds that keeps the best of many single starts.
x <- NULL
set.seed(1000)
for (j in 1:4) x <- rbind(x, cbind(rnorm(25, 3 * cos(j), 0.5), rnorm(25, 3 * sin(j), 0.5)))
best <- NULL
found <- numeric(0)
for (seed in c(1, 22, 333, 4444)) {
  set.seed(seed)
  fit <- kmeans(x, 4)
  found <- c(found, fit$tot.withinss)
  if (is.null(best) || fit$tot.withinss < best$tot.withinss) best <- fit
}
together <- kmeans(x, 4, nstart = 25)
gain <- min(found) - together$tot.withinss
ordered <- best$centers[order(best$centers[, 1]), ]
