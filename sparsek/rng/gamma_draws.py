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
    in_python,
)

safe_exp = in_python(literal_draws.safe_exp)
_gamma_setup = in_python(literal_draws.gamma_setup)
_gamma_below_1 = in_python(literal_draws.gamma_below_1)
_gamma_from_1 = in_python(literal_draws.gamma_from_1)


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
    if shape < 1:
        return lambda outputs: _gamma_below_1(outputs, shape, scale)
    setup = _gamma_setup(shape)
    return lambda outputs: _gamma_from_1(outputs, setup, scale)


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
