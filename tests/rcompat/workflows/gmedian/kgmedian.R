# k-medians on data with outliers, beside k-means.
library(Gmedian)
set.seed(17)
x <- rbind(matrix(rnorm(60), 30), matrix(rnorm(60, 6), 30))
x[c(3, 40), ] <- 60
medians <- kGmedian(x, ncenters = 2, nstart = 3, nstartkmeans = 5)
means <- kmeans(x, 2, nstart = 5)
apart <- dist(rbind(medians$centers, means$centers))
size <- tabulate(medians$cluster)
