"""Positive data of four families, compared by their moments and quantiles."""

import numpy as np

from sparsek.rcompat import cor, mean, median, quantile, rchisq, rgamma, rlnorm, rweibull, sd, set_seed

set_seed(271)
samples = {
    "gamma": rgamma(50, shape=2, rate=0.5),
    "chi": rchisq(50, 3),
    "weibull": rweibull(50, 1.5, 2),
    "lognormal": rlnorm(50, 0, 0.7),
}
means = {name: mean(values) for name, values in samples.items()}
deviations = {name: sd(values) for name, values in samples.items()}
middle = {name: median(values) for name, values in samples.items()}
tails = np.column_stack([quantile(values, probs=[0.05, 0.95]) for values in samples.values()])
trimmed = {name: mean(values, trim=0.1) for name, values in samples.items()}
correlations = cor(np.column_stack(list(samples.values())))
