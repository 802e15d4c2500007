# A whole analysis: simulate, look, tune, fit, compare, check the stability, report.
library(sparcl)

# 1. Simulate: 3 groups that differ in 6 of 30 features
set.seed(2010)
n.group <- 15
truth <- rep(1:3, each = n.group)
n <- length(truth)
p <- 30
informative <- 1:6
x <- matrix(rnorm(n * p), nrow = n, ncol = p)
shift <- c(-1.8, 0, 1.8)
x[, informative] <- x[, informative] + shift[truth]
outlier <- sample(n, 2)
x[outlier, p] <- x[outlier, p] + rgamma(2, shape = 5, rate = 0.5)
colnames(x) <- paste0("f", 1:p)

# 2. Look at the data and scale them
average <- colMeans(x)
deviation <- apply(x, 2, sd)
skewed <- which(abs(average) > 2 * deviation / sqrt(n))
x.scaled <- scale(x, TRUE, TRUE)
correlation <- cor(x.scaled[, informative])
quartiles <- quantile(correlation[upper.tri(correlation)], c(0.25, 0.5, 0.75))

# 3. Plain k-means and a tree, for comparison
km <- kmeans(x.scaled, centers = 3, nstart = 20)
tree <- hclust(dist(x.scaled), method = "ward.D2")
tree.groups <- cutree(tree, k = 3)

# 4. Sparse k-means: choose the bound, then fit
perm <- KMeansSparseCluster.permute(x.scaled,
  K = 3, wbounds = seq(1.4, 4.4, by = 0.5), nperms = 5, silent = TRUE
)
print(perm)
fit <- KMeansSparseCluster(x.scaled, K = 3, wbounds = perm$bestw, nstart = 20, silent = TRUE)[[1]]
selected <- which(fit$ws > 0.05)
confusion <- table(truth, fit$Cs)
cat("Selected features:", colnames(x)[selected], "\n")

# 5. How many pairs of rows do two groupings treat alike?
agreement <- function(a, b) {
  same.a <- outer(a, a, "==")
  same.b <- outer(b, b, "==")
  mean((same.a == same.b)[upper.tri(same.a)])
}
found <- list(kmeans = km$cluster, tree = tree.groups, sparse = fit$Cs)
rates <- sapply(found, agreement, b = truth)
for (name in names(found)) {
  cat(name, "agrees with the truth on", round(rates[[name]], 3), "of all pairs\n")
}
improved <- rates[["sparse"]] - rates[["kmeans"]]

# 6. Stability: refit on halves of the rows under several seeds
stability <- numeric(4)
for (seed in 1:4) {
  set.seed(seed)
  half <- sort(sample(n, size = floor(0.7 * n)))
  refit <- KMeansSparseCluster(x.scaled[half, ], K = 3, wbounds = perm$bestw, silent = TRUE)[[1]]
  stability[seed] <- agreement(refit$Cs, fit$Cs[half])
}
cat("Stability:", round(mean(stability), 3), "\n")
