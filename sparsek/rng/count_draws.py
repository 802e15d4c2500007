"""Geometric and negative binomial draws: Poisson draws with exponential and gamma means."""

import math
import sys
from collections.abc import Callable

from sparsek.rng.draws import Sampler, constant
from sparsek.rng.exponentials import exponential
from sparsek.rng.gamma_draws import gamma_sampler
from sparsek.rng.poisson_draws import poisson_sampler


def geometric_sampler(prob: float) -> Sampler:
    """Sampler of geometric draws: Poisson ones with an exponential mean."""
    if not 0 < prob <= 1:
        return constant(math.nan)
    odds = (1.0 - prob) / prob
    return lambda outputs: poisson_sampler(exponential(outputs) * odds)(outputs)


def negative_binomial_sampler(size: float, prob: float) -> Sampler:
    """Sampler of negative binomial draws by size and probability."""
    if not size > 0 or not 0 < prob <= 1:
        return constant(math.nan)
    if prob == 1:
        return constant(0.0)
    return _poisson_of_gamma(size, lambda finite: (1.0 - prob) / prob)


def negative_binomial_sampler_mu(size: float, mu: float) -> Sampler:
    """Sampler of negative binomial draws by size and mean."""
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
