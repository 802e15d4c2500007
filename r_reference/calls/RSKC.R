# Calls of RSKC.
CALLS$CER <- function(...) RSKC::CER(...)
CALLS$Sensitivity <- function(...) {
  found <- RSKC::Sensitivity(...)
  list(share = as.numeric(found$prob[1, ]), label = as.numeric(found$prob[2, ]), table = unclass(found$table),
       marginal = matrix(as.numeric(found$marginal), nrow(found$marginal)))
}
