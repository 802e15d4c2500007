# predict of wskm takes data frames only; it names the centres by their numbers.
CALLS$predict.ewkm <- function(x, newdata, ...) {
  fit <- wskm::ewkm(as.data.frame(x), ...)
  as.numeric(predict(fit, as.data.frame(newdata)))
}
