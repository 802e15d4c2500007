# A tree of the columns by their correlations.
set.seed(88)
base <- matrix(rnorm(90), 30)
x <- cbind(base, base + 0.3 * rnorm(90))
correlations <- cor(x)
far <- 1 - abs(correlations)
tree <- hclust(dist(far, "maximum"), "complete")
pairs <- cutree(tree, 3)
strong <- sum(correlations[upper.tri(correlations)] > 0.9)
