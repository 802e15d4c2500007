# Writes the data sets of base R that the ports read, every number with all of its digits:
# Rscript tests/rcompat/workflows/data.R tests/rcompat/workflows/data
# Sources, as R's help pages name them.  USArrests: World Almanac and Statistical Abstracts of the United States 1975.
# iris: Fisher (1936), Anderson (1935).  mtcars: Henderson and Velleman (1981).  swiss: Mosteller and Tukey (1977).
# faithful: Haerdle (1991).  airquality: Chambers et al. (1983).  attitude: Chatterjee and Price (1977).
# LifeCycleSavings: Belsley, Kuh and Welsch (1980).  eurodist: Crystal (1990).
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
