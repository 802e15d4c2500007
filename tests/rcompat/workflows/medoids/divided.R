# A tree from the top down: heights, order and the cut, of few countries.
library(cluster)
x <- LifeCycleSavings[1:12, ]
dv <- diana(x, metric = "manhattan", stand = TRUE)
print(dv)
summary(dv)
dv$order.lab
round(dv$height, 3)
groups <- cutree(as.hclust(dv), k = 3)
groups
split(names(groups), groups)
dend <- as.dendrogram(as.hclust(dv))
dend
labels(dend)
nobs(dend)
str(dend)
plot(dv)
