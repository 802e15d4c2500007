"""Poisson and binomial draws.

References
----------
Ahrens & Dieter (1982), ACM Trans. Math. Software 8, 163-179 (algorithm PD, mean of at least 10, and table
lookup below); Kachitvichyanukul & Schmeiser (1988), Comm. ACM 31, 216-222 (algorithm BTPE, mean of at least
30, and inversion below). The constants are those of the public-domain program RANLIB.
"""

import math
import sys
from bisect import bisect_left
from collections.abc import Callable

from sparsek.numerics import elementary
from sparsek.rcompat.arithmetic.draws import Outputs, Sampler, constant
from sparsek.rcompat.arithmetic.gamma_draws import gamma_sampler, safe_exp, series
from sparsek.rcompat.arithmetic.generator import exponential

_A = (-0.5, 0.3333333, -0.2500068, 0.2000118, -0.1661269, 0.1421878, -0.1384794, 0.1250060)
_TABLE = 35  # the largest value in the table of a small mean
_TOO_MANY = 2**31 - 1
_ROOT = 0.398942280401432677939946059934  # 1 / sqrt(2 pi)


def poisson_sampler(mu: float) -> Sampler:
    """Sampler of Poisson draws.

    Parameters
    ----------
    mu : float
        Mean, a count.

    Returns
    -------
    callable
        The sampler; NaN for a negative, infinite or missing mean, 0 without a draw for mean 0.
    """
    if not math.isfinite(mu) or mu < 0:
        return constant(math.nan)
    if mu == 0:
        return constant(0.0)
    return _poisson_table(mu) if mu < 10 else _poisson_pd(mu)


def _poisson_table(mu: float) -> Sampler:
    """Case B of PD: lookup in a table of the distribution function."""
    p = elementary.exp(-mu)
    cumulated = [p]

    def draw(outputs: Outputs) -> float:
        nonlocal p
        while True:
            u = next(outputs)
            while cumulated[-1] < u and len(cumulated) <= _TABLE:
                p = p * mu / len(cumulated)
                cumulated.append(cumulated[-1] + p)
            k = bisect_left(cumulated, u)
            if k <= _TABLE:
                return float(k)

    return draw


def _poisson_pd(mu: float) -> Sampler:
    """Case A of PD: a rounded normal, corrected."""
    s = math.sqrt(mu)
    d = 6.0 * mu * mu
    large = math.floor(mu - 1.1484)
    omega = _ROOT / s
    b1 = 1.0 / (24.0 * mu)
    b2 = 0.3 * b1 * b1
    c3 = b1 * b2 / 7.0
    hermite = (
        1.0 - b1 + 3.0 * b2 - 15.0 * c3,
        b1 - 6.0 * b2 + 45.0 * c3,
        b2 - 15.0 * c3,
        c3,
    )
    c = 0.1069 / mu

    def densities(k: float) -> tuple[float, float, float, float]:
        """Step F: logarithms and factors of the Poisson and the discrete normal probability."""
        x = (0.5 - (mu - k)) / s
        return *_poisson_density(mu, k), -0.5 * x * x, omega * series(hermite, x * x)

    def draw(outputs: Outputs) -> float:
        g = mu + s * outputs.normal()
        if g >= 0:
            k = float(math.floor(g))
            if k >= large:
                return k
            u = next(outputs)
            missing = mu - k
            if d * u >= missing * missing * missing:
                return k
            px, py, fx, fy = densities(k)
            if fy - u * fy <= py * safe_exp(px - fx):
                return k
        while True:
            e = exponential(outputs)
            u = 2.0 * next(outputs) - 1.0
            t = 1.8 - e if u < 0 else 1.8 + e
            if t <= -0.6744:
                continue
            k = float(math.floor(mu + s * t))
            px, py, fx, fy = densities(k)
            if c * abs(u) <= py * safe_exp(px + e) - fy * safe_exp(fx + e):
                return k

    return draw


def _poisson_density(mu: float, k: float) -> tuple[float, float]:
    """Logarithm and factor of the Poisson probability of k."""
    if k < 10:
        return -mu, elementary.power(mu, k) / math.factorial(int(k))
    delta = 1.0 / (12.0 * k)
    delta = delta * (1.0 - 4.8 * delta * delta)
    missing = mu - k
    v = missing / k
    if abs(v) <= 0.25:
        px = k * v * v * series(_A, v) - delta
    else:
        px = k * elementary.log(1.0 + v) - missing - delta
    return px, _ROOT / math.sqrt(k)


def binomial_sampler(size: float, prob: float) -> Sampler:
    """Sampler of binomial draws.

    Parameters
    ----------
    size : float
        Number of trials, a whole number.
    prob : float
        Probability of success.

    Returns
    -------
    callable
        The sampler; NaN for parameters out of range, 0 or `size` without a draw where the result is certain.

    Raises
    ------
    ValueError
        If `size` is 2^31 - 1 or more and the result is not certain.
    """
    if not math.isfinite(size) or size != math.floor(size) or size < 0 or not 0 <= prob <= 1:
        return constant(math.nan)
    if size == 0 or prob in (0, 1):
        return constant(size * prob)
    if size >= _TOO_MANY:
        raise ValueError(
            f"size must be below 2^31 - 1 = {_TOO_MANY}; got {size:.0f}: R draws otherwise there, which is "
            "not carried over; add up draws of fewer trials"
        )
    n = int(size)
    p = min(prob, 1.0 - prob)
    rare = _binomial_inversion(n, p) if n * p < 30 else _binomial_btpe(n, p)
    return rare if prob <= 0.5 else lambda outputs: n - rare(outputs)


def _binomial_inversion(n: int, p: float) -> Sampler:
    """Inversion of the distribution function, by a sum from 0 on."""
    q = 1.0 - p
    first = elementary.power(q, float(n))
    r = p / q
    g = r * (n + 1)

    def draw(outputs: Outputs) -> float:
        while True:
            f = first
            u = next(outputs)
            for k in range(112):
                if u < f:
                    return float(k)
                u -= f
                f *= g / (k + 1) - r

    return draw


def _stirling(x: float) -> float:
    """The rest of Stirling's formula."""
    y = x * x
    return (13860.0 - (462.0 - (132.0 - (99.0 - 140.0 / y) / y) / y) / y) / x / 166320.0


def _accept(n: int, p: float, m: int, npq: float, k: int, v: float) -> bool:
    """Step 5 of BTPE: whether v is below the density at k over that at the mode m."""
    q = 1.0 - p
    far = abs(k - m)
    if far <= 20 or far >= npq / 2 - 1:
        r = p / q
        g = (n + 1) * r
        f = 1.0
        for i in range(m + 1, k + 1):
            f *= g / i - r
        for i in range(k + 1, m + 1):
            f /= g / i - r
        return v <= f
    bound = (far / npq) * ((far * (far / 3.0 + 0.625) + 0.1666666666666) / npq + 0.5)
    square = (far * far + 2**31) % 2**32 - 2**31  # a product of 32-bit numbers, as in RANLIB and R
    normal = -square / (2.0 * npq)
    log_v = elementary.log(v)
    if log_v < normal - bound:
        return True
    if log_v > normal + bound:
        return False
    x, f, z, w = k + 1.0, m + 1.0, n + 1.0 - m, n - k + 1.0
    return log_v <= (
        (m + 0.5) * elementary.log(f / x)
        + (n - m + 0.5) * elementary.log(z / w)
        + (k - m) * elementary.log(w * p / (x * q))
        + _stirling(f)
        + _stirling(z)
        + _stirling(x)
        + _stirling(w)
    )


def _binomial_btpe(n: int, p: float) -> Sampler:
    """Algorithm BTPE for p of at most one half."""
    q = 1.0 - p
    npq = n * p * q
    ffm = n * p + p
    m = int(ffm)
    p1 = int(2.195 * math.sqrt(npq) - 4.6 * q) + 0.5
    xm = m + 0.5
    left, right = xm - p1, xm + p1
    c = 0.134 + 20.5 / (15.3 + m)
    al = (ffm - left) / (ffm - left * p)
    left_rate = al * (1.0 + 0.5 * al)
    al = (right - ffm) / (right * q)
    right_rate = al * (1.0 + 0.5 * al)
    p2 = p1 * (1.0 + c + c)
    p3 = p2 + c / left_rate
    p4 = p3 + c / right_rate

    def draw(outputs: Outputs) -> float:
        while True:
            u, v = next(outputs) * p4, next(outputs)
            if u <= p1:
                return float(int(xm - p1 * v + u))
            if u <= p2:
                x = left + (u - p1) / c
                v = v * c + 1.0 - abs(xm - x) / p1
                if v > 1.0 or v <= 0.0:
                    continue
                k = int(x)
            elif u <= p3:
                k = int(left + elementary.log(v) / left_rate)
                if k < 0:
                    continue
                v = v * (u - p2) * left_rate
            else:
                k = int(right - elementary.log(v) / right_rate)
                if k > n:
                    continue
                v = v * (u - p3) * right_rate
            if _accept(n, p, m, npq, k, v):
                return float(k)

    return draw


def geometric_sampler(prob: float) -> Sampler:
    """Sampler of geometric draws: Poisson ones with an exponential mean.

    Parameters
    ----------
    prob : float
        Probability of success.

    Returns
    -------
    callable
        The sampler; NaN for a probability of 0, missing or out of range.
    """
    if not 0 < prob <= 1:
        return constant(math.nan)
    odds = (1.0 - prob) / prob
    return lambda outputs: poisson_sampler(exponential(outputs) * odds)(outputs)


def negative_binomial_sampler(size: float, prob: float) -> Sampler:
    """Sampler of negative binomial draws by size and probability.

    Parameters
    ----------
    size : float
        Number of successes.
    prob : float
        Probability of success.

    Returns
    -------
    callable
        The sampler; NaN for parameters out of range, 0 without a draw for probability 1.
    """
    if not size > 0 or not 0 < prob <= 1:
        return constant(math.nan)
    if prob == 1:
        return constant(0.0)
    return _poisson_of_gamma(size, lambda finite: (1.0 - prob) / prob)


def negative_binomial_sampler_mu(size: float, mu: float) -> Sampler:
    """Sampler of negative binomial draws by size and mean.

    Parameters
    ----------
    size : float
        Number of successes.
    mu : float
        Mean, a count.

    Returns
    -------
    callable
        The sampler; NaN for parameters out of range, 0 without a draw for mean 0.
    """
    if not size > 0 or not 0 <= mu < math.inf:
        return constant(math.nan)
    if mu == 0:
        return constant(0.0)
    return _poisson_of_gamma(size, lambda finite: mu / finite)


def _poisson_of_gamma(size: float, scale: Callable[[float], float]) -> Sampler:
    """Sampler of Poisson draws with a gamma mean; an infinite size becomes half the largest double."""
    finite = size if math.isfinite(size) else sys.float_info.max / 2
    mean = gamma_sampler(finite, scale(finite))
    return lambda outputs: poisson_sampler(mean(outputs))(outputs)
