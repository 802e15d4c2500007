# Short and long eruptions of the geyser, found by k-means and by a cut at three minutes.
str(faithful)
summary(faithful)
set.seed(10)
km <- kmeans(scale(faithful), 2)
km$size
km$iter
centers <- aggregate(faithful, list(cluster = km$cluster), mean)
centers
long <- ifelse(faithful$eruptions > 3, "long", "short")
table(long)
table(km$cluster, long)
mean(km$cluster == ifelse(long == "long", km$cluster[1], 3 - km$cluster[1]))
part <- cut(faithful$eruptions, breaks = c(0, 2, 3, 4, 6))
table(part)
table(part, cluster = km$cluster)
by.half <- cut(faithful$waiting, 3, labels = c("low", "middle", "high"))
summary(by.half)
tapply(faithful$eruptions, by.half, quantile, probs = c(0.25, 0.75))
quantile(faithful$waiting, c(0.05, 0.5, 0.95))
head(faithful[km$cluster == 1, ])
sqrt(sum((km$centers[1, ] - km$centers[2, ])^2))
