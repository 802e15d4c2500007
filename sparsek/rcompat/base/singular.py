"""Matrices that R's ``solve`` does not invert."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.errors import RError


def refuse_singular(matrix: FloatArray, triangles: FloatArray, remedy: str) -> None:
    """RError as R's ``solve`` for a matrix that is singular, or that rounding cannot tell from one.

    Shapes: matrix (p, p), triangles (p, p), its L and U in one.
    """
    zeros = 1 + np.flatnonzero(np.diag(triangles) == 0)
    if len(zeros):
        place = zeros[0]
        raise RError(f"Lapack routine dgesv: system is exactly singular: U[{place},{place}] = 0", remedy)
    size = float(np.abs(matrix).sum(axis=0).max())
    reciprocal = float(lapack.dgecon(triangles, size)[0])
    if reciprocal < np.finfo(float).eps:
        text = f"system is computationally singular: reciprocal condition number = {reciprocal:.6g}"
        raise RError(text, remedy)
