"""How far eigenvectors of two solvers, and what follows from them, may lie apart, by R's own matrix."""

from collections.abc import Mapping

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray

STOP = 1e-10
"""Relative residual at which R's Krylov solver stops: the default ``tol`` of RSpectra."""
EPSILON = float(np.finfo(float).eps)
FLOOR = EPSILON ** (2 / 3)
"""Eigenvalues below this count as this in the rule by which the solver stops."""
TAU = 80.0
"""The tau scale moves by at most this times the largest move of a value.

With d the largest move, the median moves by d and the median deviation s by 2 d. A weight w(t) has slope 1.54
at most and t moves by 2.5 d / s, so each weight moves by 4 d / s. Values of weight above 0 lie within 9 s of
their mean, and the weights sum to .45 n at least, because half of the values have weight .9. So the weighted
mean moves by 4 * 9 / .45 d, and by less than 80 d all in all. The scale, a root mean square of
min(|x - mean|, 3 s), moves no further.
"""


def limit_axes(theirs: Mapping[str, FloatArray], x: FloatArray) -> dict[str, FloatArray]:
    """Largest differences of eigenvectors, scores and their scales that two right solvers can have.

    A vector with residual r lies within r / gap of the eigenvector, where gap is the distance of its
    eigenvalue from the others (Davis and Kahan 1970). The factor 2 covers the way from the sine of the angle
    to the length of the difference, and the error of the gap itself.

    Shapes: x (n, p).
    """
    if "vectors" not in theirs:
        return {}
    matrix = theirs["covmedian"]
    p, count = len(matrix), theirs["vectors"].size // len(matrix)
    values = np.linalg.eigvalsh(matrix)
    kept = np.sort(np.argsort(-np.abs(values), kind="stable")[:count])[::-1]
    gaps = np.abs(values[kept, None] - values[None])
    gaps[np.arange(count), kept] = np.inf
    sizes = np.abs(values)
    residuals = STOP * np.maximum(sizes[kept], FLOOR) + 2 * p * EPSILON * sizes.max()
    with np.errstate(divide="ignore"):
        angles = np.minimum(2 * residuals / gaps.min(axis=1), 1.0)  # of equal eigenvalues any vector will do
    lengths = np.sqrt(((x - theirs["median"].reshape(1, -1)) ** 2).sum(axis=1))
    return {
        "vectors": angles,
        "scores": lengths[:, None] * angles,
        "sdev": TAU * lengths.max() * angles,
    }


LIMITS = dict.fromkeys(("GmedianCov", "WeiszfeldCov"), limit_axes)
"""Limits, by the name of the R function."""
