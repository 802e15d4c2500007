# Calls of wskm. predict takes data frames only; it names the centres by their numbers.
CALLS$ewkm <- function(...) wskm::ewkm(...)
CALLS$fgkm <- function(...) wskm::fgkm(...)
CALLS$twkm <- function(...) wskm::twkm(...)
CALLS$predict.ewkm <- function(x, newdata, ...) {
  fit <- wskm::ewkm(as.data.frame(x), ...)
  as.numeric(predict(fit, as.data.frame(newdata)))
}
