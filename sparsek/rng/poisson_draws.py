"""Poisson draws.

References
----------
Ahrens & Dieter (1982), ACM Trans. Math. Software 8, 163-179 (algorithm PD, mean of at least 10, and table
lookup below). The constants are those of the public-domain program RANLIB.
"""

import math
from bisect import bisect_left
from functools import lru_cache

from sparsek.bits import elementary
from sparsek.rng import literal_draws
from sparsek.rng.draws import (
    Outputs,
    Sampler,
    constant,
)
from sparsek.rng.gamma_draws import safe_exp, series
from sparsek.rng.generator import exponential
from sparsek.rng.literal_draws import ROOT, TABLE

_A: tuple[float, ...] = tuple(literal_draws.PD_A.tolist())


def poisson_sampler(mu: float) -> Sampler:
    """Sampler of Poisson draws."""
    if not math.isfinite(mu) or mu < 0:
        return constant(math.nan)
    if mu == 0:
        return constant(0.0)
    return _Lookup(mu) if mu < 10 else _PD(mu)


class _Lookup:
    """Case B of PD: lookup in a table of the distribution function."""

    def __init__(self, mu: float) -> None:
        self._mu = mu
        self._p = elementary.exp(-mu)
        self._cumulated = [self._p]

    def _reach(self, u: float) -> None:
        """Go on with the table up to a probability, or to its end."""
        cumulated = self._cumulated
        while cumulated[-1] < u and len(cumulated) <= TABLE:
            self._p = self._p * self._mu / len(cumulated)
            cumulated.append(cumulated[-1] + self._p)

    def __call__(self, outputs: Outputs) -> float:
        while True:
            u = next(outputs)
            self._reach(u)
            k = bisect_left(self._cumulated, u)
            if k <= TABLE:
                return float(k)


class _PD:
    """Case A of PD: a rounded normal, corrected."""

    def __init__(self, mu: float) -> None:
        self._mu = mu
        self._s = math.sqrt(mu)
        self._d = 6.0 * mu * mu
        self._large = math.floor(mu - 1.1484)
        self._omega = ROOT / self._s
        b1 = 1.0 / (24.0 * mu)
        b2 = 0.3 * b1 * b1
        c3 = b1 * b2 / 7.0
        self._hermite = (
            1.0 - b1 + 3.0 * b2 - 15.0 * c3,
            b1 - 6.0 * b2 + 45.0 * c3,
            b2 - 15.0 * c3,
            c3,
        )
        self._c = 0.1069 / mu
        self._quotient = lru_cache(maxsize=4096)(self._terms)

    def _densities(self, k: float) -> tuple[float, float, float, float]:
        """Step F: logarithms and factors of the Poisson and the discrete normal probability."""
        x = (0.5 - (self._mu - k)) / self._s
        return *_poisson_density(self._mu, k), -0.5 * x * x, self._omega * series(self._hermite, x * x)

    def _terms(self, k: float) -> tuple[float, float]:
        """What step Q compares: k is taken with uniforms u for which f - u f is at most the second number."""
        px, py, fx, fy = self._densities(k)
        return fy, py * safe_exp(px - fx)

    def __call__(self, outputs: Outputs) -> float:
        g = self._mu + self._s * outputs.normal()
        if g >= 0:
            k = float(math.floor(g))
            if k >= self._large:
                return k
            u = next(outputs)
            missing = self._mu - k
            if self._d * u >= missing * missing * missing:
                return k
            fy, limit = self._quotient(k)
            if fy - u * fy <= limit:
                return k
        return self._corrected(outputs)

    def _corrected(self, outputs: Outputs) -> float:
        """Steps E to H: from a double exponential."""
        while True:
            e = exponential(outputs)
            u = 2.0 * next(outputs) - 1.0
            t = 1.8 - e if u < 0 else 1.8 + e
            if t <= -0.6744:
                continue
            k = float(math.floor(self._mu + self._s * t))
            px, py, fx, fy = self._densities(k)
            if self._c * abs(u) <= py * safe_exp(px + e) - fy * safe_exp(fx + e):
                return k


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
    return px, ROOT / math.sqrt(k)
