# Positive data of four families, compared by their moments and quantiles.
set.seed(271)
samples <- list(gamma = rgamma(50, shape = 2, rate = 0.5), chi = rchisq(50, 3), weibull = rweibull(50, 1.5, 2),
                lognormal = rlnorm(50, 0, 0.7))
means <- sapply(samples, mean)
deviations <- sapply(samples, sd)
middle <- sapply(samples, median)
tails <- sapply(samples, quantile, probs = c(0.05, 0.95))
trimmed <- sapply(samples, mean, trim = 0.1)
correlations <- cor(do.call(cbind, samples))
