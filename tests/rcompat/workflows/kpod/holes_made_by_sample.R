# Holes punched by sample, k-POD for several k, the total within over k.
library(kpodclustr)
set.seed(99)
x <- rbind(matrix(rnorm(80, 0, 0.6), ncol = 4), matrix(rnorm(80, 3, 0.6), ncol = 4))
full <- x
x[sample(length(x), 24)] <- NA
share <- sum(is.na(x)) / length(x)
first <- initialImpute(x)
fits <- lapply(2:4, function(k) kpod(x, k))
final <- sapply(fits, function(fit) fit$fit)
clusters <- sapply(fits, function(fit) fit$cluster)
complete <- kmeans(full, 2, nstart = 10)
same <- sum(fits[[1]]$cluster == complete$cluster)
