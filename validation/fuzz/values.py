"""Matrices of every kind: ordinary ones, ties, the edges of floating point, too few rows."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Random = np.random.Generator
Matrix = NDArray[np.float64]
SIZES = {"rows": (8, 40), "columns": (2, 8)}
"""Rows and columns of the matrices, both ends included."""
LARGEST = float(np.finfo(np.float64).max)
SMALLEST = 5e-324


def _shape(r: Random) -> tuple[int, int]:
    return int(r.integers(SIZES["rows"][0], SIZES["rows"][1] + 1)), int(
        r.integers(SIZES["columns"][0], SIZES["columns"][1] + 1)
    )


def blobs(r: Random) -> Matrix:
    """Three groups that differ in the first half of the columns."""
    n, p = _shape(r)
    X = r.normal(size=(n, p))
    X[:, : (p + 1) // 2] += 6.0 * r.permutation(np.arange(n) % 3)[:, None]
    return X


def normal(r: Random) -> Matrix:
    """Noise without groups."""
    return r.normal(size=_shape(r))


def ties(r: Random) -> Matrix:
    """Few whole numbers."""
    return r.integers(0, 3, size=_shape(r)).astype(float)


def rounded(r: Random) -> Matrix:
    """Groups measured in whole numbers or tenths."""
    return np.round(blobs(r), int(r.integers(2)))


def grades(r: Random) -> Matrix:
    """Groups of answers from 0 to 4, such as a questionnaire's."""
    X = blobs(r)
    return np.clip(np.round(X / 3), 0, 4)


def duplicates(r: Random) -> Matrix:
    """Few distinct rows."""
    X = normal(r)
    return X[r.integers(0, int(r.integers(1, 4)), size=len(X))]


def constant_columns(r: Random) -> Matrix:
    """Some columns without variation."""
    X = blobs(r)
    X[:, r.random(X.shape[1]) < 0.5] = r.choice([0.0, 0.1, -3e7])
    return X


def all_equal(r: Random) -> Matrix:
    """One value everywhere."""
    return np.full(_shape(r), r.choice([0.0, 0.1, -1e300, SMALLEST, 2.5]))


def one_row(r: Random) -> Matrix:
    """A single row."""
    return normal(r)[:1]


def one_column(r: Random) -> Matrix:
    """A single column."""
    return blobs(r)[:, :1]


def few_rows(r: Random) -> Matrix:
    """Two to five rows."""
    return normal(r)[: int(r.integers(2, 6))]


def tiny(r: Random) -> Matrix:
    """A scale whose squares underflow."""
    return blobs(r) * r.choice([1e-150, 1e-200, 1e-300])


def subnormal(r: Random) -> Matrix:
    """Multiples of the smallest positive number."""
    return r.integers(0, 50, size=_shape(r)) * SMALLEST


def huge(r: Random) -> Matrix:
    """A scale whose squares overflow."""
    return blobs(r) * r.choice([1e100, 1e154, 1e200, 1e300])


def largest(r: Random) -> Matrix:
    """The largest number, with both signs."""
    return np.where(r.random(_shape(r)) < 0.5, -1, 1) * LARGEST


def mixed_scales(r: Random) -> Matrix:
    """Columns of scales from 1e-300 to 1e300."""
    X = blobs(r)
    return X * 10.0 ** r.choice([-300, -150, -20, 0, 20, 150, 300], size=X.shape[1])


def huge_cell(r: Random) -> Matrix:
    """One cell far from all others."""
    X = blobs(r)
    X[r.integers(len(X)), r.integers(X.shape[1])] = r.choice([1e11, -1e16, 1e160, 1e300, LARGEST])
    return X


def offset(r: Random) -> Matrix:
    """Groups on top of a large constant."""
    return blobs(r) + r.choice([1e6, -1e9, 1e15])


def holes(r: Random) -> Matrix:
    """Some missing cells."""
    X = blobs(r)
    X[r.random(X.shape) < 0.15] = np.nan
    return X


def missing_row(r: Random) -> Matrix:
    """A row, a column or everything missing."""
    X = blobs(r)
    where = int(r.integers(3))
    X[(int(r.integers(len(X))) if where == 0 else slice(None), 0 if where == 1 else slice(None))] = np.nan
    return X


def infinite(r: Random) -> Matrix:
    """An infinite cell."""
    X = blobs(r)
    X[r.integers(len(X)), r.integers(X.shape[1])] = r.choice([np.inf, -np.inf])
    return X


def negative_zero(r: Random) -> Matrix:
    """Zeros of both signs among ones."""
    return r.choice([0.0, -0.0, 1.0], size=_shape(r))


def outliers(r: Random) -> Matrix:
    """Groups and a few distant rows."""
    X = blobs(r)
    X[:: int(r.integers(5, 12))] *= 50
    return X


def empty(r: Random) -> Matrix:
    """No rows, or no columns."""
    n, p = _shape(r)
    return np.zeros((0, p) if r.random() < 0.5 else (n, 0))


MAKERS: dict[str, tuple[float, Callable[[Random], Matrix]]] = {
    "blobs": (8, blobs),
    "normal": (3, normal),
    "ties": (7, ties),
    "rounded": (5, rounded),
    "grades": (7, grades),
    "duplicates": (1.5, duplicates),
    "constant columns": (1.5, constant_columns),
    "all equal": (1, all_equal),
    "one row": (0.5, one_row),
    "one column": (1.5, one_column),
    "few rows": (1, few_rows),
    "tiny": (1, tiny),
    "subnormal": (0.5, subnormal),
    "huge": (1, huge),
    "largest": (0.5, largest),
    "mixed scales": (1, mixed_scales),
    "huge cell": (1, huge_cell),
    "offset": (1, offset),
    "holes": (1.5, holes),
    "missing row": (0.5, missing_row),
    "infinite": (0.5, infinite),
    "negative zero": (0.5, negative_zero),
    "outliers": (1, outliers),
    "empty": (0.3, empty),
}
"""Weight and maker of each kind of matrix."""

GENERIC = ("blobs", "normal", "outliers")
"""Kinds without ties, near the middle of the exponents: here rounding decides nothing."""


def draw(r: Random) -> tuple[str, Matrix]:
    """A kind of matrix and a matrix of this kind."""
    weights = np.array([weight for weight, _ in MAKERS.values()])
    kind = str(r.choice(list(MAKERS), p=weights / weights.sum()))
    return kind, MAKERS[kind][1](r)
