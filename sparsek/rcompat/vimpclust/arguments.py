"""Checks of the arguments of vimpclust's functions, with R's messages in R's order."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray, IntArray
from sparsek.errors import RError
from sparsek.inputs.containers import as_array
from sparsek.rcompat.base.data import RMatrix, as_matrix, as_number, as_vector
from sparsek.rcompat.vimpclust.algorithm import NO_TRUTH

NO_NUMBER = "invalid argument type"
"""R's message for what is not a whole number."""
NOT_FINITE = "Must provide data with only finite values."


def as_features(x: Any) -> RMatrix:
    """Data of two columns or more without missing and infinite values.

    Raises TypeError for anything but real numbers; RError with R's messages.
    """
    matrix = as_matrix(x, "X")
    check_features(matrix.values)
    return matrix


def check_features(values: FloatArray) -> None:
    """Refuse missing and infinite values, and a single column.

    Shapes: values (n, p).
    """
    if not np.isfinite(values).all():
        raise RError(NOT_FINITE, "impute or leave out missing and infinite values")
    if values.shape[1] < 2:
        message = "With only one variables, you should run standard k-means instead."
        raise RError(message, "X has one column")


def as_groups(index: Any, p: int) -> IntArray:
    """The group, from 1, of each of p features; by default each has its own.

    Shapes: returns (p,).
    """
    if index is None:
        return np.arange(1, p + 1)
    numbers = whole_vector(index, "index")
    if len(numbers) != p:
        raise ValueError(f"index must have a group for each of {p} features; got {len(numbers)}")
    if numbers.min() < 1:
        message = "An index of group is less than 1. index must be in [1;ncol(X)]."
        raise RError(message, f"the smallest is {numbers.min()}")
    if numbers.max() > p:
        message = "An index of group is bigger than the number of variables. index must be in [1;ncol(X)]."
        raise RError(message, f"the largest is {numbers.max()}, and there are {p} features")
    return numbers


def as_clusters(cl: Any, n: int) -> IntArray:
    """Clusters of n rows, numbered from 1 without gaps.

    Shapes: returns (n,).
    """
    labels = whole_vector(cl, "cl")
    if len(labels) != n:
        raise RError("arguments must have same length", f"cl has {len(labels)} labels, X has {n} rows")
    if labels.max() > n:
        message = "A number of group is bigger than the length of cl."
        raise RError(message, f"the largest is {labels.max()}; number clusters from 1")
    found = np.unique(labels)
    if found[0] != 1 or found[-1] != len(found):
        message = "dim(X) must have a positive length"
        raise RError(message, f"cl must hold 1, 2, ... without gaps; it holds {found.tolist()}")
    if len(found) < 2:
        raise RError("invalid 'type' (character) of argument", "cl must have two clusters or more")
    return labels


def whole_vector(value: Any, name: str) -> IntArray:
    """A vector of whole numbers.

    Shapes: returns (m,).
    """
    try:
        numbers = as_vector(value, name)
    except TypeError as error:
        raise RError(NO_NUMBER, f"{name} must hold whole numbers: {error}") from error
    if np.isnan(numbers).any():
        raise RError(NO_TRUTH, f"{name} must not be missing")
    if not len(numbers) or not (np.abs(numbers) < 2**31).all() or (numbers != np.floor(numbers)).any():
        raise RError(NO_NUMBER, f"{name} must hold whole numbers; got {value!r}")
    return numbers.astype(np.int64)


def whole_number(value: Any, name: str) -> int:
    """One whole number."""
    number = as_number(value, name)
    if not abs(number) < 2**31 or number != math.floor(number):
        raise RError(NO_NUMBER, f"{name} must be a whole number; got {value!r}")
    return int(number)


def as_boolean(value: Any, name: str) -> bool:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        raise RError(f"{name} must be a boolean.", f"got {value!r}")
    return bool(value)


def as_penalties(value: Any) -> FloatArray:
    """Penalties from 0.

    Shapes: returns (m,).
    """
    penalties = np.ravel(as_vector(np.ravel(as_array(value, "lambda")), "lambda"))
    if not len(penalties):
        raise ValueError("lambda is empty: give a number or more, or None for a grid")
    if np.isnan(penalties).any():
        raise RError(NO_TRUTH, "lambda must not be missing")
    if (penalties < 0).any():
        raise RError("Lambda must be positive.", f"the smallest is {penalties.min():g}")
    return penalties
