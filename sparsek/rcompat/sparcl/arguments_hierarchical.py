"""Checks of the arguments of sparcl's hierarchical functions, with R's messages."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.caller import warn_as_r
from sparsek.bits.correlation import standardize_rows
from sparsek.bits.ordered_arithmetic import FloatArray, l2_norm, long_sum
from sparsek.errors import RError
from sparsek.inputs.containers import numbers
from sparsek.rcompat.base.data import RMatrix, as_flag, as_matrix, as_numbers, as_vector, shape_of
from sparsek.rcompat.sparcl.pair_distances import pair_distances, require_memory

SYMMETRIC = 1e-10
"""Largest sum of absolute differences between ``uorth`` and its transpose."""


def match_arg(value: str, choices: tuple[str, ...], name: str) -> str:
    """The choice that starts with the given text, as R's ``match.arg``."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be one of {', '.join(choices)}; got {value!r}")
    found = [choice for choice in choices if value and choice.startswith(value)]
    if len(found) == 1:
        return found[0]
    quoted = ", ".join(f"\u201c{choice}\u201d" for choice in choices)
    raise RError(f"'arg' should be one of {quoted}", f"{name} is {value!r}")


def matrix_of_rows(x: Any) -> RMatrix:
    """The data as a matrix of at least two rows."""
    if len(shape_of(x, "x")) == 1:
        raise ValueError("x must be a matrix of n rows and p columns; got one dimension: x.reshape(-1, 1)?")
    matrix = as_matrix(x)
    if len(matrix.values) < 2:
        raise ValueError("x must have at least 2 rows to be clustered; got 1")
    return matrix


def as_bounds(wbounds: ArrayLike) -> FloatArray:
    """The given bounds as a vector."""
    bounds = as_vector(wbounds, "wbounds")
    if bounds.size == 0 or np.isnan(bounds).any():
        raise ValueError(f"wbounds must be a vector of numbers above 1; got {wbounds!r}")
    return bounds


def standardized_on_request(matrix: RMatrix | None, standardize: bool) -> FloatArray | None:
    """The data, standardised by row on request."""
    if not as_flag(standardize, "standardize_arrays"):
        return None if matrix is None else matrix.values
    if matrix is None:
        raise RError("Cannot standardize arrays if x not given.", "pass the data as x")
    return standardize_rows(matrix.values)


def as_distances(
    x: FloatArray | None, dists: ArrayLike | None, squared: bool, limit: float
) -> tuple[FloatArray, Any]:
    """Distances (p, N), computed from x or taken from `dists`; and `dists` as an array, or None."""
    if dists is None:
        assert x is not None
        if np.isinf(x).any():
            raise RError(
                "NA/NaN/Inf in foreign function call (arg 1)", "x must not be infinite: drop these rows"
            )
        require_memory(x.shape, limit)
        return pair_distances(x, squared), None
    given = np.asarray(numbers(dists, "dists", holes=True))
    if given.ndim != 2 or given.dtype.kind not in "iuf" or given.size == 0:
        raise TypeError(
            f"dists must be a matrix of real numbers; got shape {given.shape}, dtype {given.dtype}"
        )
    n_pairs, p = given.shape
    n = objects_of(n_pairs)
    if x is not None and x.shape != (n, p):
        raise ValueError(f"dists are those of {n} rows and {p} columns, but x has shape {x.shape}")
    columns = given.T
    if columns.dtype != np.float64 or not columns.flags.c_contiguous:
        require_memory((n, p), limit)
    return np.ascontiguousarray(columns, dtype=np.float64), given


def objects_of(n_pairs: int) -> int:
    """The number of objects that R takes so many pairs for."""
    return math.ceil(math.sqrt(2 * n_pairs))


def all_pairs(u: FloatArray) -> FloatArray:
    """Dissimilarities of all pairs of objects: those given, repeated or cut off to a triangle."""
    n = objects_of(len(u))
    if n * (n - 1) // 2 == len(u):
        return u
    if len(u) > n * (n - 1) // 2 or n * (n - 1) // 2 % len(u):
        warn_as_r("number of items to replace is not a multiple of replacement length")
    return np.resize(u, n * (n - 1) // 2)


def as_direction(uorth: ArrayLike) -> FloatArray:
    """The lower triangle of a symmetric matrix, column by column, scaled to unit length."""
    matrix = as_numbers(uorth, "uorth")
    if matrix.ndim != 2:
        raise ValueError(f"uorth must be a symmetric matrix, the u of an earlier result; got {matrix.ndim}-d")
    if matrix.shape[0] != matrix.shape[1]:
        raise RError("non-conformable arrays", f"uorth must be square; got shape {matrix.shape}")
    asymmetry = long_sum(np.abs(matrix - matrix.T))
    if math.isnan(asymmetry):
        raise RError("missing value where TRUE/FALSE needed", "uorth must not have missing values")
    if asymmetry > SYMMETRIC:
        raise RError(
            "Uorth must be symmetric!!!!!!!!!!", f"it differs from its transpose by {asymmetry:g} in sum"
        )
    triangle = matrix.T[np.triu_indices(len(matrix), 1)]
    with np.errstate(divide="ignore", invalid="ignore"):
        return triangle / l2_norm(triangle)
