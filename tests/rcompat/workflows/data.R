# Writes the data sets of base R that the ports read, every number with all of its digits:
# Rscript tests/rcompat/workflows/data.R tests/rcompat/workflows/data
folder <- commandArgs(TRUE)[1]
names <- c("USArrests", "iris", "mtcars", "swiss", "faithful", "airquality", "attitude", "LifeCycleSavings")
written <- function(v) ifelse(is.na(v), NA, format(v, digits = 15, trim = TRUE, drop0trailing = TRUE))
for (name in names) {
  x <- get(name)
  numeric <- vapply(x, is.numeric, NA)
  x[numeric] <- lapply(x[numeric], written)
  write.csv(x, file.path(folder, paste0(name, ".csv")), quote = FALSE, row.names = .row_names_info(x) > 0)
}
write.csv(as.matrix(eurodist), file.path(folder, "eurodist.csv"), quote = FALSE)
