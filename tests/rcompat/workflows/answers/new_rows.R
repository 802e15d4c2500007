# No predict for kmeans: the nearest centre of rows that were held out.
set.seed(2024)
train <- sample(nrow(iris), 100)
x <- as.matrix(iris[, 1:4])
fit <- kmeans(x[train, ], 3, nstart = 10)
closest.cluster <- function(v) {
  cluster.dist <- apply(fit$centers, 1, function(y) sqrt(sum((v - y)^2)))
  which.min(cluster.dist)[1]
}
clusters2 <- apply(x[-train, ], 1, closest.cluster)
clusters2[1:6]
table(clusters2, iris$Species[-train])
same <- apply(x[train, ], 1, closest.cluster)
all(same == fit$cluster)
head(fitted(fit), 3)
residuals <- x[train, ] - fitted(fit)
sum(residuals^2)
fit$tot.withinss
fit$betweenss / fit$totss
head(train)
