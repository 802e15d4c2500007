# A permutation test of the distance of two means.
set.seed(808)
x <- c(rnorm(12, 10), rnorm(15, 11))
group <- rep(c("a", "b"), times = c(12, 15))
observed <- mean(x[group == "b"]) - mean(x[group == "a"])
permuted <- numeric(99)
for (i in 1:99) {
  mixed <- sample(group)
  permuted[i] <- mean(x[mixed == "b"]) - mean(x[mixed == "a"])
}
p <- (1 + sum(permuted >= observed)) / 100
limits <- quantile(permuted, c(0.025, 0.975))
cat("p-value:", p, "\n")
cat("limits:", format(limits[[1]], digits = 4), format(limits[[2]], digits = 4), "\n")
