# What one looks at before clustering: the columns in numbers, their correlations, holes.
df <- na.omit(USArrests)
desc_stats <- data.frame(
  Min = apply(df, 2, min),
  Med = apply(df, 2, median),
  Mean = apply(df, 2, mean),
  SD = apply(df, 2, sd),
  Max = apply(df, 2, max)
)
desc_stats <- round(desc_stats, 1)
head(desc_stats)
str(df)
summary(df)
cor(df)
round(cor(df, method = "spearman"), 3)
sum(is.na(airquality))
colSums(is.na(airquality))
complete <- airquality[complete.cases(airquality), ]
nrow(complete)
summary(airquality)
head(airquality)
df <- scale(df)
head(df, 3)
round(colMeans(df), 10)
apply(df, 2, sd)
quantile(df[, "Murder"])
