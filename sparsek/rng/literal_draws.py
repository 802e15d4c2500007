"""R's gamma, Poisson and binomial draws as they were published, one after the other.

`rgamma`, `rpois` and `rbinom` run compiled, on a stream as of `literal`; parameters are recycled, and what
depends on them alone is computed when they change. The functions for one draw also run in Python, on the
outputs of a stream of any kind (`draws.in_python`). Sources: `gamma_draws`, `poisson_draws` and
`binomial_draws` of this folder name them.
"""

from __future__ import annotations

import math

import numpy as np

from sparsek.engine import Loop
from sparsek.rng.literal import exponential, following, normal, temper, uniform

LARGEST_EXPONENT = 709.782712893384
"""The exponential of more is infinite."""
ROOT = 0.398942280401432677939946059934
"""1 / sqrt(2 pi)."""
GD_Q = (0.04166669, 0.02083148, 0.00801191, 0.00144121, -7.388e-5, 2.4511e-4, 2.424e-4)
GD_A = (0.3333333, -0.250003, 0.2000062, -0.1662921, 0.1423657, -0.1367177, 0.1233795)
PD_A = (-0.5, 0.3333333, -0.2500068, 0.2000118, -0.1661269, 0.1421878, -0.1384794, 0.1250060)
FACTORIALS = (1.0, 1.0, 2.0, 6.0, 24.0, 120.0, 720.0, 5040.0, 40320.0, 362880.0)
TABLE = 35
"""The largest value in the table of a small Poisson mean."""
LARGEST_BY_INVERSION = 110
"""The largest binomial value that inversion gives."""


@Loop
def safe_exp(x):
    """Exponential, infinite where the result is too large for a double."""
    return math.exp(x) if x < LARGEST_EXPONENT else np.inf


@Loop
def series(coefficients, x):
    """Polynomial by Horner's rule, coefficients from the constant term up."""
    value = coefficients[len(coefficients) - 1]
    for i in range(len(coefficients) - 2, -1, -1):
        value = value * x + coefficients[i]
    return value


@Loop
def gamma_below_1(stream, shape, scale):
    """A gamma draw by algorithm GS."""
    b = 1.0 + 0.36787944117144233 * shape
    while True:
        p = b * uniform(stream)
        if p >= 1.0:
            x = -math.log((b - p) / shape)
            if exponential(stream) >= (1.0 - shape) * math.log(x):
                return scale * x
        else:
            x = math.exp(math.log(p) / shape)
            if exponential(stream) >= x:
                return scale * x


@Loop
def gamma_setup(shape):
    """Steps 1 and 4 of GD: roots, the constant of the quotient, place, scale and factor of the hat."""
    s2 = shape - 0.5
    s = math.sqrt(s2)
    r = 1.0 / shape
    if shape <= 3.686:
        b, si, c = 0.463 + s + 0.178 * s2, 1.235, 0.195 / s - 0.079 + 0.16 * s
    elif shape <= 13.022:
        b, si, c = 1.654 + 0.0076 * s2, 1.68 / s + 0.275, 0.062 / s + 0.024
    else:
        b, si, c = 1.77, 0.75, 0.1515 / s
    return s2, s, series(GD_Q, r) * r, b, si, c


@Loop
def density_quotient(t, setup):
    """Steps 6 and 10 of GD: logarithm of the quotient of the densities."""
    s2, s, q0 = setup[0], setup[1], setup[2]
    v = t / (s + s)
    if abs(v) <= 0.25:
        return q0 + 0.5 * t * t * series(GD_A, v) * v
    return q0 - s * t + 0.25 * t * t + (s2 + s2) * math.log(1.0 + v)


@Loop
def gamma_from_1(stream, setup, scale):
    """A gamma draw by algorithm GD."""
    s, b, si, c = setup[1], setup[3], setup[4], setup[5]
    t = normal(stream)
    x = s + 0.5 * t
    if t >= 0.0:
        return scale * (x * x)
    u = uniform(stream)
    if (math.sqrt(32.0) - s * 12.0) * u <= t * t * t:
        return scale * (x * x)
    if x > 0.0 and math.log(1.0 - u) <= density_quotient(t, setup):
        return scale * (x * x)
    while True:  # steps 8 to 12: from a double exponential
        e = exponential(stream)
        u = uniform(stream)
        u = u + u - 1.0
        t = b - si * e if u < 0.0 else b + si * e
        if t >= -0.71874483771719:
            q = density_quotient(t, setup)
            if q > 0.0 and c * abs(u) <= (safe_exp(q) - 1.0) * safe_exp(e - 0.5 * t * t):
                x = s + 0.5 * t
                return scale * x * x  # multiplied from the left here, as R does


@Loop
def rgamma(stream, shape, scale, out):
    """Gamma draws."""
    temper(stream)
    first, second = 0, 0
    known, setup = 1.0, gamma_setup(1.0)
    for i in range(out.shape[0]):
        a, factor = shape[first], scale[second]
        first, second = following(first, shape.shape[0]), following(second, scale.shape[0])
        if math.isnan(a) or math.isnan(factor):
            out[i] = np.nan
        elif a == 0.0 or factor == 0.0:
            out[i] = 0.0
        elif a < 0.0 or factor < 0.0:
            out[i] = np.nan
        elif math.isinf(a) or math.isinf(factor):
            out[i] = np.inf
        elif a < 1.0:
            out[i] = gamma_below_1(stream, a, factor)
        else:
            if a != known:
                known, setup = a, gamma_setup(a)
            out[i] = gamma_from_1(stream, setup, factor)


@Loop
def fill_table(mu, table):
    """The Poisson distribution function."""
    p = math.exp(-mu)
    table[0] = p
    for k in range(1, TABLE + 1):
        p = p * mu / k
        table[k] = table[k - 1] + p


@Loop
def poisson_by_table(stream, mu, table):
    """Case B of PD: lookup, above the median from the mean on."""
    while True:
        u = uniform(stream)
        k = int(mu) if u > 0.458 else 0
        while k <= TABLE and table[k] < u:
            k += 1
        if k <= TABLE:
            return float(k)


@Loop
def poisson_setup(mu):
    """The constants of case A of PD."""
    s = math.sqrt(mu)
    b1 = 1.0 / (24.0 * mu)
    b2 = 0.3 * b1 * b1
    c3 = b1 * b2 / 7.0
    c2 = b2 - 15.0 * c3
    c1 = b1 - 6.0 * b2 + 45.0 * c3
    c0 = 1.0 - b1 + 3.0 * b2 - 15.0 * c3
    return mu, s, 6.0 * mu * mu, math.floor(mu - 1.1484), ROOT / s, c0, c1, c2, c3, 0.1069 / mu


@Loop
def poisson_density(mu, k):
    """Logarithm and factor of the Poisson probability of k."""
    if k < 10.0:
        return -mu, math.pow(mu, k) / FACTORIALS[int(k)]
    delta = 1.0 / (12.0 * k)
    delta = delta * (1.0 - 4.8 * delta * delta)
    missing = mu - k
    v = missing / k
    middle = k * v * v * series(PD_A, v) if abs(v) <= 0.25 else k * math.log(1.0 + v) - missing
    return middle - delta, ROOT / math.sqrt(k)


@Loop
def normal_density(k, setup):
    """Logarithm and factor of the discrete normal probability of k."""
    mu, s, omega = setup[0], setup[1], setup[4]
    x = (0.5 - (mu - k)) / s
    y = x * x
    return -0.5 * x * x, omega * (((setup[8] * y + setup[7]) * y + setup[6]) * y + setup[5])


@Loop
def poisson_by_normal(stream, setup):
    """Case A of PD: a rounded normal, corrected."""
    mu, s, d, large, c = setup[0], setup[1], setup[2], setup[3], setup[9]
    g = mu + s * normal(stream)
    if g >= 0.0:
        k = float(math.floor(g))
        if k >= large:
            return k
        u = uniform(stream)
        missing = mu - k
        if d * u >= missing * missing * missing:
            return k
        px, py = poisson_density(mu, k)
        fx, fy = normal_density(k, setup)
        if fy - u * fy <= py * safe_exp(px - fx):
            return k
    while True:  # steps E to H: from a double exponential
        e = exponential(stream)
        u = 2.0 * uniform(stream) - 1.0
        t = 1.8 - e if u < 0.0 else 1.8 + e
        if t > -0.6744:
            k = float(math.floor(mu + s * t))
            px, py = poisson_density(mu, k)
            fx, fy = normal_density(k, setup)
            if c * abs(u) <= py * safe_exp(px + e) - fy * safe_exp(fx + e):
                return k


@Loop
def rpois(stream, mean, out):
    """Poisson draws."""
    temper(stream)
    at, known, setup = 0, 0.0, poisson_setup(10.0)
    table = np.empty(TABLE + 1)
    for i in range(out.shape[0]):
        mu = mean[at]
        at = following(at, mean.shape[0])
        if not math.isfinite(mu) or mu < 0.0:
            out[i] = np.nan
        elif mu == 0.0:
            out[i] = 0.0
        elif mu < 10.0:
            if mu != known:
                fill_table(mu, table)
            known = mu
            out[i] = poisson_by_table(stream, mu, table)
        else:
            if mu != known:
                setup = poisson_setup(mu)
            known = mu
            out[i] = poisson_by_normal(stream, setup)


@Loop
def binomial_by_inversion(stream, first, r, g):
    """A binomial draw by a sum from 0 on."""
    while True:
        u, f = uniform(stream), first
        for k in range(LARGEST_BY_INVERSION + 2):
            if u < f:
                return k
            u -= f
            f *= g / (k + 1) - r


@Loop
def binomial_setup(n, p):
    """Step 0 of BTPE."""
    q = 1.0 - p
    npq = n * p * q
    ffm = n * p + p
    m = int(ffm)
    p1 = int(2.195 * math.sqrt(npq) - 4.6 * q) + 0.5
    middle = m + 0.5
    left, right = middle - p1, middle + p1
    c = 0.134 + 20.5 / (15.3 + m)
    al = (ffm - left) / (ffm - left * p)
    left_rate = al * (1.0 + 0.5 * al)
    al = (right - ffm) / (right * q)
    right_rate = al * (1.0 + 0.5 * al)
    p2 = p1 * (1.0 + c + c)
    p3 = p2 + c / left_rate
    return n, p, npq, m, p1, p2, p3, p3 + c / right_rate, left, right, c, left_rate, right_rate


@Loop
def mode_quotient(k, n, p, m):
    """Density at k over that at the mode m, factor by factor."""
    r = p / (1.0 - p)
    g = (n + 1) * r
    f = 1.0
    for i in range(m + 1, k + 1):
        f *= g / i - r
    for i in range(k + 1, m + 1):
        f /= g / i - r
    return f


@Loop
def stirling(x):
    """The rest of Stirling's formula."""
    y = x * x
    return (13860.0 - (462.0 - (132.0 - (99.0 - 140.0 / y) / y) / y) / y) / x / 166320.0


@Loop
def log_mode_quotient(k, n, p, m):
    """The logarithm of `mode_quotient` by Stirling's formula."""
    x, f, z, w = k + 1.0, m + 1.0, n + 1.0 - m, n - k + 1.0
    return (
        (m + 0.5) * math.log(f / x)
        + (n - m + 0.5) * math.log(z / w)
        + (k - m) * math.log(w * p / (x * (1.0 - p)))
        + stirling(f)
        + stirling(z)
        + stirling(x)
        + stirling(w)
    )


@Loop
def accepts(k, v, setup):
    """Step 5 of BTPE: whether v is at most the density at k over that at the mode."""
    n, p, npq, m = setup[0], setup[1], setup[2], setup[3]
    far = abs(k - m)
    if far <= 20 or far >= npq / 2 - 1:
        return v <= mode_quotient(k, n, p, m)
    bound = (far / npq) * ((far * (far / 3.0 + 0.625) + 0.1666666666666) / npq + 0.5)
    square = (far * far + 2**31) % 2**32 - 2**31  # a product of 32-bit numbers, as in RANLIB and R
    exponent = -square / (2.0 * npq)
    log_v = math.log(v)
    if log_v < exponent - bound:
        return True
    return log_v <= exponent + bound and log_v <= log_mode_quotient(k, n, p, m)


@Loop
def binomial_by_btpe(stream, setup):
    """A binomial draw by algorithm BTPE."""
    n, m, p1, p2, p3, p4 = setup[0], setup[3], setup[4], setup[5], setup[6], setup[7]
    left, right, c, left_rate, right_rate = setup[8], setup[9], setup[10], setup[11], setup[12]
    middle = m + 0.5
    while True:
        u = uniform(stream) * p4
        v = uniform(stream)
        if u <= p1:
            return int(middle - p1 * v + u)
        if u <= p2:
            x = left + (u - p1) / c
            v = v * c + 1.0 - abs(middle - x) / p1
            k = int(x) if 0.0 < v <= 1.0 else -1
        elif u <= p3:
            k = int(left + math.log(v) / left_rate)
            v = v * (u - p2) * left_rate
        else:
            k = int(right - math.log(v) / right_rate)
            v = v * (u - p3) * right_rate
        if 0 <= k <= n and accepts(k, v, setup):
            return k


@Loop
def rbinom(stream, size, prob, out):
    """Binomial draws of fewer than 2^31 - 1 trials."""
    temper(stream)
    first, second = 0, 0
    known_size, known_prob, start, setup = -1.0, -1.0, 0.0, binomial_setup(100, 0.5)
    for i in range(out.shape[0]):
        trials, chance = size[first], prob[second]
        first, second = following(first, size.shape[0]), following(second, prob.shape[0])
        whole = math.isfinite(trials) and trials == math.floor(trials) and trials >= 0.0
        if not whole or not 0.0 <= chance <= 1.0:
            out[i] = np.nan
        elif trials == 0.0 or chance == 0.0 or chance == 1.0:
            out[i] = trials * chance
        else:
            n, p = int(trials), min(chance, 1.0 - chance)
            by_inversion = n * p < 30.0
            if trials != known_size or chance != known_prob:
                known_size, known_prob = trials, chance
                if by_inversion:
                    start = math.pow(1.0 - p, float(n))
                else:
                    setup = binomial_setup(n, p)
            if by_inversion:
                r = p / (1.0 - p)
                k = binomial_by_inversion(stream, start, r, r * (n + 1))
            else:
                k = binomial_by_btpe(stream, setup)
            out[i] = n - k if chance > 0.5 else k
