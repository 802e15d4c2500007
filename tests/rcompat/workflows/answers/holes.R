# Measurements with holes: complete rows against k-POD.
library(kpodclustr)
set.seed(3)
air <- as.matrix(airquality[, 1:4])
colSums(is.na(air))
mean(is.na(air))
full <- air[complete.cases(air), ]
dim(full)
centre <- colMeans(air, na.rm = TRUE)
centre
spread <- apply(air, 2, sd, na.rm = TRUE)
z <- sweep(sweep(air, 2, centre), 2, spread, "/")
head(z)
fit <- kpod(z, 3)
table(fit$cluster)
fit$fit
by.cluster <- aggregate(airquality[, 1:4], list(cluster = fit$cluster), mean, na.rm = TRUE)
by.cluster
table(month = airquality$Month, cluster = fit$cluster)
km <- kmeans(scale(full), 3, nstart = 10)
table(fit$cluster[complete.cases(air)], km$cluster)
