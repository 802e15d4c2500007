"""Draws that datathin makes with extraDistr and mvtnorm, from R's stream."""

from __future__ import annotations

import numpy as np

from sparsek.bits.caller import warn_as_r
from sparsek.bits.lapack.reflectors import ordered_product
from sparsek.bits.lapack.symmetric_eigen import symmetric_eigen
from sparsek.bits.ordered_arithmetic import FloatArray, IntArray
from sparsek.errors import RError
from sparsek.rcompat.stats.api_draws import rgamma
from sparsek.rng import RRandom
from sparsek.rng.draws import Outputs
from sparsek.rng.hypergeometric_draws import hypergeometric_sampler
from sparsek.rng.mixed_draws import multinomial_draws
from sparsek.rng.weighted_sampling import weighted_with_replacement


def dirichlet(shapes: FloatArray, stream: RRandom) -> FloatArray:
    """Dirichlet draws with shapes (m, K), a row each: gammas divided by their sum, left to right."""
    gammas = rgamma(shapes.size, shapes.ravel(), rng=stream).reshape(shapes.shape)
    total = np.zeros(len(gammas))
    for column in gammas.T:
        total += column
    with np.errstate(invalid="ignore"):  # infinite shapes, and gammas that are all 0, have no shares
        shares: FloatArray = gammas / total[:, None]
    return shares


def dirichlet_multinomial(counts: FloatArray, shapes: FloatArray, stream: RRandom) -> FloatArray:
    """Dirichlet-multinomial draws of counts (m,) with shapes (m, K): (m, K)."""
    found = np.empty(shapes.shape)
    for row, (count, shape) in enumerate(zip(counts, shapes, strict=True)):
        chances = dirichlet(shape[None, :], stream)[0]
        known = not np.isnan(chances).any()
        found[row] = multinomial_draws(stream, 1, count, chances)[:, 0] if known else np.nan
    return found


def multivariate_hypergeometric(urn: FloatArray, drawn: float, stream: RRandom) -> FloatArray:
    """How many of `drawn` balls have each colour, of an urn with `urn` balls of each: (m,).

    The colours come one after the other, each among itself and those after it. Numbers that are not whole or
    not possible give NaN and R's warning.
    """
    numbers, total = np.append(urn, drawn), float(urn.sum())
    if not ((numbers >= 0) & (np.floor(numbers) == numbers)).all() or drawn > total:
        warn_as_r("NAs produced")
        return np.full(len(urn), np.nan)
    if drawn == total:
        return urn.copy()
    found, rest, left = np.zeros(len(urn)), total, drawn
    outputs = Outputs(stream, len(urn))
    for colour, balls in enumerate(urn[:-1].tolist()):
        rest -= balls
        found[colour] = hypergeometric_sampler(balls, rest, left)(outputs)
        left -= float(found[colour])
    outputs.close()
    if len(urn) > 1:
        found[-1] = left
    return found


def equal_categories(n: int, n_categories: int, stream: RRandom) -> IntArray:
    """Draws from 0 to n_categories - 1, all equally likely."""
    chances = np.full(n_categories, 1 / n_categories)
    return weighted_with_replacement(stream.runif(n), chances) - 1


def symmetric_root(covariance: FloatArray) -> FloatArray:
    """Symmetric square root of a covariance matrix, as `rmvnorm` of mvtnorm multiplies it."""
    if not np.isfinite(covariance).all():
        raise RError("infinite or missing values in 'x'", "give a finite variance or covariance as arg")
    found = symmetric_eigen(covariance)
    return ordered_product(found.vectors, found.vectors.T * np.sqrt(np.maximum(found.values, 0))[:, None]).T
