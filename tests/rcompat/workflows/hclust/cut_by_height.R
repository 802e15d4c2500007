# Cuts by height: at the largest gap, at a share of the top, at several heights.
set.seed(9)
x <- matrix(runif(48), 16)
x[9:16, ] <- x[9:16, ] + 2
tree <- hclust(dist(x, "manhattan"), "average")
gaps <- diff(tree$height)
at <- which.max(gaps)
h <- (tree$height[at] + tree$height[at + 1]) / 2
groups <- cutree(tree, h = h)
half <- cutree(tree, h = max(tree$height) / 2)
several <- cutree(tree, h = c(0.2, 0.8, 1.6))
number <- apply(several, 2, max)
