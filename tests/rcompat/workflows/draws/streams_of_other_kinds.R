# The same draws under other generators, normals and samplers; the defaults come back.
set.seed(1)
before <- runif(2)
kinds <- c("Wichmann-Hill", "Marsaglia-Multicarry", "Super-Duper", "Knuth-TAOCP-2002", "Mersenne-Twister")
draws <- matrix(0, 5, 6)
for (i in 1:5) {
  RNGkind(kinds[i], "Box-Muller")
  set.seed(7)
  draws[i, ] <- c(runif(1), rnorm(3), sample(100, 2))
}
suppressWarnings(RNGkind(sample.kind = "Rounding"))
set.seed(7)
old <- sample(1000, 4)
RNGkind("default", "default", "default")
set.seed(7)
new <- sample(1000, 4)
