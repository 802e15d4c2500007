"""Poisson draws.

References
----------
Ahrens & Dieter (1982), ACM Trans. Math. Software 8, 163-179 (algorithm PD, mean of at least 10, and table
lookup below). The constants are those of the public-domain program RANLIB.
"""

import math
from bisect import bisect_left
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from sparsek.numerics import elementary
from sparsek.rcompat.arithmetic import literal_draws
from sparsek.rcompat.arithmetic.draws import (
    OPEN,
    BlockSampler,
    Outputs,
    Sampler,
    Values,
    constant,
    double_exponentials,
)
from sparsek.rcompat.arithmetic.gamma_draws import safe_exp, series
from sparsek.rcompat.arithmetic.generator import FloatArray, exponential, normal_quantile, pair_up
from sparsek.rcompat.arithmetic.literal_draws import ROOT, TABLE

_A: tuple[float, ...] = tuple(literal_draws.PD_A.tolist())


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
    return _Lookup(mu) if mu < 10 else _PD(mu)


class _Lookup(BlockSampler):
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

    def ahead(self, u: FloatArray) -> tuple[int, Values]:
        self._reach(math.inf)
        k = np.searchsorted(self._cumulated, u).astype(np.float64)
        k[k > TABLE] = np.nan
        return 1, k.__getitem__


class _PD(BlockSampler):
    """Case A of PD: a rounded normal, corrected."""

    takes_normals = True

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

    def ahead(self, u: FloatArray) -> tuple[NDArray[np.uint8], Values]:
        k = self._rounded_normals(pair_up(u[:-2], u[1:-1]))
        used = np.full(len(k), 2, dtype=np.uint8)
        below = np.flatnonzero(k < 0)
        doubtful = np.flatnonzero((k >= 0) & (k < self._large))
        used[doubtful] = 3
        third, missing = u[doubtful + 2], self._mu - k[doubtful]
        doubtful = doubtful[self._d * third < missing * missing * missing]
        if len(doubtful):
            values, of_value = np.unique(k[doubtful], return_inverse=True)
            terms = np.array([self._quotient(value) for value in values.tolist()])[of_value]
            fy, limit = terms.T
            doubtful = doubtful[fy - u[doubtful + 2] * fy > limit]
        for starts in below, doubtful:
            further, k[starts] = double_exponentials(u, starts + used[starts], self._judge)
            used[starts] = np.where(further == OPEN, OPEN, used[starts] + further)
        return used, k.__getitem__

    def _judge(self, e: FloatArray, u: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Steps E to H for many."""
        t = np.where(u < 0, 1.8 - e, 1.8 + e)
        k = np.floor(self._mu + self._s * t)
        excess = np.full(len(t), -1.0)
        on = np.flatnonzero(t > -0.6744)
        if len(on):
            values, of_value = np.unique(k[on], return_inverse=True)
            px, py, fx, fy = np.array([self._densities(value) for value in values.tolist()])[of_value].T
            with np.errstate(over="ignore", invalid="ignore"):
                poisson, normal = py * np.exp(px + e[on]), fy * np.exp(fx + e[on])
                excess[on] = poisson - normal - self._c * np.abs(u[on])
            excess[on[np.abs(excess[on]) < 1e-9 * (poisson + np.abs(normal) + self._c)]] = np.nan
        return k, excess

    def _rounded_normals(self, p: FloatArray) -> FloatArray:
        """Step N for probabilities p; R's own quantiles decide where the rounding is in doubt."""
        g: FloatArray = self._mu + self._s * ndtri(p)
        doubt = np.abs(g - np.rint(g)) < 1e-12 * self._s + 1e-15 * self._mu
        g[doubt] = self._mu + self._s * normal_quantile(p[doubt])
        return np.floor(g)


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
