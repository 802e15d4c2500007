# The agglomerative coefficient of several linkages, and the tree of the best.
library(cluster)
df <- scale(na.omit(USArrests))
m <- c("average", "single", "complete", "ward")
names(m) <- c("average", "single", "complete", "ward")
ac <- function(x) agnes(df, method = x)$ac
sapply(m, ac)
hc <- agnes(df, method = "ward")
hc
hc$order.lab[1:6]
sub_grp <- cutree(as.hclust(hc), k = 4)
table(sub_grp)
head(cbind(USArrests, cluster = sub_grp))
div <- diana(df)
div$dc
div
table(cutree(as.hclust(div), 4), sub_grp)
first <- df[1:8, ]
small <- agnes(first, method = "average")
small
summary(small)
pltree(hc, cex = 0.6, hang = -1)
