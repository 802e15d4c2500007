"""Arguments and sums of squares that the functions of ``wskm`` share, with R's errors in R's order."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from sparsek.bits.caller import warn_as_r
from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, sequential_sum
from sparsek.errors import RError
from sparsek.rcompat.base.data import RMatrix, as_matrix, as_number, shape_of
from sparsek.rcompat.base.factors import as_labels
from sparsek.rng import RRandom

BAD_LENGTH = "invalid 'length' argument"
NO_CENTERS_LEFT = "length of 'dimnames' [1] not equal to array extent"
NOT_FINITE = "NA/NaN/Inf in foreign function call (arg {})"
LARGEST_SIZE = 2.0**52
"""Largest length of a vector in R."""
NOT_INTEGER = "NAs in foreign function call (arg {})"


def wskm_data(x: Any) -> RMatrix:
    """The data as a matrix."""
    if len(shape_of(x, "x")) == 1:
        raise RError(BAD_LENGTH, "x has one dimension; it must be a matrix: x.reshape(-1, 1)?")
    return as_matrix(x)


def start_argument(centers: Any, p: int) -> int | FloatArray:
    """The number of clusters, or the matrix of starting centres."""
    if centers is None:
        raise RError("the number or initial clusters 'centers' must be provided", "e.g. centers=3")
    shape = shape_of(centers, "centers")
    if len(shape) == 2:
        matrix = as_matrix(centers, "centers").values
        if matrix.shape[1] != p:
            raise ValueError(
                f"centers must have {p} columns as x; got {matrix.shape[1]} (R reads outside its memory)"
            )
        return matrix
    if math.prod(shape) != 1:
        raise RError(BAD_LENGTH, f"centers must be a number or a matrix with {p} columns")
    k = as_number(centers, "centers")
    if math.isnan(k):
        raise RError("vector size cannot be NA/NaN", "centers must be a number")
    if math.isinf(k):
        raise RError("vector size cannot be infinite", "centers must be finite")
    if k < 0:
        raise RError(BAD_LENGTH, f"centers must be at least 1; got {k:g}")
    if k != int(k):
        raise ValueError(f"centers must be a whole number; got {k:g}, of which R reads outside its memory")
    if k > LARGEST_SIZE:
        raise RError(
            "vector size specified is too large", f"centers must be less than the rows of x; got {k:g}"
        )
    return int(k)


def start_and_seed(centers: Any, seed: Any, p: int, stream: RRandom) -> tuple[int | FloatArray, float]:
    """Centres and seed in R's order: the seed is drawn before a wrong number of centres is noticed."""
    if centers is None:
        start_argument(None, p)
    number = as_number(seed, "seed")
    if math.isnan(number):
        raise RError("missing value where TRUE/FALSE needed", "seed must be a number")
    if number <= 0:
        number = float(stream.runif(1)[0]) * 1e7
    return start_argument(centers, p), number


def set_stream(number: float, stream: RRandom) -> None:
    """R's ``set.seed``, which truncates."""
    if abs(number) >= 2.0**31:
        warn_as_r("NAs introduced by coercion to integer range")
        raise RError("supplied seed is not a valid integer", f"seed must be below 2^31; got {number:g}")
    stream.seed(int(number))


def integer_argument(value: Any, name: str) -> float:
    """An argument as R's integer: truncated, NaN when it is out of range."""
    number = as_number(value, name)
    if abs(number) >= 2.0**31:
        warn_as_r("NAs introduced by coercion to integer range")
        return math.nan
    return number if math.isnan(number) else float(math.trunc(number))


def require_numbers(arguments: dict[int, Any], integers: tuple[int, ...]) -> None:
    """Raise R's error for the first argument that is not finite; arguments by their position in R's call."""
    for position, value in arguments.items():
        if not (math.isfinite(value) if isinstance(value, float | int) else np.isfinite(value).all()):
            message = NOT_INTEGER if position in integers else NOT_FINITE
            names = {1: "x", 12: "centers", 14: "centers"}
            text = names.get(position, f"argument {position}") + " must be finite"
            raise RError(message.format(position), text)


def group_numbers(groups: Any, p: int) -> tuple[FloatArray, int]:
    """Group of every feature from 0, NaN where it is missing, and the number of groups."""
    values = np.asarray(groups) if np.isscalar(groups) else as_labels(groups, "groups")
    if values.dtype.kind == "O":
        values = values.astype(str)
    if values.dtype.kind == "U" and values.size == 1:
        return _parse_groups(str(values.reshape(())), p)
    if values.shape != (p,) and not (p == values.size == 1):
        raise RError("object 'G' not found", f"groups must have {p} elements, one per column of x")
    flat = values.ravel()
    if flat.dtype.kind == "U":
        names = sorted(set(flat.tolist()), key=lambda name: (name.casefold(), name.swapcase()))
        return np.array([float(names.index(name)) for name in flat.tolist()]), len(names)
    if flat.dtype.kind not in "bif" + "u":
        raise TypeError(f"groups must hold numbers or text; got dtype {flat.dtype}")
    known = np.isfinite(flat)
    levels, index = np.unique(flat[known], return_inverse=True)
    found = np.full(p, np.nan)
    found[known] = index
    return found, max(1, len(levels))


def _parse_groups(text: str, p: int) -> tuple[FloatArray, int]:
    """Groups of features numbered from 0: ``"0-2,4;3;5-8"``; features not named belong to the first."""
    parts = re.split(";+", re.sub(r"\s", "", text).lstrip(";"))
    index = np.zeros(p)
    for group, part in enumerate(parts):
        for item in filter(None, part.split(",")):
            match = re.fullmatch(r"(\d+)(?:-(\d+))?", item, re.ASCII)
            if match is None:
                raise ValueError(f"groups must look like '0-2,4;3;5-8'; cannot read {item!r}")
            first, last = int(match[1]), int(match[2] or match[1])
            if last >= p or first >= p:
                raise ValueError(f"groups names feature {max(first, last)}, but the last of x is {p - 1}")
            index[first : last + 1] = group
    return index, len(parts)


def kept_centers(centers: FloatArray) -> Any:
    """Mask of the centres that are not zero in every feature; R fails when there is none."""
    kept = ~(centers == 0).all(axis=1)
    if not kept.any():
        raise RError(NO_CENTERS_LEFT, "every centre is zero in every feature: shift the data")
    return kept


def sizes_present(labels: IntArray) -> IntArray:
    """Sizes of the clusters present."""
    sizes = np.bincount(labels)
    return sizes[sizes > 0]


@np.errstate(over="ignore", divide="ignore", invalid="ignore")  # R goes on with Inf and NaN
def sums_of_squares(x: FloatArray, centers: FloatArray, labels: IntArray) -> tuple[float, FloatArray]:
    """Total and within-cluster sums of squares: each row is summed first, then the rows, in R's order."""

    def row_sums(differences: FloatArray) -> FloatArray:
        t = np.ascontiguousarray(differences.T)
        t *= t
        return sequential_sum(t)

    with np.errstate(over="ignore", invalid="ignore"):
        total = np.add.accumulate(row_sums(x - sequential_sum(x) / len(x)))[-1]
        within = np.bincount(labels, weights=row_sums(x - centers[labels]), minlength=len(centers))
    return float(total), within.astype(np.float64)


def require_clusters(start: int | FloatArray) -> None:
    """Raise R's error when the number of clusters is 0."""
    if isinstance(start, int) and start == 0:
        raise RError(NO_CENTERS_LEFT, "centers is 0: at least one cluster is needed")
