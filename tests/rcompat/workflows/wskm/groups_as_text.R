# Groups of features as a text, without a seed of their own.
library(wskm)
set.seed(4)
x <- rbind(matrix(rgamma(60, 2), 15), matrix(rgamma(60, 9), 15))
fit <- fgkm(x, 2, "0,1;2,3", 2, 2)
two <- twkm(x, 2, "0,1;2,3", 2, 2)
equal <- sum(fit$cluster == two$cluster)
