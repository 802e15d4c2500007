"""Counts by binomial, Poisson and negative binomial draws, bound to one matrix and clustered."""

import math

import numpy as np

from sparsek.rcompat import kmeans, matrix, quantile, rbinom, rnbinom, rowSums, rpois, scale, set_seed

set_seed(2024)
a = matrix(rbinom(60, 20, 0.3), 15)
b = matrix(rpois(60, 12), 15)
c = matrix(rnbinom(60, 5, mu=25), 15)
x = np.vstack([a, b, c])
x = np.array([math.log(value + 1) for value in x.ravel()]).reshape(x.shape)
totals = rowSums(x)
fit = kmeans(scale(x), 3, nstart=10)
quartiles = quantile(totals)
