# Means, covariances and correlations of data with missing cells.
set.seed(33)
x <- matrix(rnorm(100, 5, 2), 25)
x[sample(100, 9)] <- NA
means <- colMeans(x, na.rm = TRUE)
sums <- rowSums(x, na.rm = TRUE)
filled <- x
for (j in 1:4) filled[is.na(x[, j]), j] <- means[j]
z <- scale(x)
covariance <- cov(x, use = "complete.obs")
correlation <- cor(filled)
d <- dist(x)
missing <- colSums(is.na(x))
variances <- apply(x, 2, var, na.rm = TRUE)
