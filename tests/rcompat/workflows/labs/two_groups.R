# k-means on two made groups: one start against many, and too many clusters.
set.seed(4)
x <- matrix(rnorm(40 * 2), ncol = 2)
x[1:20, 1] <- x[1:20, 1] + 3
x[1:20, 2] <- x[1:20, 2] - 4
km.out <- kmeans(x, 2, nstart = 20)
km.out$cluster
km.out
plot(x, col = km.out$cluster + 1, pch = 20)
set.seed(4)
km.out <- kmeans(x, 3, nstart = 20)
km.out
set.seed(3)
one <- kmeans(x, 4, nstart = 1)
one$tot.withinss
many <- kmeans(x, 4, nstart = 20)
many$tot.withinss
many$size
many$withinss
str(many)
table(one$cluster, many$cluster)
