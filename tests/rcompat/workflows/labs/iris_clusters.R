# The flowers of iris in three clusters, against their species.
head(iris)
summary(iris)
set.seed(20)
irisCluster <- kmeans(iris[, 3:4], 3, nstart = 20)
irisCluster
table(irisCluster$cluster, iris$Species)
irisCluster$cluster <- as.factor(irisCluster$cluster)
levels(irisCluster$cluster)
counts <- table(iris$Species, irisCluster$cluster)
prop.table(counts, 1)
round(prop.table(counts, 2), 3)
aggregate(iris[, 1:4], by = list(cluster = irisCluster$cluster), mean)
aggregate(. ~ Species, data = iris, FUN = mean)
tapply(iris$Petal.Length, iris$Species, sd)
iris$cluster <- irisCluster$cluster
head(iris[iris$Species == "virginica", ], 4)
tail(iris)
sapply(iris[, 1:4], range)
