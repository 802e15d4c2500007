# Complementary sparse clustering: a second tree whose distances are orthogonal to the first.
library(sparcl)
set.seed(31)
x <- matrix(rnorm(20 * 10), 20)
x[1:10, 1:3] <- x[1:10, 1:3] + 3
x[seq(1, 19, by = 2), 4:6] <- x[seq(1, 19, by = 2), 4:6] + 2
first <- HierarchicalSparseCluster(x, wbound = 1.6, method = "average", silent = TRUE)
second <- HierarchicalSparseCluster(x, uorth = first$u, wbound = 1.6, method = "average", silent = TRUE)
first_groups <- cutree(first$hc, k = 2)
second_groups <- cutree(second$hc, k = 2)
overlap <- sum(first$ws > 0 & second$ws > 0)
