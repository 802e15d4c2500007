# How are the members of each cluster listed?
set.seed(99)
df <- data.frame(id = paste0("s", 1:12), a = round(rnorm(12), 2), b = round(runif(12), 2))
df
fit <- hclust(dist(df[, c("a", "b")]))
df$cluster <- cutree(fit, k = 3)
df
df[order(df$cluster), ]
split(df$id, df$cluster)
tapply(df$id, df$cluster, paste, collapse = ", ")
lapply(split(df, df$cluster), function(part) part$id)
aggregate(cbind(a, b) ~ cluster, data = df, FUN = mean)
clust <- df$cluster
names(clust) <- df$id
clust
sort(clust)
which(clust == 2)
table(clust)[["1"]]
fit$merge
fit$height
fit$order
fit$labels
