# The numbers of clusters change with the seed: clusters renamed by size or by a column.
set.seed(7)
km <- kmeans(iris$Petal.Length, centers = 3, nstart = 5)
km$centers
o <- order(km$centers)
o
relabelled <- match(km$cluster, o)
table(old = km$cluster, new = relabelled)
f <- factor(relabelled, labels = c("short", "medium", "long"))
f[c(1, 51, 101)]
table(f, iris$Species)
summary(f)
by.size <- order(km$size, decreasing = TRUE)
by.size
cluster <- factor(match(km$cluster, by.size))
nlevels(cluster)
table(cluster)
tapply(iris$Petal.Length, f, range)
as.integer(f)[1:10]
prop.table(table(f))
round(100 * prop.table(table(f, iris$Species), 1), 1)
