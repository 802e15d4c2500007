"""Draws that datathin makes with extraDistr and mvtnorm, from R's stream."""

from __future__ import annotations

import numpy as np

from sparsek.numerics.ordered_arithmetic import FloatArray, IntArray
from sparsek.rcompat.arithmetic.lapack.reflectors import ordered_product
from sparsek.rcompat.arithmetic.lapack.symmetric_eigen import symmetric_eigen
from sparsek.rcompat.arithmetic.mixed_draws import multinomial_draws
from sparsek.rcompat.arithmetic.weighted_sampling import weighted_with_replacement
from sparsek.rcompat.stats.api_draws import rgamma
from sparsek.rng import RRandom


def dirichlet(shapes: FloatArray, stream: RRandom) -> FloatArray:
    """Dirichlet draws with shapes (m, K), a row each: gammas divided by their sum, left to right."""
    gammas = rgamma(shapes.size, shapes.ravel(), rng=stream).reshape(shapes.shape)
    total = np.zeros(len(gammas))
    for column in gammas.T:
        total += column
    return gammas / total[:, None]


def dirichlet_multinomial(counts: FloatArray, shapes: FloatArray, stream: RRandom) -> FloatArray:
    """Dirichlet-multinomial draws of counts (m,) with shapes (m, K): (m, K)."""
    found = np.empty(shapes.shape)
    for row, (count, shape) in enumerate(zip(counts, shapes, strict=True)):
        chances = dirichlet(shape[None, :], stream)[0]
        found[row] = multinomial_draws(stream, 1, count, chances)[:, 0]
    return found


def equal_categories(n: int, n_categories: int, stream: RRandom) -> IntArray:
    """Draws from 0 to n_categories - 1, all equally likely."""
    chances = np.full(n_categories, 1 / n_categories)
    return weighted_with_replacement(stream.runif(n), chances) - 1


def symmetric_root(covariance: FloatArray) -> FloatArray:
    """Symmetric square root of a covariance matrix, as `rmvnorm` of mvtnorm multiplies it."""
    found = symmetric_eigen(covariance)
    return ordered_product(found.vectors, found.vectors.T * np.sqrt(np.maximum(found.values, 0))[:, None]).T
