"""Checks of the arguments of R's ``pam``, with R's messages in R's order; its dissimilarities."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, long_mean
from sparsek.errors import RError, RWarning
from sparsek.rcompat.base.arrays import RArray, dimnames_of
from sparsek.rcompat.base.column_sums import column_means
from sparsek.rcompat.base.data import (
    RMatrix,
    as_flag,
    as_matrix,
    as_number,
    as_numbers,
    as_vector,
    require_runs,
    shape_of,
)
from sparsek.rcompat.base.matching import partial_match
from sparsek.rcompat.cluster.dissimilarity import Dissimilarity, as_dissimilarity
from sparsek.rcompat.stats.distances.api_dist import Dist
from sparsek.rcompat.stats.distances.pairs import square_matrix

METRICS = ("euclidean", "manhattan")
"""Distances between rows."""
MISSING_PAIRS = "NA values in the dissimilarity matrix not allowed."
LARGEST_INTEGER = 2**31 - 1
UNDECIDED = "missing value where TRUE/FALSE needed"
NOT_NUMERIC = "'x' is not a numeric dataframe or matrix."


@dataclass(frozen=True, slots=True)
class Objects:
    """What is to be clustered."""

    d: FloatArray  # (n, n): dissimilarities
    names: list[str] | None  # Names of the objects
    matrix: RMatrix | None  # The rows as given; None where dissimilarities were given
    data: RArray | None  # The rows, standardised where that is asked for
    metric: str  # Distance between the rows
    types: list[str] | None = None  # Types of the columns that given dissimilarities are of


def is_triangle(x: Any) -> bool:
    """Whether an argument has one dimension; what has no numbers is refused as data."""
    try:
        return len(shape_of(x, "x")) == 1
    except TypeError:
        return False


def given_dissimilarities(x: Any, message: str = MISSING_PAIRS) -> Objects:
    """Objects of which the dissimilarities are given.

    Shapes: x (n (n - 1) / 2,) or (n, n).

    Raises RError with R's message, for missing values; ValueError for another shape.
    """
    d = square_matrix(as_numbers(x, "x"), "x")
    if np.isnan(d).any():
        raise RError(message, "x has missing values")
    known = x.attributes if isinstance(x, Dist) else {}
    metric = known.get("Metric", "unspecified")
    return Objects(d, known.get("Labels"), None, None, metric, known.get("Types"))


def rows_as_objects(
    x: ArrayLike, metric: Any, stand: Any, refusal: str = NOT_NUMERIC, metrics: tuple[str, ...] = METRICS
) -> Objects:
    """Rows of a matrix as objects.

    Shapes: x (n, p).

    RError with R's message: data that are not numbers, unknown metric; RWarning with R's messages, where
    every value is missing.
    """
    matrix = numeric_matrix(x, refusal)
    full = full_metric(metric, metrics)
    data = prepared(matrix, stand)
    d = row_distances(np.asarray(data), full)
    if np.isnan(data).any() and not np.nan_to_num(data).any():
        data[:] = np.nan  # R marks missing values by 1.1 times the largest size, here 0, and so every 0 too
    return Objects(d, matrix.row_names, matrix, data, full)


def numeric_matrix(x: Any, refusal: str) -> RMatrix:
    """Data as a matrix of numbers.

    Raises RError with the message `refusal` for data that are not numbers.
    """
    try:
        return as_matrix(x)
    except TypeError as error:
        raise RError(refusal, str(error)) from error


def full_metric(metric: Any, choices: tuple[str, ...] = METRICS) -> str:
    """The full name of a metric, with R's error for an unknown one."""
    full = partial_match(metric, choices)
    if full is None:
        listed = ", ".join(f"“{choice}”" for choice in choices)
        raise RError(f"'arg' should be one of {listed}", f"got metric={metric!r}")
    return full


def prepared(matrix: RMatrix, stand: Any) -> RArray:
    """The rows, standardised where that is asked for; RWarning with R's messages where all is missing."""
    standardise = as_flag(stand, "stand")
    data = _standardised(matrix) if standardise else _named(matrix, matrix.values, **matrix.others)
    if np.isnan(data).all():
        for message in (
            "no non-missing arguments to min; returning Inf",
            "no non-missing arguments to max; returning -Inf",
        ):
            warnings.warn(message, RWarning, stacklevel=4)
    return data


def _named(matrix: RMatrix, values: FloatArray, **attributes: Any) -> RArray:
    """Values with the names of a matrix."""
    return RArray(values, dimnames=dimnames_of(matrix.row_names, matrix.column_names), **attributes)


@np.errstate(invalid="ignore", divide="ignore", over="ignore")
def _standardised(matrix: RMatrix) -> RArray:
    """Columns less their means, over their mean absolute deviations; constant ones become NaN."""
    x = matrix.values
    center, deviation = column_means(x, drop_missing=True), np.full(x.shape[1], np.nan)
    for j, column in enumerate(x.T):
        known = column[~np.isnan(column)]
        if len(known):
            deviation[j] = long_mean(np.abs(known - long_mean(known)))
    named = {"scaled:center": RArray(center, names=matrix.column_names)}
    named["scaled:scale"] = RArray(deviation, names=matrix.column_names)
    return _named(matrix, (x - center) / deviation, **named)


@np.errstate(invalid="ignore", divide="ignore", over="ignore")
def row_distances(x: FloatArray, metric: str) -> FloatArray:
    """Distances over the columns known in both rows, sums scaled up for the others; NaN without a column."""
    p = x.shape[1]
    sums, known = distance_sums(x, x, metric)
    d = sums if (known == p).all() else np.where(known == p, sums, sums * (p / known))
    d = np.sqrt(d) if metric == "euclidean" else d
    np.fill_diagonal(d, 0.0)
    return d


def distance_sums(x: FloatArray, y: FloatArray, metric: str) -> tuple[FloatArray, FloatArray]:
    """Sums of squared or absolute differences over the columns known in both rows, and their numbers.

    Shapes: x (n, p), y (m, p); returns (n, m) twice.
    """
    sums, known = np.zeros((2, len(x), len(y)))
    for a, b in zip(x.T, y.T, strict=True):
        terms = a[:, None] - b
        terms = np.abs(terms) if metric == "manhattan" else terms * terms
        both = ~(np.isnan(a)[:, None] | np.isnan(b))
        sums += np.where(both, terms, 0.0)
        known += both
    return sums, known


def kept_dissimilarities(objects: Objects) -> Dissimilarity:
    """The dissimilarities as the field of a result."""
    n = len(objects.d)
    known = {"Size": n, "Metric": objects.metric, "Types": objects.types, "Labels": objects.names}
    attributes = {name: value for name, value in known.items() if value is not None}
    return as_dissimilarity(objects.d[np.triu_indices(n, 1)], attributes)


def number_of_clusters(k: Any, n: int) -> int:
    """The number of clusters.

    RError with R's message, for another number; RWarning numbers beyond R's integers.
    """
    number = as_number(k, "k")
    if abs(number) > LARGEST_INTEGER:
        warnings.warn("NAs introduced by coercion to integer range", RWarning, stacklevel=3)
    if not abs(number) <= LARGEST_INTEGER:
        raise RError(UNDECIDED, f"k must be a number from 1 to {n - 1}; got {k!r}")
    if not 1 <= int(number) < n:
        message = "Number of clusters 'k' must be in {1,2, .., n-1}; hence n >= 2"
        raise RError(message, f"got k={k!r} for {n} objects")
    return int(number)


def initial_medoids(medoids: Any, k: int, n: int) -> IntArray:
    """The medoids to start from, checked.

    Shapes: medoids (k,).

    Raises RError with R's message: missing, too many or few, repeated, or not from 1 to n.
    """
    given = as_vector(medoids, "medoids")
    message = f"'medoids' must be NULL or vector of {k} distinct indices in {{1,2, .., n}}, n={n}"
    places = np.trunc(given)
    outside = (places < 1).any() or (places > n).any() or len(np.unique(places)) < len(places)
    if len(given) == k and np.isnan(given).any() and not outside:
        raise RError(UNDECIDED, "medoids must not be missing")
    if len(given) != k or outside or np.isnan(given).any():
        raise RError(message, f"got {given.tolist()}")
    return places.astype(np.int64) - 1


def number_of_starts(nstart: Any) -> int:
    """The number of random starts.

    Raises RError with R's message, where there is none; ValueError for anything but a whole number of at
    least 1.
    """
    if nstart is None:
        raise RError(UNDECIDED, "random medoids need nstart, the number of starts")
    number = as_number(nstart, "nstart")
    if not 1 <= number < math.inf or number != int(number):
        raise ValueError(f"nstart must be a whole number of at least 1; got {nstart!r}")
    require_runs(number, "nstart")
    return int(number)
