# RSKC with holes in the data and its own scaling; the silhouettes that go with it.
library(RSKC)
set.seed(29)
x <- matrix(rweibull(36 * 5, 2, 3), 36)
x[1:18, 1:2] <- x[1:18, 1:2] + 6
x[cbind(c(2, 9, 30), c(5, 3, 4))] <- NA
fit <- RSKC(x, 2, alpha = 0.05, L1 = 1.8, nstart = 15, scaling = TRUE)
shares <- Sensitivity(fit$labels, rep(1:2, each = 18))$marginal
full <- x[stats::complete.cases(x), ]
again <- RSKC(full, 2, alpha = 0.1, L1 = 1.8, nstart = 15)
sil <- revisedsil(full, again, print.plot = FALSE)
