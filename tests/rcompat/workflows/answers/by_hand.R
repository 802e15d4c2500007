# k-means written out, beside R's own.
set.seed(31)
x <- as.matrix(scale(faithful))
k <- 2
centers <- x[sample(nrow(x), k), ]
centers
for (step in 1:20) {
  d <- sapply(1:k, function(j) colSums((t(x) - centers[j, ])^2))
  cluster <- apply(d, 1, which.min)
  new <- t(sapply(1:k, function(j) colMeans(x[cluster == j, ])))
  change <- max(abs(new - centers))
  centers <- new
  cat("step", step, "change", format(change, digits = 3), "\n")
  if (change < 1e-8) break
}
centers
table(cluster)
fit <- kmeans(x, 2, algorithm = "Lloyd", nstart = 3)
fit$centers
table(cluster, fit$cluster)
fit$tot.withinss
sum(d[cbind(seq_along(cluster), cluster)])
str(fit$centers)
