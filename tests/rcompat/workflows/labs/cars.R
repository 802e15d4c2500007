# Cars by Ward's tree on standardised columns: members and profiles of the groups.
cars.scaled <- scale(mtcars)
d <- dist(cars.scaled, method = "euclidean")
round(as.matrix(d)[1:4, 1:4], 2)
fit <- hclust(d, method = "ward.D2")
fit
plot(fit)
groups <- cutree(fit, k = 4)
rect.hclust(fit, k = 4, border = "red")
groups
sort(table(groups), decreasing = TRUE)
rownames(mtcars)[groups == 3]
split(rownames(mtcars), groups)
aggregate(mtcars, by = list(group = groups), FUN = mean)
cars <- data.frame(mtcars, group = factor(groups))
head(cars)
tapply(cars$mpg, cars$group, mean)
tapply(cars$mpg, list(cyl = cars$cyl, group = cars$group), mean)
sapply(split(cars$hp, cars$group), summary)
table(cars$cyl, cars$group, dnn = c("cylinders", "group"))
with(cars, table(gear, group))
cor(mtcars$mpg, mtcars$wt)
