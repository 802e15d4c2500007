"""Normal quantiles by algorithm AS 241 (PPND16), in the operation order that R uses.

Source: Wichura (1988), Applied Statistics 37, 477-484. ``scipy.special.ndtri`` is as accurate but
agrees with R to the last bit in only a third of the draws.
"""

import math

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

# Coefficients of AS 241 from the constant term up: A/B for the centre, C/D for the tails, E/F far out.
_A = (3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
      45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727)  # fmt: skip
_B = (1.0, 42.313330701600911252, 687.18700749205790830, 5394.1960214247511077,
      21213.794301586595867, 39307.895800092710610, 28729.085735721942674, 5226.4952788528545610)  # fmt: skip
_C = (1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504,
      1.27045825245236838258, 0.241780725177450611770, 0.0227238449892691845833,
      7.74545014278341407640e-4)  # fmt: skip
_D = (1.0, 2.05319162663775882187, 1.67638483018380384940, 0.689767334985100004550,
      0.148103976427480074590, 0.0151986665636164571966, 5.47593808499534494600e-4,
      1.05075007164441684324e-9)  # fmt: skip
_E = (6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580, 0.296560571828504891230,
      0.0265321895265761230930, 0.00124266094738807843860, 2.71155556874348757815e-5,
      2.01033439929228813265e-7)  # fmt: skip
_F = (1.0, 0.599832206555887937690, 0.136929880922735805310, 0.0148753612908506148525,
      7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
      2.04426310338993978564e-15)  # fmt: skip


def _polynomial(coefficients: tuple[float, ...], r: FloatArray) -> FloatArray:
    """Horner's rule, highest power first."""
    value = coefficients[-1] * r + coefficients[-2]
    for c in coefficients[-3::-1]:
        value = value * r + c
    return value


def _tail_quantile(c: FloatArray, p: FloatArray) -> FloatArray:
    """AS 241 for ``|p - 0.5| > 0.425``; 0 and 1 give the infinities."""
    m = np.where(c < 0, p, (0.5 - p) + 0.5)
    # The C library's log, value by value: numpy's vector log differs in the last bit on some machines.
    logs = np.array([math.log(v) if v > 0 else -math.inf for v in m.tolist()])
    r = np.sqrt(-logs)
    value = np.full(r.shape, math.inf)
    near = r <= 5
    s = r[near] - 1.6
    value[near] = _polynomial(_C, s) / _polynomial(_D, s)
    far = ~near & np.isfinite(r)
    s = r[far] - 5
    value[far] = _polynomial(_E, s) / _polynomial(_F, s)
    return np.where(c < 0, -value, value)


def normal_quantile(p: FloatArray) -> FloatArray:
    """Quantiles of the standard normal distribution, equal to R's ``qnorm`` bit for bit.

    Parameters
    ----------
    p : ndarray of shape (n,)
        Probabilities in [0, 1].

    Returns
    -------
    ndarray of shape (n,)
        Quantiles; minus and plus infinity at 0 and 1.

    Notes
    -----
    Source: Wichura (1988), algorithm AS 241, function PPND16.
    """
    c = p - 0.5
    tail = np.abs(c) > 0.425
    r = 0.180625 - c * c
    value = c * _polynomial(_A, r) / _polynomial(_B, r)
    if tail.any():
        value[tail] = _tail_quantile(c[tail], p[tail])
    return value
