# Clusters against classes in a table, and the share of rows on the best match.
set.seed(5)
classes <- sample(1:3, 60, replace = TRUE)
x <- matrix(rnorm(120), 60) + 2.5 * cbind(classes, -classes)
fit <- kmeans(x, 3, nstart = 10)
counts <- table(classes, fit$cluster)
purity <- sum(apply(counts, 2, max)) / 60
shares <- prop.table(counts, 1)
sizes <- table(fit$cluster)
