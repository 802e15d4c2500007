# Is a clustering stable? Fits to samples of the rows, compared with that of all.
library(mclust)
x <- scale(swiss)
set.seed(11)
ref <- kmeans(x, 3, nstart = 25)$cluster
B <- 20
ari <- numeric(B)
for (b in 1:B) {
  idx <- sample(nrow(x), replace = TRUE)
  boot <- kmeans(x[idx, ], 3, nstart = 10)$cluster
  ari[b] <- adjustedRandIndex(boot, ref[idx])
}
round(ari, 3)
summary(ari)
quantile(ari, c(0.1, 0.9))
cat("mean", round(mean(ari), 3), "sd", round(sd(ari), 3), "\n")
jaccard <- function(a, b) length(intersect(a, b)) / length(union(a, b))
idx <- sample(nrow(x), 30)
part <- cutree(hclust(dist(x[idx, ]), "ward.D2"), 3)
sim <- outer(1:3, 1:3, Vectorize(function(i, j) jaccard(idx[part == i], idx[ref[idx] == j])))
dimnames(sim) <- list(1:3, 1:3)
round(sim, 2)
apply(sim, 1, max)
