"""Hypergeometric draws.

References
----------
Kachitvichyanukul & Schmeiser (1985), Journal of Statistical Computation and Simulation 22, 127-145:
algorithms HIN (a mode below 10) and H2PE. The constants are those of the
authors' program, algorithm 668 (1988), ACM Trans. Math. Software 14, 397-398.
"""

import math

from sparsek.bits import elementary
from sparsek.rng.draws import Outputs, Sampler, constant

_TOO_MANY = 2**31
_HALF_LOG_2_PI = 0.918938533204672741780329736406
_SCALE, _LOG_SCALE = 1e25, 57.5646273248511421
"""HIN multiplies probabilities by this, so that the first one is not too small for a double."""
_ABOVE, _BELOW = 0.0034, 0.0078
"""What Stirling's formula may add to and take from the bounds of H2PE's squeeze."""


def hypergeometric_sampler(white: float, black: float, drawn: float) -> Sampler:
    """Sampler of the number of white balls among those drawn from an urn.

    Raises ValueError if there are 2^31 balls or more.
    """
    if not all(map(math.isfinite, (white, black, drawn))):
        return constant(math.nan)
    w, b, k = round(white), round(black), round(drawn)
    if min(w, b, k) < 0 or k > w + b:
        return constant(math.nan)
    if w + b >= _TOO_MANY:
        raise ValueError(
            f"m + n must be below 2^31 = {_TOO_MANY}; got {w + b}: R draws otherwise there, which is not "
            "carried over; draw with fewer balls"
        )
    few, many = min(w, b), max(w, b)
    kept = 2 * k < w + b
    rare = _rare_sampler(few, many, k if kept else w + b - k)
    if kept:
        return rare if w <= b else lambda outputs: k - rare(outputs)
    return (lambda outputs: w - rare(outputs)) if w <= b else lambda outputs: k - b + rare(outputs)


def _rare_sampler(few: int, many: int, k: int) -> Sampler:
    """Sampler of the number of balls of the rarer colour among k, at most half of all."""
    if min(few, k) == 0:
        return constant(0.0)
    mode = int((k + 1.0) * (few + 1.0) / (few + many + 2.0))
    return _inversion(few, many, k) if mode < 10 else _h2pe(few, many, k, mode)


def _log_factorial(i: float) -> float:
    """Logarithm of i!; Stirling's formula from 8 on."""
    if i < 8:
        return elementary.log(math.factorial(int(i)))
    return (
        (i + 0.5) * elementary.log(i)
        - i
        + 0.0833333333333333 / i
        - 0.00277777777777778 / i / i / i
        + _HALF_LOG_2_PI
    )


def _inversion(few: int, many: int, k: int) -> Sampler:
    """Algorithm HIN: inversion of the distribution function, by a sum from 0 on."""
    log_first = (
        _log_factorial(many)
        + _log_factorial(few + many - k)
        - _log_factorial(many - k)
        - _log_factorial(few + many)
    )
    first = elementary.exp(log_first + _LOG_SCALE)

    def draw(outputs: Outputs) -> float:
        while True:
            p, u = first, next(outputs) * _SCALE
            for x in range(min(few, k) + 1):
                if u <= p:
                    return float(x)
                u -= p
                p = p * ((few - x) * float(k - x)) / (x + 1) / (many - k + x + 1)

    return draw


def _h2pe(few: int, many: int, k: int, mode: int) -> Sampler:
    """Algorithm H2PE: a rectangle around the mode and exponential tails, accepted by the densities."""
    total = float(few + many)
    s = math.sqrt((total - k) * k * few * many / (total - 1) / total / total)
    half = int(1.5 * s) + 0.5
    left, right = mode - half + 0.5, mode + half + 0.5

    at_mode = (
        _log_factorial(mode)
        + _log_factorial(few - mode)
        + _log_factorial(k - mode)
        + _log_factorial(many - k + mode)
    )

    def log_quotient(x: float) -> float:
        """Logarithm of the density at x over that at the mode."""
        q = at_mode
        for number in (x, few - x, k - x, many - k + x):
            q -= _log_factorial(number)
        return q

    left_rate = -elementary.log(left * (many - k + left) / (few - left + 1) / (k - left + 1))
    right_rate = -elementary.log((few - right + 1) * (k - right + 1) / right / (many - k + right))
    p1 = half + half
    p2 = p1 + elementary.exp(log_quotient(left)) / left_rate
    p3 = p2 + elementary.exp(log_quotient(right - 1)) / right_rate

    def accept(x: int, v: float) -> bool:
        """Whether v is at most the density at x over that at the mode."""
        if mode < 100 or x <= 50:
            return v <= _density_quotient(few, many, k, mode, x)
        log_v = elementary.log(v)
        low, high = _squeeze(few, many, k, mode, x)
        return log_v <= high and (log_v < low or log_v <= log_quotient(x))

    def draw(outputs: Outputs) -> float:
        while True:
            u, v = next(outputs) * p3, next(outputs)
            if u < p1:
                x = int(left + u)
            elif u <= p2:
                x = int(left + elementary.log(v) / left_rate)
                v = v * (u - p1) * left_rate
            else:
                x = int(right - elementary.log(v) / right_rate)
                v = v * (u - p2) * right_rate
            if 0 <= x <= min(few, k) and accept(x, v):
                return float(x)

    return draw


def _density_quotient(few: int, many: int, k: int, mode: int, x: int) -> float:
    """Density at x over that at the mode, by recursion."""
    f = 1.0
    for i in range(mode + 1, x + 1):
        f = f * (few - i + 1) * (k - i + 1) / (many - k + i) / i
    for i in range(x + 1, mode + 1):
        f = f * i * (many - k + i) / (few - i + 1) / (k - i + 1)
    return f


def _squeeze(few: int, many: int, k: int, mode: int, x: int) -> tuple[float, float]:
    """Lower and upper bound of the logarithm of the density at x over that at the mode."""
    away, above, others = x - mode, x + 1.0, many - k + x + 1.0
    white, left = few - x + 1.0, k - x + 1.0
    terms = [
        (mode + 0.5, -away / above),
        (few - mode + 0.5, away / white),
        (k - mode + 0.5, away / left),
        (many - k + mode + 0.5, -away / others),
    ]
    g = white * left / (above * others) - 1.0
    g_high = _log_1p(g)
    g_low = g_high - 0.25 * (g * g * g * g) / min(1.0, 1.0 + g)
    high, errors = 0.0, 0.0
    for factor, t in terms:
        high += factor * _log_1p(t)
        errors += factor * (t * t * t * t) / min(1.0, 1.0 + t)
    high += x * g_high - mode * g_low + _ABOVE
    return high - 0.25 * errors + (x + mode) * (g_low - g_high) - _BELOW, high


def _log_1p(x: float) -> float:
    """Upper bound of the logarithm of 1 + x: the first three terms of its series."""
    return x * (1.0 + x * (-0.5 + x / 3.0))
