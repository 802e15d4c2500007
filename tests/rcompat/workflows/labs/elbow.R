# The elbow of the sums of squares of the Swiss districts.
mydata <- scale(swiss)
wss <- (nrow(mydata) - 1) * sum(apply(mydata, 2, var))
set.seed(123)
for (i in 2:8) wss[i] <- sum(kmeans(mydata, centers = i, nstart = 10)$withinss)
plot(1:8, wss, type = "b", xlab = "Number of clusters", ylab = "Within groups sum of squares")
wss
round(-diff(wss), 2)
explained <- 1 - wss / wss[1]
names(explained) <- 1:8
round(explained, 3)
k.values <- 1:6
tot <- sapply(k.values, function(k) kmeans(mydata, k, nstart = 10)$tot.withinss)
data.frame(k = k.values, tot.withinss = tot)
set.seed(123)
final <- kmeans(mydata, 3, nstart = 25)
print(final)
final$size
round(final$centers, 2)
aggregate(swiss, by = list(final$cluster), FUN = mean)
swiss3 <- cbind(swiss, cluster = final$cluster)
head(swiss3)
swiss3[order(swiss3$cluster, -swiss3$Catholic)[1:5], c("Catholic", "cluster")]
