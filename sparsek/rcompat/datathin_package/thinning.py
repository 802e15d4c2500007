"""The thinning of R's datathin, one function for each family: folds (n, p, K) of a matrix (n, p).

Entries are thinned in R's order, down the columns. Neufeld et al. (2024), Dharamshi et al. (2023).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from sparsek.bits.caller import warn_as_r
from sparsek.bits.elementary import log
from sparsek.bits.lapack.reflectors import ordered_product
from sparsek.bits.lapack.symmetric_eigen import symmetric_eigen
from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, long_sum
from sparsek.errors import RError
from sparsek.rcompat.base.stream import rexp, rnorm
from sparsek.rcompat.stats.api_draws import rbeta, rgamma
from sparsek.rcompat.stats.distances.pairs import raised
from sparsek.rng import RRandom
from sparsek.rng.draws import Outputs
from sparsek.rng.hypergeometric_draws import hypergeometric_sampler
from sparsek.rng.mixed_draws import multinomial_draws
from sparsek.rng.weighted_sampling import weighted_with_replacement

Thinning = Callable[[FloatArray, FloatArray, FloatArray, RRandom], FloatArray]
"""Data (n, p), shares (K,), the extra parameter, mostly (n, p), and the stream give folds (n, p, K)."""


def _by_entry(folds: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Folds (n p, K) of the entries down the columns as (n, p, K)."""
    found: FloatArray = folds.reshape(shape[1], shape[0], -1).transpose(1, 0, 2)
    return found


def _down(values: FloatArray) -> FloatArray:
    """The entries down the columns."""
    return values.ravel(order="F")


def _require(right: bool, message: str) -> None:
    """Raise for data that R's function answers with this printed text and no result."""
    if not right:
        raise RError(message, "give data and parameters that the family can have")


def _least(values: FloatArray) -> float:
    """The smallest value, which must not be missing."""
    if np.isnan(values).any():
        raise RError("missing value where TRUE/FALSE needed", "drop or impute missing values")
    return float(values.min())


def _require_whole(values: FloatArray, message: str) -> None:
    """Raise unless one of the values is a whole number, as R's function does."""
    with np.errstate(invalid="ignore"):
        fractions = values - np.floor(values)
    if not (fractions == 0).any():
        _require(bool(np.isnan(fractions).any()), message)
        raise RError("missing value where TRUE/FALSE needed", "give finite numbers")


def _require_counts(data: FloatArray, family: str) -> None:
    """Raise for data below 0, and where no count is a whole number."""
    _require(_least(data) >= 0, f"{family} data must be non-negative.")
    _require_whole(data, f"{family} data must be integer valued.")


def poisson(data: FloatArray, shares: FloatArray, _: FloatArray, stream: RRandom) -> FloatArray:
    """Multinomial parts of every count."""
    _require_counts(data, "Poisson")
    parts = [multinomial_draws(stream, 1, count, shares)[:, 0] for count in _down(data)]
    return _by_entry(np.array(parts, dtype=np.float64), data.shape)


def negative_binomial(data: FloatArray, shares: FloatArray, size: FloatArray, stream: RRandom) -> FloatArray:
    """Dirichlet-multinomial parts of every count."""
    _require_counts(data, "Negative binomial")
    _require(_least(size) > 0, "Overdispersion parameter must be positive.")
    return _by_entry(
        dirichlet_multinomial(_down(data), np.multiply.outer(_down(size), shares), stream), data.shape
    )


def binomial(data: FloatArray, shares: FloatArray, trials: FloatArray, stream: RRandom) -> FloatArray:
    """Multivariate hypergeometric parts of every count: its trials are shared out among the folds."""
    _require_trials(data, shares, trials, "Binomial")
    pairs = zip(_down(data).tolist(), _down(trials).tolist(), strict=True)
    parts = [multivariate_hypergeometric(number * shares, count, stream) for count, number in pairs]
    return _by_entry(np.array(parts), data.shape)


def multinomial(data: FloatArray, shares: FloatArray, trials: FloatArray, stream: RRandom) -> FloatArray:
    """Multivariate hypergeometric parts of every row with `trials` (n,), one fold after the other."""
    _require_trials(data, shares, trials, "Multinomial")
    if len(shares) < 2:
        raise RError("replacement has length zero", "give the shares of at least two folds")
    folds, rest = np.empty((*data.shape, len(shares))), data.copy()
    for row, number in enumerate(trials):
        for fold, size in enumerate((number * shares[:-1]).tolist()):
            folds[row, :, fold] = multivariate_hypergeometric(rest[row], size, stream)
            rest[row] -= folds[row, :, fold]
    folds[:, :, -1] = rest
    return folds


def _require_trials(data: FloatArray, shares: FloatArray, trials: FloatArray, family: str) -> None:
    """Raise for what is no count, and where no fold has a whole number of trials."""
    _require_counts(data, family)
    _require_whole(
        np.multiply.outer(shares, trials), "Epsilon implies non-integer thinned population parameters."
    )


def normal(data: FloatArray, shares: FloatArray, variance: FloatArray, stream: RRandom) -> FloatArray:
    """Shares of every entry and correlated noise that adds up to 0."""
    _require(_least(variance) > 0, "Variance parameter must be positive.")
    unit = np.diag(shares) - np.multiply.outer(shares, shares)
    root = cache(lambda scale: symmetric_root(scale * unit))
    noise = rnorm(data.size * len(shares), rng=stream).reshape(data.size, -1)
    roots = [root(scale) for scale in _down(variance).tolist()]
    parts = np.array([ordered_product(z[None], one)[0] for z, one in zip(noise, roots, strict=True)])
    return _by_entry(parts + np.multiply.outer(_down(data), shares), data.shape)


def gamma(data: FloatArray, shares: FloatArray, shape: FloatArray, stream: RRandom) -> FloatArray:
    """Dirichlet parts of every entry."""
    _require(_least(data) > 0, "Gamma data must be positive.")
    _require(_least(shape) > 0, "Shape parameter must be positive.")
    parts = dirichlet(np.multiply.outer(_down(shape), shares), stream)
    return _by_entry(_down(data)[:, None] * parts, data.shape)


def exponential(data: FloatArray, shares: FloatArray, _: FloatArray, stream: RRandom) -> FloatArray:
    """Gamma entries of shape 1."""
    return gamma(data, shares, np.ones(data.shape), stream)


def normal_variance(data: FloatArray, shares: FloatArray, mean: FloatArray, stream: RRandom) -> FloatArray:
    """Squared deviations as gamma entries of shape 1/2."""
    with np.errstate(over="ignore"):
        squares = (data - mean) ** 2
    return gamma(squares, shares, np.full(data.shape, 0.5), stream)


def chi_squared(data: FloatArray, shares: FloatArray, _: FloatArray, stream: RRandom) -> FloatArray:
    """Normal parts whose squares add up to the entry."""
    _require(_least(data) > 0, "Chi-squared data must be positive.")
    noise = rnorm(data.size * len(shares), rng=stream).reshape(data.size, -1)
    lengths = np.sqrt([long_sum(z * z) for z in noise])
    return _by_entry(np.sqrt(_down(data))[:, None] * noise / lengths[:, None], data.shape)


def gamma_weibull(data: FloatArray, shares: FloatArray, nu: FloatArray, stream: RRandom) -> FloatArray:
    """Weibull parts of gamma entries whose shape is the number of folds."""
    _require(_least(data) > 0, "Weibull data must be positive.")
    parts = gamma(data, shares, np.full(data.shape, float(len(shares))), stream)
    return _powers(parts, np.broadcast_to((1 / nu)[..., None], parts.shape))


def weibull(data: FloatArray, shares: FloatArray, nu: FloatArray, stream: RRandom) -> FloatArray:
    """Powers of the entries as exponential ones."""
    _require(_least(data) > 0, "Weibull data must be positive.")
    _require(_least(nu) > 0, "Scale parameter must be positive.")
    return exponential(_powers(data, nu), shares, nu, stream)


def pareto(data: FloatArray, shares: FloatArray, nu: FloatArray, stream: RRandom) -> FloatArray:
    """Logarithms of the entries, in units of the smallest possible one, as exponential entries."""
    _require(_least(data) > 1, "Pareto data must be greater than 1.")
    _require(_least(nu) > 0, "Scale parameter must be positive.")
    with np.errstate(over="ignore"):
        ratios = data / nu
    _require(_least(ratios) > 0, "Gamma data must be positive.")
    logs = np.array([log(ratio) for ratio in ratios.ravel().tolist()]).reshape(data.shape)
    return exponential(logs, shares, nu, stream)


def shifted_exponential(
    data: FloatArray, shares: FloatArray, rate: FloatArray, stream: RRandom
) -> FloatArray:
    """The entry in one of the folds, the entry and an exponential number in the others."""
    _require(_least(rate) > 0, "Rate parameter must be positive.")
    k = len(shares)
    added = rexp(data.size * k, np.repeat(_down(rate) / k, k), rng=stream).reshape(-1, k)
    return _kept_once(data, _down(data)[:, None] + added, stream)


def scaled_beta(data: FloatArray, shares: FloatArray, alpha: FloatArray, stream: RRandom) -> FloatArray:
    """The entry in one of the folds, the entry times a beta number in the others."""
    _require(_least(data) > 0, "Scaled beta data must be positive.")
    _require(_least(alpha) > 0, "First beta parameter must be positive.")
    k = len(shares)
    factors = rbeta(data.size * k, np.repeat(_down(alpha) / k, k), 1, rng=stream).reshape(-1, k)
    return _kept_once(data, _down(data)[:, None] * factors, stream)


def scaled_uniform(data: FloatArray, shares: FloatArray, _: FloatArray, stream: RRandom) -> FloatArray:
    """Scaled beta entries whose first parameter is 1."""
    return scaled_beta(data, shares, np.ones(data.shape), stream)


def multivariate_normal(
    data: FloatArray, shares: FloatArray, covariance: FloatArray, stream: RRandom
) -> FloatArray:
    """Folds of normal rows, one fold after the other; `covariance` is (p, p) or (n, p, p)."""
    n, p = data.shape
    each = np.broadcast_to(covariance, (n, p, p)).astype(np.float64)
    folds = np.zeros((n, p, len(shares)))
    rest = data.astype(np.float64)
    for fold in range(len(shares) - 1):
        part = float(shares[fold] / long_sum(shares[fold:]))
        noise = rnorm(data.size, rng=stream).reshape(n, p)
        for row in range(n):
            root = symmetric_root(part * (1 - part) * each[row])
            folds[row, :, fold] = ordered_product(noise[row][None], root)[0] + rest[row] * part
        rest = rest - folds[:, :, fold]
        each = each * (1 - part)
    folds[:, :, -1] = rest
    return folds


def _powers(base: FloatArray, exponent: FloatArray) -> FloatArray:
    """Powers as R's ``^`` computes them."""
    pairs = zip(base.ravel().tolist(), exponent.ravel().tolist(), strict=True)
    return np.array([x * x if y == 2 else raised(x, y) for x, y in pairs]).reshape(base.shape)


def _kept_once(data: FloatArray, folds: FloatArray, stream: RRandom) -> FloatArray:
    """The folds (n p, K) as (n, p, K), with the entry itself in a fold drawn for each."""
    kept = equal_categories(data.size, folds.shape[1], stream)
    folds[np.arange(data.size), kept] = _down(data)
    return _by_entry(folds, data.shape)


THINNINGS: dict[str, Thinning] = {
    "poisson": poisson,
    "negative binomial": negative_binomial,
    "binomial": binomial,
    "multinomial": multinomial,
    "normal": normal,
    "gaussian": normal,
    "normal-variance": normal_variance,
    "gaussian-variance": normal_variance,
    "mvnormal": multivariate_normal,
    "mvgaussian": multivariate_normal,
    "exponential": exponential,
    "gamma": gamma,
    "chi-squared": chi_squared,
    "gamma-weibull": gamma_weibull,
    "weibull": weibull,
    "pareto": pareto,
    "shifted-exponential": shifted_exponential,
    "scaled-uniform": scaled_uniform,
    "scaled-beta": scaled_beta,
}
"""The families of datathin."""


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
