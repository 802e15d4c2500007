# The parts of the sum of squares by hand, beside those of kmeans.
set.seed(71)
x <- rbind(matrix(rnorm(60, 0, 1), 20), matrix(rnorm(60, 4, 1), 20))
fit <- kmeans(x, 2, nstart = 5)
residuals <- x - fit$centers[fit$cluster, ]
within <- sum(residuals^2)
total <- sum(scale(x, scale = FALSE)^2)
parts <- sapply(1:2, function(k) sum(residuals[fit$cluster == k, ]^2))
explained <- 1 - within / total
ch <- ((total - within) / 1) / (within / (nrow(x) - 2))
off <- fit$tot.withinss - within
