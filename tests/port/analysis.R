# Twenty rows in two groups.
rm(list = ls())
set.seed(42)
x <- matrix(rnorm(60), 20, 3)
x[1:10, ] <- x[1:10, ] + 3
km.fit <- kmeans(x, 2, nstart = 3)
# check: clusters
tree <- hclust(dist(x), "average")
groups <- cutree(tree, 2); heights <- tree$height
rm(tree)
plot(heights)
picked <- sample(20, 5)  # check: sample
sizes <- table(km.fit$cluster)
whole <- data.frame(a = c(1.5, NA), b = c(TRUE, FALSE))
mixed <- data.frame(name = c("u", NA), n = 1:2)
kind <- factor(c("low", "h\u00e4lt \"x\"\\\n"))
result <- list(1, "two", c(x = 3), list(four = 4, NULL), -0, 1e-320, Inf)
cube <- array(1:8, c(2, 2, 2))
helper <- function(v) {
  # check: inside a function
  v
}
only.here <- 1
helper(x[1, 1])
