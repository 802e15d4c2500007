# A map of cities from the distances by road, and groups of neighbours.
class(eurodist)
labels(eurodist)[1:5]
loc <- cmdscale(eurodist)
head(loc)
x <- loc[, 1]
y <- -loc[, 2]
plot(x, y, type = "n", asp = 1)
text(x, y, rownames(loc), cex = 0.6)
full <- cmdscale(eurodist, k = 3, eig = TRUE)
round(full$eig, 1)
full$GOF
hc <- hclust(eurodist, "average")
hc
cutree(hc, 4)
cophenetic.cor <- cor(eurodist, cophenetic(hc))
cophenetic.cor
set.seed(5)
km <- kmeans(loc, 3, nstart = 10)
km$cluster
km$centers
table(tree = cutree(hc, 3), kmeans = km$cluster)
m <- as.matrix(eurodist)
m[1:3, 1:3]
summary(as.vector(eurodist))
