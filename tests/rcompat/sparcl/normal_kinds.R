# Writes normal_kinds.json: sparcl's sparse hierarchical clustering under every way to make normals.
# Rscript tests/rcompat/sparcl/normal_kinds.R > tests/rcompat/sparcl/normal_kinds.json
digits <- function(v) paste0("[", paste(sprintf("%.17g", v), collapse = ", "), "]")
kinds <- c("Inversion", "Box-Muller", "Ahrens-Dieter", "Kinderman-Ramage", "Buggy Kinderman-Ramage")
lines <- vapply(kinds, function(kind) {
  suppressWarnings(RNGkind("Mersenne-Twister", kind, "Rejection"))
  x <- scale(as.matrix(iris[seq(1, 150, 10), 1:4]))
  set.seed(11)
  fit <- sparcl::HierarchicalSparseCluster(x = x, wbound = 1.5, method = "complete", silent = TRUE)
  after <- runif(2)
  set.seed(12)
  utils::capture.output(gap <- sparcl::HierarchicalSparseCluster.permute(x, wbounds = c(1.2, 1.5), nperms = 3))
  sprintf("\"%s\": {\"ws\": %s, \"crit\": %s, \"order\": %s, \"after\": %s, \"gaps\": %s, \"sdgaps\": %s, \"last\": %s}",
          kind, digits(fit$ws), digits(fit$crit), digits(fit$hc$order), digits(after), digits(gap$gaps),
          digits(gap$sdgaps), digits(runif(2)))
}, "")
about <- sprintf("\"about\": \"%s, sparcl %s\"", R.version.string, utils::packageVersion("sparcl"))
cat("{", paste(c(about, lines), collapse = ",\n"), "}\n", sep = "\n")
