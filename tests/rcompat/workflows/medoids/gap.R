# The gap statistic of k-means and of medoids.
library(cluster)
set.seed(42)
x <- rbind(
  matrix(rnorm(60, sd = 0.3), ncol = 2),
  matrix(rnorm(60, mean = 1.5, sd = 0.3), ncol = 2),
  cbind(rnorm(20, 0, 0.3), rnorm(20, 2, 0.3))
)
gap_stat <- clusGap(x, FUN = kmeans, nstart = 10, K.max = 6, B = 20)
print(gap_stat, method = "firstmax")
gap_stat
gap_stat$Tab
with(as.data.frame(gap_stat$Tab), maxSE(gap, SE.sim))
pam1 <- function(x, k) list(cluster = pam(x, k, cluster.only = TRUE))
gs.pam <- clusGap(x, FUN = pam1, K.max = 5, B = 10)
gs.pam
round(gs.pam$Tab[, "gap"], 3)
sapply(c("firstSEmax", "Tibs2001SEmax", "globalmax"), function(m) maxSE(gs.pam$Tab[, 3], gs.pam$Tab[, 4], m))
plot(gap_stat)
