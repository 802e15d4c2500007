"""Binomial draws.

References
----------
Kachitvichyanukul & Schmeiser (1988), Comm. ACM 31, 216-222 (algorithm BTPE, mean of at least 30, and
inversion below). The constants are those of the public-domain program RANLIB.
"""

import math
from functools import lru_cache

from sparsek.bits import elementary
from sparsek.rng.draws import Outputs, Sampler, constant
from sparsek.rng.literal_draws import LARGEST_BY_INVERSION

_TOO_MANY = 2**31 - 1


def binomial_sampler(size: float, prob: float) -> Sampler:
    """Sampler of binomial draws.

    Raises ValueError if `size` is 2^31 - 1 or more and the result is not certain.
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
    return _Inversion(n, p, prob > 0.5) if n * p < 30 else _BTPE(n, p, prob > 0.5)


class _Inversion:
    """Inversion of the distribution function, by a sum from 0 on."""

    def __init__(self, n: int, p: float, flip: bool) -> None:
        q = 1.0 - p
        self._n, self._flip = n, flip
        self._first = elementary.power(q, float(n))
        self._r = p / q
        self._g = self._r * (n + 1)

    def _value(self, u: float) -> float:
        """The value of a uniform; NaN where it is too large."""
        f = self._first
        for k in range(LARGEST_BY_INVERSION + 2):
            if u < f:
                return float(self._n - k if self._flip else k)
            u -= f
            f *= self._g / (k + 1) - self._r
        return math.nan

    def __call__(self, outputs: Outputs) -> float:
        while True:
            value = self._value(next(outputs))
            if value == value:
                return value


def _stirling(x: float) -> float:
    """The rest of Stirling's formula."""
    y = x * x
    return (13860.0 - (462.0 - (132.0 - (99.0 - 140.0 / y) / y) / y) / y) / x / 166320.0


class _BTPE:
    """Algorithm BTPE."""

    def __init__(self, n: int, p: float, flip: bool) -> None:
        self._n, self._p, self._flip = n, p, flip
        q = self._q = 1.0 - p
        npq = self._npq = n * p * q
        ffm = n * p + p
        m = self._m = int(ffm)
        p1 = self._p1 = int(2.195 * math.sqrt(npq) - 4.6 * q) + 0.5
        self._xm = m + 0.5
        self._left, self._right = self._xm - p1, self._xm + p1
        self._c = 0.134 + 20.5 / (15.3 + m)
        al = (ffm - self._left) / (ffm - self._left * p)
        self._left_rate = al * (1.0 + 0.5 * al)
        al = (self._right - ffm) / (self._right * q)
        self._right_rate = al * (1.0 + 0.5 * al)
        self._p2 = p1 * (1.0 + self._c + self._c)
        self._p3 = self._p2 + self._c / self._left_rate
        self._p4 = self._p3 + self._c / self._right_rate
        self._quotient = lru_cache(maxsize=4096)(self._quotient_by_recursion)

    def __call__(self, outputs: Outputs) -> float:
        while True:
            k = self._attempt(next(outputs) * self._p4, next(outputs))
            if k >= 0:
                return float(self._n - k if self._flip else k)

    def _attempt(self, u: float, v: float) -> int:
        """Steps 1 to 5: a value, or -1 for none."""
        if u <= self._p1:
            return int(self._xm - self._p1 * v + u)
        if u <= self._p2:
            x = self._left + (u - self._p1) / self._c
            v = v * self._c + 1.0 - abs(self._xm - x) / self._p1
            k = int(x) if 0.0 < v <= 1.0 else -1
        elif u <= self._p3:
            k = int(self._left + elementary.log(v) / self._left_rate)
            v = v * (u - self._p2) * self._left_rate
        else:
            k = int(self._right - elementary.log(v) / self._right_rate)
            v = v * (u - self._p3) * self._right_rate
        return k if 0 <= k <= self._n and self._accept(k, v) else -1

    def _accept(self, k: int, v: float) -> bool:
        """Step 5: whether v is below the density at k over that at the mode."""
        far = abs(k - self._m)
        if far <= 20 or far >= self._npq / 2 - 1:
            return v <= self._quotient(k)
        bound = (far / self._npq) * ((far * (far / 3.0 + 0.625) + 0.1666666666666) / self._npq + 0.5)
        square = (far * far + 2**31) % 2**32 - 2**31  # a product of 32-bit numbers, as in RANLIB and R
        normal = -square / (2.0 * self._npq)
        log_v = elementary.log(v)
        if log_v < normal - bound:
            return True
        return log_v <= normal + bound and log_v <= self._log_quotient(k)

    def _quotient_by_recursion(self, k: int) -> float:
        """The quotient of the densities, factor by factor."""
        r = self._p / self._q
        g = (self._n + 1) * r
        f = 1.0
        for i in range(self._m + 1, k + 1):
            f *= g / i - r
        for i in range(k + 1, self._m + 1):
            f /= g / i - r
        return f

    def _log_quotient(self, k: int) -> float:
        """The logarithm of the quotient of the densities by Stirling's formula."""
        n, m = self._n, self._m
        x, f, z, w = k + 1.0, m + 1.0, n + 1.0 - m, n - k + 1.0
        return (
            (m + 0.5) * elementary.log(f / x)
            + (n - m + 0.5) * elementary.log(z / w)
            + (k - m) * elementary.log(w * self._p / (x * self._q))
            + _stirling(f)
            + _stirling(z)
            + _stirling(x)
            + _stirling(w)
        )
