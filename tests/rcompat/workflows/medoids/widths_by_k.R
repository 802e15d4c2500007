# The number of clusters by the average silhouette width.
library(cluster)
df <- scale(USArrests)
set.seed(123)
avg_sil <- function(k) {
  km.res <- kmeans(df, centers = k, nstart = 25)
  ss <- silhouette(km.res$cluster, dist(df))
  mean(ss[, 3])
}
k.values <- 2:6
avg_sil_values <- sapply(k.values, avg_sil)
avg_sil_values
best <- k.values[which.max(avg_sil_values)]
cat("Best number of clusters:", best, "\n")
km <- kmeans(df, best, nstart = 25)
sil <- silhouette(km$cluster, dist(df))
rownames(sil) <- rownames(df)
head(sil[, 1:3], 10)
summary(sil)
si.sum <- summary(sil)
si.sum$clus.avg.widths
si.sum$avg.width
si.sum$clus.sizes
neg <- which(sil[, "sil_width"] < 0.1)
sil[neg, , drop = FALSE]
plot(sil)
