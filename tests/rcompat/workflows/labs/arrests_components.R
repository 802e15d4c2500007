# Principal components of the arrests in the states, as in a first lab on unsupervised learning.
states <- row.names(USArrests)
names(USArrests)
dim(USArrests)
apply(USArrests, 2, mean)
apply(USArrests, 2, var)
pr.out <- prcomp(USArrests, scale = TRUE)
names(pr.out)
pr.out
pr.out$center
pr.out$scale
pr.out$rotation
dim(pr.out$x)
head(pr.out$x)
pr.out$rotation <- -pr.out$rotation
pr.out$x <- -pr.out$x
biplot(pr.out, scale = 0)
pr.out$sdev
pr.var <- pr.out$sdev^2
pve <- pr.var / sum(pr.var)
pve
cumsum(pve)
summary(pr.out)
tail(round(pr.out$x[, 1:2], 2), 3)
