# Names of rows go through dist and hclust; groups of a first k-means weigh as many as they hold.
set.seed(51)
x <- matrix(rnorm(80), 40)
rownames(x) <- paste0("plot", 1:40)
first <- kmeans(x, 8, nstart = 5)
tree <- hclust(dist(first$centers)^2, "centroid", members = first$size)
d <- dist(x[1:6, ], method = "canberra")
labels <- hclust(d)$labels
print(d)
print(round(d, 2))
