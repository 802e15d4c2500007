"""Gamma and beta draws.

References
----------
Ahrens & Dieter (1982), Comm. ACM 25, 47-54 (algorithm GD, shape of at least 1); Ahrens & Dieter (1974),
Computing 12, 223-246 (algorithm GS, shape below 1); Cheng (1978), Comm. ACM 21, 317-322 (algorithms BB, BC).
The constants are those of the public-domain program RANLIB.
"""

import math
import sys

from sparsek.bits import elementary
from sparsek.rng import literal_draws
from sparsek.rng.draws import (
    Outputs,
    Sampler,
    constant,
)
from sparsek.rng.generator import (
    exponential,
)

_Q: tuple[float, ...] = tuple(literal_draws.GD_Q.tolist())
_A: tuple[float, ...] = tuple(literal_draws.GD_A.tolist())


def safe_exp(x: float) -> float:
    """Exponential, infinite where the result is too large for a double."""
    return elementary.exp(x) if x < literal_draws.LARGEST_EXPONENT else math.inf


def series(coefficients: tuple[float, ...], x: float) -> float:
    """Polynomial by Horner's rule."""
    value = 0.0
    for c in reversed(coefficients):
        value = value * x + c
    return value


def gamma_sampler(shape: float, scale: float) -> Sampler:
    """Sampler of gamma draws, with R's answers for special parameters."""
    if math.isnan(shape) or math.isnan(scale):
        return constant(math.nan)
    if shape == 0 or scale == 0:
        return constant(0.0)
    if shape < 0 or scale < 0:
        return constant(math.nan)
    if math.isinf(shape) or math.isinf(scale):
        return constant(math.inf)
    return _GS(shape, scale) if shape < 1 else _GD(shape, scale)


class _GS:
    """Algorithm GS."""

    def __init__(self, shape: float, scale: float) -> None:
        self._shape, self._scale = shape, scale
        self._b = 1.0 + 0.36787944117144233 * shape

    def __call__(self, outputs: Outputs) -> float:
        while True:
            p = self._b * next(outputs)
            if p >= 1.0:
                x = -elementary.log((self._b - p) / self._shape)
                if exponential(outputs) >= (1.0 - self._shape) * elementary.log(x):
                    return self._scale * x
            else:
                x = elementary.exp(elementary.log(p) / self._shape)
                if exponential(outputs) >= x:
                    return self._scale * x


def _hat(shape: float, s: float) -> tuple[float, float, float]:
    """Step 4 of GD: place and scale of the double exponential hat, and its factor."""
    s2 = shape - 0.5
    if shape <= 3.686:
        return 0.463 + s + 0.178 * s2, 1.235, 0.195 / s - 0.079 + 0.16 * s
    if shape <= 13.022:
        return 1.654 + 0.0076 * s2, 1.68 / s + 0.275, 0.062 / s + 0.024
    return 1.77, 0.75, 0.1515 / s


class _GD:
    """Algorithm GD."""

    def __init__(self, shape: float, scale: float) -> None:
        self._scale = scale
        self._s2 = shape - 0.5
        self._s = math.sqrt(self._s2)
        self._d = math.sqrt(32.0) - self._s * 12.0
        r = 1.0 / shape
        self._q0 = series(_Q, r) * r
        self._b, self._si, self._c = _hat(shape, self._s)

    def _quotient(self, t: float) -> float:
        """Steps 6 and 10: logarithm of the quotient of the densities."""
        v = t / (self._s + self._s)
        if abs(v) <= 0.25:
            return self._q0 + 0.5 * t * t * series(_A, v) * v
        return self._q0 - self._s * t + 0.25 * t * t + (self._s2 + self._s2) * elementary.log(1.0 + v)

    def __call__(self, outputs: Outputs) -> float:
        t = outputs.normal()
        x = self._s + 0.5 * t
        if t >= 0:
            return self._scale * (x * x)
        u = next(outputs)
        if self._d * u <= t * t * t:
            return self._scale * (x * x)
        if x > 0 and elementary.log(1.0 - u) <= self._quotient(t):
            return self._scale * (x * x)
        return self._corrected(outputs)

    def _corrected(self, outputs: Outputs) -> float:
        """Steps 8 to 12: from a double exponential."""
        while True:
            e = exponential(outputs)
            u = next(outputs)
            u = u + u - 1.0
            t = self._b - self._si * e if u < 0 else self._b + self._si * e
            if t < -0.71874483771719:
                continue
            q = self._quotient(t)
            if q > 0 and self._c * abs(u) <= (safe_exp(q) - 1.0) * safe_exp(e - 0.5 * t * t):
                x = self._s + 0.5 * t
                return self._scale * x * x  # multiplied from the left here, as R does


def chi_square_sampler(df: float) -> Sampler:
    """Sampler of chi-square draws."""
    return gamma_sampler(df / 2.0, 2.0) if math.isfinite(df) else constant(math.nan)


def beta_sampler(shape1: float, shape2: float) -> Sampler:
    """Sampler of beta draws, with R's answers for special parameters."""
    if math.isnan(shape1) or math.isnan(shape2) or min(shape1, shape2) < 0:
        return constant(math.nan)
    if math.isinf(shape1) and math.isinf(shape2):
        return constant(0.5)
    if shape1 == 0 and shape2 == 0:
        return lambda outputs: 0.0 if next(outputs) < 0.5 else 1.0
    if math.isinf(shape1) or shape2 == 0:
        return constant(1.0)
    if math.isinf(shape2) or shape1 == 0:
        return constant(0.0)
    low, high = min(shape1, shape2), max(shape1, shape2)
    return _beta_bb(shape1, low, high) if low > 1 else _beta_bc(shape1, high, low)


def _odds(factor: float, beta: float, u: float) -> tuple[float, float]:
    """V and W of Cheng's algorithms; W is at most the largest double."""
    v = beta * elementary.log(u / (1.0 - u))
    return v, min(factor * safe_exp(v), sys.float_info.max)


def _beta_bb(shape1: float, a: float, b: float) -> Sampler:
    """Algorithm BB; a is the smaller shape."""
    alpha = a + b
    beta = math.sqrt((alpha - 2.0) / (2.0 * a * b - alpha))
    gamma = a + 1.0 / beta if beta > 0 else math.inf

    def draw(outputs: Outputs) -> float:
        while True:
            u1, u2 = next(outputs), next(outputs)
            v, w = _odds(a, beta, u1)
            z = u1 * u1 * u2
            r = gamma * v - 1.3862944
            s = a + r - w
            if s + 2.609438 >= 5.0 * z:
                break
            t = elementary.log(z)
            if s > t or not r + alpha * elementary.log(alpha / (b + w)) < t:
                break
        return w / (b + w) if shape1 == a else b / (b + w)

    return draw


def _beta_bc(shape1: float, a: float, b: float) -> Sampler:
    """Algorithm BC; a is the larger shape."""
    alpha = a + b
    beta = 1.0 / b
    delta = 1.0 + a - b
    k1 = delta * (0.0138889 + 0.0416667 * b) / (a * beta - 0.777778)
    k2 = 0.25 + (0.5 + 0.25 / delta) * b

    def draw(outputs: Outputs) -> float:
        while True:
            u1, u2 = next(outputs), next(outputs)
            if u1 < 0.5:
                y = u1 * u2
                z = u1 * y
                if 0.25 * u2 + z - y >= k1:
                    continue
            else:
                z = u1 * u1 * u2
                if z <= 0.25:
                    _, w = _odds(a, beta, u1)
                    break
                if z >= k2:
                    continue
            v, w = _odds(a, beta, u1)
            if not alpha * (elementary.log(alpha / (b + w)) + v) - 1.3862944 < elementary.log(z):
                break
        return b / (b + w) if shape1 == b else w / (b + w)

    return draw
