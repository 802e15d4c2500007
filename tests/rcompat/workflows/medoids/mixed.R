# Mixed columns: Gower's dissimilarity, medoids and a tree.
library(cluster)
people <- data.frame(
  age = c(23, 35, 51, 47, 29, 62, 33, 58, 41, 26),
  income = c(21, 48, 60, 55, NA, 38, 44, 71, 52, 25),
  owner = factor(c("no", "no", "yes", "yes", "no", "yes", "no", "yes", "yes", "no")),
  region = factor(c("north", "south", "south", "west", "north", "north", "west", "south", "west", "south")),
  level = factor(c("low", "mid", "high", "high", "low", "mid", "mid", "high", "mid", "low"),
                 levels = c("low", "mid", "high"), ordered = TRUE)
)
str(people)
summary(people)
gower_dist <- daisy(people, metric = "gower")
gower_dist
summary(gower_dist)
gower_mat <- as.matrix(gower_dist)
least <- min(gower_mat[gower_mat != 0])
closest <- which(gower_mat == least, arr.ind = TRUE)[1, ]
people[closest, ]
pam_fit <- pam(gower_dist, diss = TRUE, k = 2)
pam_fit
people[pam_fit$medoids, ]
pam_results <- split(people, pam_fit$clustering)
pam_results
lapply(pam_results, function(d) summary(d$age))
hc <- agnes(gower_dist, method = "average")
round(hc$ac, 4)
table(people$region, pam_fit$clustering)
people$region
people$level
