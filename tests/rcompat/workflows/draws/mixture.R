# A mixture: classes by sample with weights, rows by rnorm with means by class.
library(sparcl)
set.seed(64)
n <- 45
classes <- sample(1:3, n, replace = TRUE, prob = c(0.5, 0.3, 0.2))
centers <- rbind(c(0, 0, 0), c(4, 0, 0), c(0, 4, 0))
x <- matrix(rnorm(n * 3), n, 3) + centers[classes, ]
noise <- matrix(rnorm(n * 9), n, 9)
x <- cbind(x, noise)
fit <- KMeansSparseCluster(scale(x), K = 3, wbounds = 1.7, silent = TRUE)[[1]]
counts <- tabulate(classes, 3)
rate <- mean(fit$Cs == classes)
chosen <- order(fit$ws, decreasing = TRUE)[1:2]
