# Many rows: clara, what it prints, and how it agrees with k-means.
library(cluster)
set.seed(2)
x <- rbind(cbind(rnorm(80, 0, 8), rnorm(80, 0, 8)), cbind(rnorm(120, 50, 8), rnorm(120, 50, 8)))
clarax <- clara(x, 2, samples = 50)
clarax
clarax$clusinfo
clarax$medoids
clarax$i.med
table(clarax$clustering)
km <- kmeans(x, 2)
table(clara = clarax$clustering, kmeans = km$cluster)
summary(clara(faithful, 2))
flowers <- iris[, 1:4]
q <- clara(flowers, 3, stand = TRUE, samples = 20, pamLike = TRUE)
q
aggregate(iris$Petal.Width, by = list(cluster = q$clustering), FUN = mean)
