# Medoids of iris: print, summary, and the silhouettes of the clusters.
library(cluster)
iris2 <- iris
iris2$Species <- NULL
pam.result <- pam(iris2, 3)
pam.result
table(pam.result$clustering, iris$Species)
pam.result$medoids
pam.result$clusinfo
pam.result$objective
pam.result$silinfo$clus.avg.widths
pam.result$silinfo$avg.width
head(pam.result$silinfo$widths)
summary(silhouette(pam.result))
iris2[pam.result$id.med, ]
names(pam.result)
two <- pam(scale(iris2), 2, metric = "manhattan")
two$id.med
print(two)
