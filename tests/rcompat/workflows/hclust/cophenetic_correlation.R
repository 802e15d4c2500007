# The linkage whose cophenetic distances follow the distances best.
set.seed(1984)
x <- scale(matrix(rnorm(54), 18) + rep(c(0, 2, 5), each = 6))
rownames(x) <- paste("site", 1:18)
d <- dist(x)
linkages <- c("single", "complete", "average", "mcquitty", "ward.D2")
fits <- list()
for (linkage in linkages) fits[[linkage]] <- cor(d, cophenetic(hclust(d, linkage)))
best <- linkages[which.max(unlist(fits))]
tree <- hclust(d, best)
order <- order.dendrogram(as.dendrogram(tree))
left.to.right <- tree$labels[order]
groups <- cutree(tree, k = 3)
print(cophenetic(hclust(dist(x[1:5, ]))))
