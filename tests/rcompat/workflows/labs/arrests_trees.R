# The states in trees of three linkages, and what scaling changes.
hc.complete <- hclust(dist(USArrests), method = "complete")
hc.average <- hclust(dist(USArrests), method = "average")
hc.single <- hclust(dist(USArrests), method = "single")
par(mfrow = c(1, 3))
plot(hc.complete, main = "Complete linkage", xlab = "", sub = "", cex = 0.9)
plot(hc.average, main = "Average linkage", xlab = "", sub = "", cex = 0.9)
plot(hc.single, main = "Single linkage", xlab = "", sub = "", cex = 0.9)
cutree(hc.complete, 3)
table(cutree(hc.average, 3))
table(cutree(hc.single, 3))
xsc <- scale(USArrests)
hc.scaled <- hclust(dist(xsc), "complete")
hc.scaled
plot(hc.scaled, hang = -1)
rect.hclust(hc.scaled, k = 3)
groups <- cutree(hc.scaled, 3)
table(groups)
table(raw = cutree(hc.complete, 3), scaled = groups)
aggregate(USArrests, list(groups), mean)
by.group <- aggregate(USArrests, by = list(cluster = groups), FUN = median)
by.group
names(groups)[groups == 1]
summary(hc.scaled)
