# Calls of wrsk. It calls dbscan's lof by the name that the argument had in 2017, of which dbscan warns: that warning,
# which is not wrsk's, is dropped. wrskGap ends at any warning, so for it the name is mended where wrsk imports lof.
# SimData takes random rotations from mixAK: in its place come plain ones that draw as many uniforms.

replace_import <- function(name, value) {
  imports <- parent.env(asNamespace("wrsk"))
  unlockBinding(name, imports)
  assign(name, value, envir = imports)
}

of_wrsk <- function(name) {
  function(...) {
    withCallingHandlers(getExportedValue("wrsk", name)(...), warning = function(w) {
      if (grepl("^lof: k is now deprecated", conditionMessage(w))) invokeRestart("muffleWarning")
    })
  }
}

CALLS$wrsk <- function(x, ...) of_wrsk("wrsk")(x, ...)
CALLS$wrk <- function(x, ...) of_wrsk("wrk")(x, stats::dist(x), ...)
CALLS$ROBIN <- function(x, ...) of_wrsk("ROBIN")(stats::dist(x), x, ...)
CALLS$wrskGap <- function(x, ...) {
  library(parallel) # it is found there only when attached
  replace_import("lof", function(x, k) dbscan::lof(x, minPts = k + 1))
  utils::capture.output(gap <- wrsk::wrskGap(x, ..., cores = 1))
  gap
}
CALLS$GetOutRates <- function(...) as.list(wrsk::GetOutRates(...))

# Labels, noise features and outlying values: the rest depends on the eigenvectors of the LAPACK build.
CALLS$SimData <- function(p_inf, p_out_inf, ...) {
  replace_import("rRotationMatrix", function(n, dim) {
    stats::runif(if (dim == 2) 1 else dim^2)
    diag(dim)
  })
  sim <- wrsk::SimData(p_inf = p_inf, p_out_inf = p_out_inf, ...)
  outliers <- sim$x[sim$lbout == 0, seq_len(p_out_inf), drop = FALSE]
  c(sim[c("y", "lb", "lbout")], list(noise = sim$x[, -seq_len(p_inf), drop = FALSE], outliers = outliers))
}
