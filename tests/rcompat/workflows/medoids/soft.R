# Fuzzy memberships: who belongs to more than one cluster?
library(cluster)
df <- scale(attitude)
fannyx <- fanny(df, 2, memb.exp = 1.3)
fannyx
head(fannyx$membership, 5)
round(fannyx$coeff, 4)
doubtful <- which(apply(fannyx$membership, 1, max) < 0.6)
doubtful
table(fannyx$clustering)
memb <- as.data.frame(round(fannyx$membership, 2))
names(memb) <- c("first", "second")
memb[doubtful, ]
summary(memb)
summary(fannyx)
