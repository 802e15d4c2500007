# Training and test rows, folds of a cross-validation, weights, all by sample.
set.seed(555)
n <- 37
train <- sort(sample(n, floor(0.7 * n)))
test <- setdiff(1:n, train)
folds <- sample(rep(1:5, length.out = n))
sizes <- tabulate(folds)
shuffled <- sample(n)
heavy <- sample(n, 5, prob = n:1)
coins <- sample(0:1, 12, replace = TRUE)
big <- sample.int(1e6, 3)
x <- matrix(rnorm(2 * n), n)
errors <- numeric(5)
for (fold in 1:5) {
  fit <- kmeans(x[folds != fold, ], 2, nstart = 3)
  held <- x[folds == fold, , drop = FALSE]
  a <- (held[, 1] - fit$centers[1, 1])^2 + (held[, 2] - fit$centers[1, 2])^2
  b <- (held[, 1] - fit$centers[2, 1])^2 + (held[, 2] - fit$centers[2, 2])^2
  errors[fold] <- mean(pmin(a, b))
}
error <- mean(errors)
