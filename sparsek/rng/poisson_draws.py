"""Poisson draws.

References
----------
Ahrens & Dieter (1982), ACM Trans. Math. Software 8, 163-179 (algorithm PD, mean of at least 10, and table
lookup below). The constants are those of the public-domain program RANLIB.
"""

import math
from functools import lru_cache

from sparsek.rng import literal_draws
from sparsek.rng.draws import Sampler, constant, in_python

_fill_table = in_python(literal_draws.fill_table)
_by_table = in_python(literal_draws.poisson_by_table)
_setup = in_python(literal_draws.poisson_setup)
_by_normal = in_python(
    literal_draws.poisson_by_normal,
    poisson_density=lru_cache(maxsize=4096)(in_python(literal_draws.poisson_density)),
    normal_density=lru_cache(maxsize=4096)(in_python(literal_draws.normal_density)),
)


def poisson_sampler(mu: float) -> Sampler:
    """Sampler of Poisson draws."""
    if not math.isfinite(mu) or mu < 0:
        return constant(math.nan)
    if mu == 0:
        return constant(0.0)
    if mu < 10:
        table = [0.0] * (literal_draws.TABLE + 1)
        _fill_table(mu, table)
        return lambda outputs: _by_table(outputs, mu, table)
    setup = _setup(mu)
    return lambda outputs: _by_normal(outputs, setup)
