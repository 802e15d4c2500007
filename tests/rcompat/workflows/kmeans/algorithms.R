# The four algorithms from the same centres, and their warnings.
set.seed(44)
x <- matrix(rcauchy(200), 100)
centers <- x[sample(nrow(x), 6), ]
fits <- lapply(c("Hartigan-Wong", "Lloyd", "Forgy", "MacQueen"),
               function(method) kmeans(x, centers, iter.max = 3, algorithm = method))
iterations <- sapply(fits, function(fit) fit$iter)
codes <- sapply(fits, function(fit) fit$ifault)
best <- which.min(sapply(fits, function(fit) fit$tot.withinss))
