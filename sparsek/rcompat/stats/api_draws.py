"""R's random draws of continuous distributions.

The draws are R's bit for bit, and so is the state of the stream afterwards.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.bits.caller import warn_as_r
from sparsek.errors import RError
from sparsek.rng import RRandom, literal_draws, resolve_rng
from sparsek.rng.arguments import count, recycle, size_of, warn_nan
from sparsek.rng.draws import draw_each
from sparsek.rng.gamma_draws import (
    beta_sampler,
    chi_square_sampler,
    gamma_sampler,
)
from sparsek.rng.inverted_draws import (
    cauchy_sampler,
    log_normal_sampler,
    logistic_sampler,
    weibull_sampler,
)
from sparsek.rng.mixed_draws import noncentral_chi_square_sampler, student_sampler

FloatArray = NDArray[np.float64]


def _scale(rate: ArrayLike | None, scale: ArrayLike | None) -> ArrayLike:
    """The scale of rgamma, given as such or as its inverse, with R's answers where both are given."""
    if scale is None:
        with np.errstate(divide="ignore", over="ignore"):
            return 1.0 if rate is None else 1.0 / recycle("rate", rate, size_of("rate", rate))
    if rate is not None:
        given = {"rate": rate, "scale": scale}
        longest = max(size_of(name, value) for name, value in given.items())
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            product = np.prod([recycle(name, value, longest) for name, value in given.items()], axis=0)
        if product.size != 1:
            raise RError("the condition has length > 1", "give rate or scale, not both")
        if np.isnan(product):
            raise RError("missing value where TRUE/FALSE needed", "give rate or scale, not both")
        if not abs(product.item() - 1) < 1e-15:
            raise RError("specify 'rate' or 'scale' but not both", f"got rate {rate!r} and scale {scale!r}")
        warn_as_r("specify 'rate' or 'scale' but not both")
    return scale


def _quotient(above: FloatArray, below: FloatArray) -> FloatArray:
    """Quotient of vectors with R's recycling: as long as the longer one, empty if one is."""
    sizes = sorted((above.size, below.size))
    size = sizes[1] if sizes[0] else 0
    if sizes[0] and sizes[1] % sizes[0]:
        warn_as_r("longer object length is not a multiple of shorter object length")
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.resize(above, size) / np.resize(below, size)


def rgamma(
    n: ArrayLike,
    shape: ArrayLike,
    rate: ArrayLike | None = None,
    scale: ArrayLike | None = None,
    *,
    rng: RRandom | None = None,
) -> FloatArray:
    """Gamma draws, as R's ``rgamma``.

    Parameters
    ----------
    n : number or array_like
    shape : float or array_like
        Shape, dimensionless, recycled.
    rate, scale : float or array_like, optional
        One over the scale, or the scale, in the unit of the draws, recycled; 1 when neither is given.
    rng : RRandom, optional

    Returns
    -------
    ndarray of shape (n,)
        Draws; NaN for a negative or missing parameter.

    Raises
    ------
    RError
        If `n` is not a number from 0 on, a parameter is not a number, or rate and scale do not agree; nothing
        has been drawn then.

    Warns
    -----
    RWarning
        "NAs produced".

    Notes
    -----
    Source: Ahrens & Dieter (1982), algorithm GD, for a shape of at least 1; below, Ahrens & Dieter (1974),
    algorithm GS.

    Examples
    --------
    >>> from sparsek.rng import RRandom
    >>> rgamma(3, 2.5, rng=RRandom(1)).tolist()
    [1.212171618896283, 4.322711672776053, 4.204255898034981]
    """
    scale = _scale(rate, scale)
    return warn_nan(
        draw_each(resolve_rng(rng), n, gamma_sampler, literal_draws.rgamma, shape=shape, scale=scale)
    )


def rchisq(
    n: ArrayLike, df: ArrayLike, ncp: ArrayLike | None = None, *, rng: RRandom | None = None
) -> FloatArray:
    """Chi-square draws, as R's ``rchisq``.

    Parameters
    ----------
    n : number or array_like
    df : float or array_like
        Degrees of freedom, recycled.
    ncp : float or array_like, optional
        Noncentrality, dimensionless, recycled; none when not given.
    rng : RRandom, optional

    Returns
    -------
    ndarray of shape (n,)
        Draws; NaN for parameters that are negative or missing, and infinite ones.

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
    Source: gamma draws as `rgamma`; with noncentrality, a Poisson number of further degrees of freedom.

    Examples
    --------
    >>> from sparsek.rng import RRandom
    >>> rchisq(2, [1, 30], rng=RRandom(1)).tolist()
    [0.19762713286317718, 30.41544832494765]
    """
    stream = resolve_rng(rng)
    if ncp is None:
        return warn_nan(draw_each(stream, n, chi_square_sampler, df=df))
    return warn_nan(draw_each(stream, n, noncentral_chi_square_sampler, df=df, ncp=ncp))


def rbeta(
    n: ArrayLike,
    shape1: ArrayLike,
    shape2: ArrayLike,
    ncp: ArrayLike | None = None,
    *,
    rng: RRandom | None = None,
) -> FloatArray:
    """Beta draws, as R's ``rbeta``.

    Parameters
    ----------
    n : number or array_like
    shape1, shape2 : float or array_like
        Shapes, dimensionless, recycled.
    ncp : float or array_like, optional
        Noncentrality, dimensionless, recycled; none when not given.
    rng : RRandom, optional

    Returns
    -------
    ndarray of shape (n,)
        Draws; NaN for a negative or missing parameter.

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
    Source: Cheng (1978), algorithms BB and BC; with noncentrality, ``x / (x + y)`` of two chi-squares.

    Examples
    --------
    >>> from sparsek.rng import RRandom
    >>> rbeta(2, 2, 3, rng=RRandom(1)).tolist()
    [0.2550998137115118, 0.44687065534468445]
    """
    stream = resolve_rng(rng)
    if ncp is None:
        return warn_nan(draw_each(stream, n, beta_sampler, shape1=shape1, shape2=shape2))
    size = count(n)
    with np.errstate(over="ignore", invalid="ignore"):
        x = rchisq(size, 2 * recycle("shape1", shape1, size), ncp, rng=stream)
        y = rchisq(size, 2 * recycle("shape2", shape2, size), rng=stream)
        return x / (x + y)


def rt(
    n: ArrayLike, df: ArrayLike, ncp: ArrayLike | None = None, *, rng: RRandom | None = None
) -> FloatArray:
    """Draws of Student's t, as R's ``rt``.

    Parameters
    ----------
    n : number or array_like
    df : float or array_like
        Degrees of freedom, recycled; infinite for normal draws.
    ncp : float or array_like, optional
        Noncentrality, dimensionless, recycled; none when not given.
    rng : RRandom, optional

    Returns
    -------
    ndarray of shape (n,)
        Draws; NaN for degrees of freedom that are missing or not positive.

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
    Source: the definition, a normal draw over the root of a chi-square one by its degrees of freedom.

    Examples
    --------
    >>> from sparsek.rng import RRandom
    >>> rt(2, 5, rng=RRandom(1)).tolist()
    [-0.6576940760188357, -0.597347233790622]
    """
    stream = resolve_rng(rng)
    if ncp is None:
        return warn_nan(draw_each(stream, n, student_sampler, df=df))
    size = count(n)
    z = stream.rnorm(size, ncp)
    degrees = recycle("df", df, size_of("df", df))
    return _quotient(z, np.sqrt(_quotient(rchisq(size, df, rng=stream), degrees)))


def rlnorm(
    n: ArrayLike, meanlog: ArrayLike = 0.0, sdlog: ArrayLike = 1.0, *, rng: RRandom | None = None
) -> FloatArray:
    """Log-normal draws, as R's ``rlnorm``.

    Parameters
    ----------
    n : number or array_like
    meanlog, sdlog : float or array_like, default=0, 1
        Mean and standard deviation of the logarithm, dimensionless, recycled.
    rng : RRandom, optional

    Returns
    -------
    ndarray of shape (n,)
        Draws; NaN for a missing mean or a deviation that is negative or not finite.

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
    Source: exponentials of normal draws by inversion.

    Examples
    --------
    >>> from sparsek.rng import RRandom
    >>> rlnorm(2, 2, rng=RRandom(1)).tolist()
    [3.949330967526506, 8.87859500405701]
    """
    return warn_nan(draw_each(resolve_rng(rng), n, log_normal_sampler, meanlog=meanlog, sdlog=sdlog))


def rweibull(
    n: ArrayLike, shape: ArrayLike, scale: ArrayLike = 1.0, *, rng: RRandom | None = None
) -> FloatArray:
    """Weibull draws, as R's ``rweibull``.

    Parameters
    ----------
    n : number or array_like
    shape : float or array_like
        Shape, dimensionless, recycled.
    scale : float or array_like, default=1
        Scale in the unit of the draws, recycled.
    rng : RRandom, optional

    Returns
    -------
    ndarray of shape (n,)
        Draws; NaN for parameters that are not positive and finite; 0 for scale 0.

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
    Source: inversion of the distribution function.

    Examples
    --------
    >>> from sparsek.rng import RRandom
    >>> rweibull(2, 2, 3, rng=RRandom(1)).tolist()
    [3.4547026331738566, 2.982742990873203]
    """
    return warn_nan(draw_each(resolve_rng(rng), n, weibull_sampler, shape=shape, scale=scale))


def rcauchy(
    n: ArrayLike, location: ArrayLike = 0.0, scale: ArrayLike = 1.0, *, rng: RRandom | None = None
) -> FloatArray:
    """Cauchy draws, as R's ``rcauchy``.

    Parameters
    ----------
    n : number or array_like
    location, scale : float or array_like, default=0, 1
        Location and scale in the unit of the draws, recycled.
    rng : RRandom, optional

    Returns
    -------
    ndarray of shape (n,)
        Draws; NaN for a missing location or a scale that is negative or not finite.

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
    Source: inversion of the distribution function, with the tangent of the C library.

    Examples
    --------
    >>> from sparsek.rng import RRandom
    >>> rcauchy(2, 2, 3, rng=RRandom(1)).tolist()
    [5.30755970997774, 9.061491794666127]
    """
    return warn_nan(draw_each(resolve_rng(rng), n, cauchy_sampler, location=location, scale=scale))


def rlogis(
    n: ArrayLike, location: ArrayLike = 0.0, scale: ArrayLike = 1.0, *, rng: RRandom | None = None
) -> FloatArray:
    """Logistic draws, as R's ``rlogis``.

    Parameters
    ----------
    n : number or array_like
    location, scale : float or array_like, default=0, 1
        Location and scale in the unit of the draws, recycled.
    rng : RRandom, optional

    Returns
    -------
    ndarray of shape (n,)
        Draws; NaN for a missing location or a scale that is not finite.

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
    Source: inversion of the distribution function.

    Examples
    --------
    >>> from sparsek.rng import RRandom
    >>> rlogis(2, 2, 3, rng=RRandom(1)).tolist()
    [-1.0525921937385316, 0.4306520233140141]
    """
    return warn_nan(draw_each(resolve_rng(rng), n, logistic_sampler, location=location, scale=scale))
