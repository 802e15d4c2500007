# Weights of the columns in each cluster, and a plain fit beside them.
library(wskm)
set.seed(8)
x <- iris[, 1:4]
myewkm <- ewkm(x, 3, lambda = 0.5, maxiter = 100)
myewkm
round(myewkm$weights, 3)
myewkm$size
apply(myewkm$weights, 1, which.max)
rowSums(myewkm$weights)
km <- kmeans(x, 3, nstart = 10)
table(ewkm = myewkm$cluster, kmeans = km$cluster)
table(iris$Species, myewkm$cluster)
head(predict(myewkm, x), 12)
myewkm$iterations
