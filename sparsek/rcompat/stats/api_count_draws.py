"""R's random draws of counts, equal to R's with the state of the stream afterwards."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.errors import RError
from sparsek.rng import RRandom, literal_draws, resolve_rng
from sparsek.rng.arguments import warn_nan
from sparsek.rng.binomial_draws import binomial_sampler
from sparsek.rng.count_draws import (
    geometric_sampler,
    negative_binomial_sampler,
    negative_binomial_sampler_mu,
)
from sparsek.rng.draws import draw_each
from sparsek.rng.hypergeometric_draws import hypergeometric_sampler
from sparsek.rng.mixed_draws import multinomial_draws
from sparsek.rng.poisson_draws import poisson_sampler

_LARGEST_INTEGER = 2**31 - 1  # R gives doubles above


def _counts(draws: NDArray[np.float64]) -> NDArray[Any]:
    """Draws as integers where R has integers."""
    if np.isnan(draws).any() or (draws > _LARGEST_INTEGER).any():
        return warn_nan(draws)
    return draws.astype(np.int64)


def rpois(n: ArrayLike, lambda_: ArrayLike, *, rng: RRandom | None = None) -> NDArray[Any]:
    """Poisson draws, as R's ``rpois``.

    Parameters
    ----------
    n : number or array_like
    lambda_ : float or array_like
        Mean, a count, recycled.
    rng : RRandom, optional

    Returns
    -------
    ndarray of int64, shape (n,)
        Counts; of float64 where some are above 2^31 - 1, or NaN for a negative, infinite or missing mean.

    Raises
    ------
    RError
        [of draws]

    Warns
    -----
    RWarning
        "NAs produced".

    Notes
    -----
    Source: Ahrens & Dieter (1982), algorithm PD, for a mean of at least 10; lookup in a table below.

    Examples
    --------
    >>> from sparsek.rng import RRandom
    >>> rpois(5, [2, 50], rng=RRandom(1)).tolist()
    [1, 47, 1, 58, 2]
    """
    return _counts(draw_each(resolve_rng(rng), n, poisson_sampler, literal_draws.rpois, lambda_=lambda_))


def rbinom(n: ArrayLike, size: ArrayLike, prob: ArrayLike, *, rng: RRandom | None = None) -> NDArray[Any]:
    """Binomial draws, as R's ``rbinom``.

    Parameters
    ----------
    n : number or array_like
    size : int or array_like
        Number of trials, below 2^31 - 1, recycled.
    prob : float or array_like
        Probability of success, recycled.
    rng : RRandom, optional

    Returns
    -------
    ndarray of int64, shape (n,)
        Counts; of float64 where some are above 2^31 - 1, or NaN for parameters out of range.

    Raises
    ------
    RError
        [of draws]
    ValueError
        If `size` is 2^31 - 1 or more, where R inverts the distribution function; nothing has been drawn then.

    Warns
    -----
    RWarning
        "NAs produced".

    Notes
    -----
    Source: Kachitvichyanukul & Schmeiser (1988), algorithm BTPE, for a mean of at least 30 of the rarer
    outcome; inversion below.

    Examples
    --------
    >>> from sparsek.rng import RRandom
    >>> rbinom(5, [10, 500], 0.3, rng=RRandom(1)).tolist()
    [2, 151, 5, 139, 5]
    """
    return _counts(
        draw_each(resolve_rng(rng), n, binomial_sampler, literal_draws.rbinom, size=size, prob=prob)
    )


def rgeom(n: ArrayLike, prob: ArrayLike, *, rng: RRandom | None = None) -> NDArray[Any]:
    """Geometric draws, as R's ``rgeom``.

    Parameters
    ----------
    n : number or array_like
    prob : float or array_like
        Probability of success, recycled.
    rng : RRandom, optional

    Returns
    -------
    ndarray of int64, shape (n,)
        Counts; of float64 where some are above 2^31 - 1, or NaN for a probability out of range.

    Raises
    ------
    RError
        [of draws]

    Warns
    -----
    RWarning
        "NAs produced".

    Notes
    -----
    Source: Poisson draws with exponential means.

    Examples
    --------
    >>> from sparsek.rng import RRandom
    >>> rgeom(5, 0.1, rng=RRandom(1)).tolist()
    [6, 3, 23, 3, 24]
    """
    return _counts(draw_each(resolve_rng(rng), n, geometric_sampler, prob=prob))


def rnbinom(
    n: ArrayLike,
    size: ArrayLike,
    prob: ArrayLike | None = None,
    mu: ArrayLike | None = None,
    *,
    rng: RRandom | None = None,
) -> NDArray[Any]:
    """Negative binomial draws, as R's ``rnbinom``.

    Parameters
    ----------
    n : number or array_like
    size : float or array_like
        Number of successes, recycled.
    prob, mu : float or array_like, optional
        Probability of success, or the mean as a count, recycled; one of them.
    rng : RRandom, optional

    Returns
    -------
    ndarray of int64, shape (n,)
        Counts; of float64 with `mu`, or where some are NaN, for parameters out of range, or above 2^31 - 1.

    Raises
    ------
    RError
        If `n` is not a number from 0 on, a parameter is not a number, or not one of `prob` and `mu` is given;
        nothing has been drawn then.

    Warns
    -----
    RWarning
        "NAs produced".

    Notes
    -----
    Source: Poisson draws with gamma means.

    Examples
    --------
    >>> from sparsek.rng import RRandom
    >>> rnbinom(5, 3, 0.5, rng=RRandom(1)).tolist()
    [3, 2, 2, 2, 2]
    """
    stream = resolve_rng(rng)
    if mu is None:
        if prob is None:
            raise RError('argument "prob" is missing, with no default', "give prob or mu; got neither")
        return _counts(draw_each(stream, n, negative_binomial_sampler, size=size, prob=prob))
    if prob is not None:
        raise RError("'prob' and 'mu' both specified", f"give prob or mu; got {prob!r} and {mu!r}")
    return warn_nan(draw_each(stream, n, negative_binomial_sampler_mu, size=size, mu=mu))


def rhyper(
    nn: ArrayLike, m: ArrayLike, n: ArrayLike, k: ArrayLike, *, rng: RRandom | None = None
) -> NDArray[Any]:
    """Hypergeometric draws, as R's ``rhyper``: white balls among those drawn from an urn.

    Parameters
    ----------
    nn : number or array_like
        How many draws; of an array of another length than 1, the length.
    m, n : int or array_like
        Number of white and of black balls in the urn, together below 2^31, recycled; fractions are rounded.
    k : int or array_like
        Number of balls drawn, at most ``m + n``, recycled; fractions are rounded.
    rng : RRandom, optional

    Returns
    -------
    ndarray of int64, shape (nn,)
        Counts; of float64 where some are NaN, for parameters that are negative, not finite, or too many balls
        drawn.

    Raises
    ------
    RError
        If `nn` is not a number from 0 on or a parameter is not a number; nothing has been drawn then.
    ValueError
        If ``m + n`` is 2^31 or more, where R's integers overflow or it inverts the distribution function;
        nothing has been drawn then.

    Warns
    -----
    RWarning
        "NAs produced".

    Notes
    -----
    Source: Kachitvichyanukul & Schmeiser (1985), algorithm H2PE, for a mode of at least 10 of the rarer
    outcome; HIN, inversion, below.

    Examples
    --------
    >>> from sparsek.rng import RRandom
    >>> rhyper(5, [10, 300], 20, [5, 100], rng=RRandom(1)).tolist()
    [1, 94, 2, 91, 1]
    """
    return _counts(draw_each(resolve_rng(rng), nn, hypergeometric_sampler, m=m, n=n, k=k))


def rmultinom(n: ArrayLike, size: ArrayLike, prob: ArrayLike, *, rng: RRandom | None = None) -> NDArray[Any]:
    """Multinomial draws, as R's ``rmultinom``.

    Parameters
    ----------
    n : int
        How many draws, the first of several.
    size : int
        Number of objects, the first of several.
    prob : array_like of shape (k,)
        Weights of the classes; they need not sum to one.
    rng : RRandom, optional

    Returns
    -------
    ndarray of int64, shape (k, n)
        Counts of each class, a column per draw.

    Raises
    ------
    RError
        "invalid first argument 'n'", "invalid second argument 'size'", "NA in probability vector", "negative
        probability" or "no positive probabilities"; nothing has been drawn then.

    Notes
    -----
    Source: binomial draws as `rbinom`, each of what the classes before left.

    Examples
    --------
    >>> from sparsek.rng import RRandom
    >>> rmultinom(3, 10, [1, 2, 5], rng=RRandom(1)).tolist()
    [[1, 1, 0], [2, 4, 5], [7, 5, 5]]
    """
    return multinomial_draws(resolve_rng(rng), n, size, prob)
