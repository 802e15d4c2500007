"""Draws by a formula of one uniform or normal."""

import math

from sparsek.bits import elementary
from sparsek.rng.draws import Outputs, Sampler, constant
from sparsek.rng.gamma_draws import safe_exp


def log_normal_sampler(mean: float, deviation: float) -> Sampler:
    """Sampler of log-normal draws."""
    if math.isnan(mean) or not 0 <= deviation < math.inf:
        return constant(math.nan)
    if deviation == 0 or math.isinf(mean):
        return constant(safe_exp(mean))
    return lambda outputs: safe_exp(mean + deviation * outputs.normal())


def weibull_sampler(shape: float, scale: float) -> Sampler:
    """Sampler of Weibull draws."""
    if scale == 0:
        return constant(0.0)
    if not (0 < shape < math.inf and 0 < scale < math.inf):
        return constant(math.nan)
    power = 1.0 / shape

    def draw(outputs: Outputs) -> float:
        base = -elementary.log(next(outputs))
        try:
            return scale * elementary.power(base, power)
        except OverflowError:
            return math.inf

    return draw


def cauchy_sampler(location: float, scale: float) -> Sampler:
    """Sampler of Cauchy draws."""
    if math.isnan(location) or not 0 <= scale < math.inf:
        return constant(math.nan)
    if scale == 0 or math.isinf(location):
        return constant(location)
    return lambda outputs: location + scale * math.tan(math.pi * next(outputs))


def logistic_sampler(location: float, scale: float) -> Sampler:
    """Sampler of logistic draws."""
    if math.isnan(location) or not math.isfinite(scale):
        return constant(math.nan)
    if scale == 0 or math.isinf(location):
        return constant(location)

    def draw(outputs: Outputs) -> float:
        u = next(outputs)
        return location + scale * elementary.log(u / (1.0 - u))

    return draw
