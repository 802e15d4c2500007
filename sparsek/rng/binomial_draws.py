"""Binomial draws.

References
----------
Kachitvichyanukul & Schmeiser (1988), Comm. ACM 31, 216-222 (algorithm BTPE, mean of at least 30, and
inversion below). The constants are those of the public-domain program RANLIB.
"""

import math
from functools import lru_cache

from sparsek.bits import elementary
from sparsek.rng import literal_draws
from sparsek.rng.draws import Sampler, constant, in_python

_TOO_MANY = 2**31 - 1
_setup = in_python(literal_draws.binomial_setup)
_by_inversion = in_python(literal_draws.binomial_by_inversion)
_by_btpe = in_python(
    literal_draws.binomial_by_btpe,
    accepts=in_python(
        literal_draws.accepts, mode_quotient=lru_cache(maxsize=4096)(literal_draws.mode_quotient.plain)
    ),
)


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
    rare = _rare_sampler(n, min(prob, 1.0 - prob))
    return (lambda outputs: n - rare(outputs)) if prob > 0.5 else rare


def _rare_sampler(n: int, p: float) -> Sampler:
    """Sampler for a probability of at most a half."""
    if n * p >= 30:
        setup = _setup(n, p)
        return lambda outputs: _by_btpe(outputs, setup)
    r = p / (1.0 - p)
    start, g = elementary.power(1.0 - p, float(n)), r * (n + 1)
    return lambda outputs: _by_inversion(outputs, start, r, g)
