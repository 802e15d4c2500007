"""Probabilities of the standard normal distribution with R's bits.

References
----------
Cody, W. J. (1969). Rational Chebyshev approximations for the error function. Mathematics of Computation 23,
631-637.
Cody, W. J. (1993). Algorithm 715: SPECFUN, function ANORM. ACM Transactions on Mathematical Software 19,
22-32.
"""

from __future__ import annotations

import math

from sparsek.bits.elementary import exp

A = (2.2352520354606839287, 161.02823106855587881, 1067.6894854603709582, 18154.981253343561249)
A_SQUARED = 0.065682337918207449113
B = (47.20258190468824187, 976.09855173777669322, 10260.932208618978205, 45507.789335026729956)
C = (
    *(0.39894151208813466764, 8.8831497943883759412, 93.506656132177855979, 597.27027639480026226),
    *(2494.5375852903726711, 6848.1904505362823326, 11602.651437647350124, 9842.7148383839780218),
)
C_SQUARED = 1.0765576773720192317e-8
D = (
    *(22.266688044328115691, 235.38790178262499861, 1519.377599407554805, 6485.558298266760755),
    *(18615.571640885098091, 34900.952721145977266, 38912.003286093271411, 19685.429676859990727),
)
P = (
    *(0.21589853405795699, 0.1274011611602473639, 0.022235277870649807),
    *(0.001421619193227893466, 2.9112874951168792e-5),
)
P_SQUARED = 0.02307344176494017303
Q = (
    *(1.28426009614491121, 0.468238212480865118, 0.0659881378689285515),
    *(0.00378239633202758244, 7.29751555083966205e-5),
)
ROOT_OF_32 = 5.656854249492380195206754896838
ONE_OVER_ROOT_OF_2_PI = 0.398942280401432677939946059934
CENTRE = 0.67448975
"""Up to here the rational function of the centre is used."""
LOWEST, HIGHEST = -37.5193, 8.2924
"""Outside of these the probability is 0 or 1."""


def normal_probability(x: float) -> float:
    """Probability of a standard normal number up to x, equal to R's ``pnorm`` bit for bit.

    Source: Cody (1993), function ANORM.
    """
    if math.isnan(x):
        return x
    y = abs(x)
    if y <= CENTRE:
        return 0.5 + _centre(x)
    if not LOWEST < x < HIGHEST:
        return 0.0 if x < 0 else 1.0
    tail = _middle(y) if y <= ROOT_OF_32 else _tail(y)
    # The square of `whole` is exact, so that exp(-y^2 / 2) as a product of two loses few digits.
    whole = math.trunc(y * 16) / 16
    rest = (y - whole) * (y + whole)
    tail = exp(-whole * whole * 0.5) * exp(-rest * 0.5) * tail
    return 1.0 - tail if x > 0 else tail


def _centre(x: float) -> float:
    """The probability above one half, near 0."""
    # ANORM takes the square of so small a number as 0.
    squared = x * x if abs(x) > 2.0**-53 else 0.0
    above, below = A_SQUARED * squared, squared
    for a, b in zip(A[:3], B[:3], strict=True):
        above, below = (above + a) * squared, (below + b) * squared
    return x * (above + A[3]) / (below + B[3])


def _middle(y: float) -> float:
    """The tail over the density's exponential, up to the root of 32."""
    above, below = C_SQUARED * y, y
    for c, d in zip(C[:7], D[:7], strict=True):
        above, below = (above + c) * y, (below + d) * y
    return (above + C[7]) / (below + D[7])


def _tail(y: float) -> float:
    """The tail over the density's exponential, from the root of 32 on."""
    # Far out the tail is the density times 1 / y less a rational function of 1 / y^2.
    squared = 1.0 / (y * y)
    above, below = P_SQUARED * squared, squared
    for p, q in zip(P[:4], Q[:4], strict=True):
        above, below = (above + p) * squared, (below + q) * squared
    ratio = squared * (above + P[4]) / (below + Q[4])
    return (ONE_OVER_ROOT_OF_2_PI - ratio) / y
