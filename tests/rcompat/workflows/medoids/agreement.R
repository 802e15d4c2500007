# Several clusterings of the same rows compared: tables, indices, widths.
library(cluster)
library(fpc)
library(mclust)
some <- iris[c(1:20, 51:70, 101:120), ]
x <- scale(some[, 1:4])
d <- dist(x)
set.seed(1)
groups <- list(
  kmeans = kmeans(x, 3, nstart = 20)$cluster,
  pam = pam(x, 3)$clustering,
  ward = cutree(hclust(d, "ward.D2"), 3)
)
sapply(groups, table)
sapply(groups, adjustedRandIndex, some$Species)
table(groups$kmeans, groups$ward, dnn = c("kmeans", "ward"))
widths <- sapply(groups, function(g) summary(silhouette(g, d))$avg.width)
round(widths, 3)
sapply(groups, function(g) calinhara(x, g))
stats <- cluster.stats(d, groups$pam, groups$ward)
stats$avg.silwidth
stats$dunn
stats$corrected.rand
stats$cluster.size
unlist(stats[c("wb.ratio", "ch", "vi")])
result <- data.frame(method = names(groups), width = widths, row.names = NULL)
result[order(-result$width), ]
