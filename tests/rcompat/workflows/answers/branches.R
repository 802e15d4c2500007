# A tree as a dendrogram: its structure, its branches and their members.
hc <- hclust(dist(USArrests[1:10, ]), "average")
dend <- as.dendrogram(hc)
dend
str(dend)
nobs(dend)
order.dendrogram(dend)
labels(dend)
dend[[1]]
parts <- cut(dend, h = 50)
parts
parts$upper
sapply(parts$lower, nobs)
lapply(parts$lower, labels)
attr(dend, "midpoint")
rev(dend)
cophenetic(dend)
plot(dend, horiz = TRUE)
hc$merge
round(rev(hc$height), 1)
identical(cutree(hc, h = 50), cutree(hc, k = length(parts$lower)))
