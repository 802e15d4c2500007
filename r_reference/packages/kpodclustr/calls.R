# Calls of kpodclustr; with as_vector the data come as a plain vector, column by column.
on_data <- function(f) function(x, ..., as_vector = FALSE) f()(if (as_vector) as.vector(x) else x, ...)
CALLS$kpod <- on_data(function() kpodclustr::kpod)
CALLS$assign_clustpp <- on_data(function() kpodclustr::assign_clustpp)
CALLS$kmpp <- on_data(function() kpodclustr::kmpp)
CALLS$initialImpute <- on_data(function() kpodclustr::initialImpute)
CALLS$findMissing <- on_data(function() kpodclustr::findMissing)
CALLS$makeData <- function(...) {
  utils::capture.output(data <- kpodclustr::makeData(...)) # it prints its complaints
  data
}
