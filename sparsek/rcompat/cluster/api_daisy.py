"""R's ``daisy``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.caller import warn_as_r
from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.errors import RError
from sparsek.rcompat.base.column_sums import column_means
from sparsek.rcompat.base.data import as_flag, as_numbers
from sparsek.rcompat.base.matching import partial_match
from sparsek.rcompat.cluster.arguments_daisy import Variables, Warned, read_variables, require_known_types
from sparsek.rcompat.cluster.arguments_pam import row_distances
from sparsek.rcompat.cluster.dissimilarity import Dissimilarity, as_dissimilarity

METRICS = ("euclidean", "manhattan", "gower")
SMALLEST_TOTAL = 0.5
"""Rows whose common columns do not have more weight in all have no coefficient."""


def daisy(
    x: ArrayLike,
    metric: str | None = None,
    stand: bool = False,
    type: Mapping[str, Any] | None = None,
    weights: ArrayLike | None = None,
    warnBin: bool | None = None,
    warnAsym: bool | None = None,
    warnConst: bool | None = None,
    warnType: bool = True,
) -> Dissimilarity:
    """Dissimilarities of rows of mixed variables, as R's ``daisy`` of package cluster.

    Parameters
    ----------
    x : array_like or data frame of shape (n, p)
        Data. Columns of a frame may be numbers, truth values and categories, ordered or not. Missing values
        are left out for the pairs of rows that have them.
    metric : {"euclidean", "manhattan", "gower"}, optional
        Distance, by default "euclidean"; Gower's coefficient wherever not all columns are numbers. May be
        abbreviated.
    stand : bool, default=False
        Whether columns are standardised by their means and mean absolute deviations; not for Gower's.
    type : mapping of str to column numbers or names, optional
        Types of columns, numbered from 1: "asymm" and "symm", binary ones that are asymmetric or not;
        "ordratio", numbers of which only the order counts; "logratio", numbers of which the logarithm is
        taken. Others follow from the columns.
    weights : array_like of shape (p,), optional
        Weights of the columns in Gower's coefficient, dimensionless; by default 1.
    warnBin, warnAsym, warnConst : bool, optional
        Whether columns of two numbers, truth values and constant columns are warned of; `warnType` by
        default.
    warnType : bool, default=True
        Default of these three.

    Returns
    -------
    Dissimilarity of shape (n (n - 1) / 2,)
        Distances in the unit of x, or Gower's coefficients from 0 to 1; pairs (1, 2), (1, 3), ...,
        (n - 1, n). NaN for two rows without a common column.

    Raises
    ------
    RError
        With R's message: columns of texts, types that do not fit, unknown metric, weights of another length.
    TypeError
        Weights that are not real numbers.
    ValueError
        For a frame without rows or columns.

    Warns
    -----
    RWarning
        With R's messages: what `warnBin`, `warnAsym` and `warnConst` say, columns that are said to be binary
        and are constant, and a metric that is replaced by Gower's coefficient.

    See Also
    --------
    dist : Distances between rows of numbers.
    pam : Partitions around medoids.

    References
    ----------
    Gower, J. C. (1971). A general coefficient of similarity and some of its properties. Biometrics 27,
    857-874.

    Kaufman, L. & Rousseeuw, P. J. (1990). Finding Groups in Data. Wiley, New York, chapter 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from sparsek.rcompat import daisy
    >>> frame = pd.DataFrame({"size": [1.0, 2.0, 5.0], "kind": pd.Categorical(["a", "b", "a"])})
    >>> daisy(frame).tolist()
    [0.625, 0.5, 0.875]
    """
    warns = [
        as_flag(warnType if flag is None else flag, "warnType") for flag in (warnBin, warnAsym, warnConst)
    ]
    found = read_variables(x, type, Warned(warns[0], warns[1]))
    n = len(found.values)
    attributes: dict[str, Any] = {} if found.row_names is None else {"Labels": found.row_names}
    attributes["Size"] = n
    mixed = any(letter != "I" for letter in found.types)
    full = partial_match(METRICS[0] if metric is None else metric, METRICS)
    if mixed and metric is not None and full != "gower":
        warn_as_r('with mixed variables, metric "gower" is used automatically')
    if full is None and not mixed:
        choices = ", ".join(f"“{choice}”" for choice in METRICS)
        raise RError(f"'arg' should be one of {choices}", f"got metric={metric!r}")
    if mixed or full == "gower":
        every = _weights(weights, len(found.types))
        _warn_of_empty(found.values)
        require_known_types(found.types)
        d = _gower(found, every)
        attributes |= {"Metric": "mixed", "Types": found.types}
    else:
        values = _standardised(found.values, warns[2]) if as_flag(stand, "stand") else found.values
        assert full is not None
        d = row_distances(_without_marks(values, [False] * values.shape[1]), full)
        attributes["Metric"] = full
    pairs = np.triu_indices(n, 1)
    d[np.isnan(d)] = np.nan
    return as_dissimilarity(d[pairs], attributes)


def _weights(weights: Any, p: int) -> FloatArray:
    """A weight for each column."""
    if weights is None:
        return np.ones(p)
    given = np.atleast_1d(as_numbers(weights, "weights")).ravel()
    if len(given) not in (1, p):
        raise RError("'weights' must be of length p (or 1)", f"got {len(given)} weights for {p} columns")
    return np.resize(given, p)


@np.errstate(invalid="ignore", divide="ignore", over="ignore")
def _standardised(x: FloatArray, warns: bool) -> FloatArray:
    """Columns less their means, over their mean absolute deviations; constant ones become 0."""
    centred = x - column_means(x, drop_missing=True)
    deviations = column_means(np.abs(centred), drop_missing=True)
    constant = deviations == 0
    if constant.any():
        if warns:
            columns = ", ".join(str(j + 1) for j in np.flatnonzero(constant))
            warn_as_r(f"\u2018x\u2019 has constant columns {columns}; these are standardized to 0")
        deviations[constant] = 1.0
    return centred / deviations


def _without_marks(x: FloatArray, binary: list[bool]) -> FloatArray:
    """Columns where R's mark of missing values, 1.1 times the largest size, is 0 and so the same as a number.

    All zeros of columns with missing values are missing then; those of binary ones are not, and nothing else
    is.
    """
    if not np.isnan(x).any() or np.nan_to_num(x).any():
        return x
    marked = x.copy()
    for j in np.flatnonzero(np.isnan(x).any(axis=0)):
        marked[:, j] = 0.0 if binary[j] else np.nan
    return marked


@np.errstate(invalid="ignore", divide="ignore", over="ignore")
def _gower(found: Variables, weights: FloatArray) -> FloatArray:
    """Gower's coefficient: weighted means of the contributions of the columns that both rows have.

    Shapes: weights (p,); returns (n, n).
    """
    n = len(found.values)
    sums, totals = np.zeros((n, n)), np.zeros((n, n))
    binary = [letter in "SA" for letter in found.types]
    scaled = np.column_stack([_scaled(column) for column in found.values.T])
    if np.isnan(scaled).all() and not np.isnan(found.values).all():
        _warn_of_empty(scaled[:, :1])
    for column, letter, weight in zip(_without_marks(scaled, binary).T, found.types, weights, strict=True):
        known = ~np.isnan(column)
        both = known[:, None] & known
        terms = np.abs(column[:, None] - column)
        if letter in "NSA":
            terms = (column[:, None] != column).astype(float)
        if letter == "A":
            both &= (column[:, None] != 0) | (column != 0)
        sums += np.where(both, weight * terms, 0.0)
        totals += np.where(both, weight, 0.0)
    return np.where(totals > SMALLEST_TOTAL, sums / totals, np.nan)


def _warn_of_empty(x: FloatArray) -> None:
    """R's warnings of columns without a number, which have no range."""
    empty = int(np.isnan(x).all(axis=0).sum())
    for _ in range(empty):
        for end, value in (("min", "Inf"), ("max", "-Inf")):
            warn_as_r(f"no non-missing arguments to {end}; returning {value}")


def _scaled(column: FloatArray) -> FloatArray:
    """A column less its smallest number, over its range."""
    known = column[~np.isnan(column)]
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    return (column - low) / (high - low if high > low else 1.0)
