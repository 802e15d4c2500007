"""R's ``cluster::clusGap`` and ``cluster::maxSE``: the number of clusters by the gap statistic.

Reference data are uniform draws from a box around the data, choices (a) and (b) of Tibshirani, Walther &
Hastie (2001), JRSS B 63, 411-423, Section 4.
"""

from __future__ import annotations

import inspect
import logging
import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.elementary import log
from sparsek.bits.lapack.reflectors import ordered_product
from sparsek.bits.lapack.singular_values import singular_vectors
from sparsek.bits.lapack.symmetric_eigen import warn_unsettled
from sparsek.bits.ordered_arithmetic import FloatArray, long_sum
from sparsek.errors import RError, RWarning
from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.column_sums import column_means
from sparsek.rcompat.base.data import (
    RList,
    as_matrix,
    as_number,
    as_vector,
    require_entries,
    require_runs,
    shape_of,
)
from sparsek.rcompat.base.expressions import Call
from sparsek.rcompat.base.factors import as_labels
from sparsek.rcompat.base.matching import partial_match
from sparsek.rcompat.base.printing import format_matrix, row_numbers
from sparsek.rcompat.cluster.arguments_pam import UNDECIDED
from sparsek.rcompat.stats.api_moments import var
from sparsek.rcompat.stats.distances.pairs import pair_distances, powers
from sparsek.rng import RRandom, resolve_rng

_log = logging.getLogger(__name__)

METHODS = ("firstSEmax", "Tibs2001SEmax", "globalSEmax", "firstmax", "globalmax")
SPACES = ("scaledPCA", "original")
COLUMNS = ["logW", "E.logW", "gap", "SE.sim"]
CALL = "clusGap(x = x, FUNcluster = FUNcluster, K.max = K.max, B = B)"


class GapTable(RList):
    """Result of `clusGap`, printed as R prints it.

    Fields (K numbers of clusters): ``Tab`` (K, 4), with the logarithms "logW" of the dispersion within
    clusters, their means "E.logW" over the reference data, the differences "gap" and their standard errors
    "SE.sim"; ``call``; ``spaceH0``; ``n``, the number of rows; ``B``, the number of reference data sets;
    ``FUNcluster``. All are dimensionless, except logarithms of the unit of the data.

    Parameters
    ----------
    fields : mapping of str to object
        Values by R's field names, in R's order.
    """

    r_class = ("clusGap",)

    def print(self, method: str = "firstSEmax", SE_factor: float = 1) -> None:
        """Print the table and the number of clusters, as R does.

        Parameters
        ----------
        method : str, default="firstSEmax"
            As for `maxSE`.
        SE_factor : float, default=1
            As for `maxSE`.

        Raises
        ------
        RError
            As `maxSE`.
        """
        print(self._text(method, SE_factor))

    def __str__(self) -> str:
        return self._text(METHODS[0], 1.0) if (self.Tab[:, 3] >= 0).all() else self._head() + self._table()

    def _text(self, method: str, factor: float) -> str:
        """What R prints."""
        full = _method(method)
        number = maxSE(self.Tab[:, 2], self.Tab[:, 3], full, factor)
        by = f", SE.factor={factor:g}" if "SE" in full else ""
        return f"{self._head()} --> Number of clusters (method '{full}'{by}): {number}\n{self._table()}"

    def _head(self) -> str:
        """The call and the numbers of data sets and clusters."""
        sizes = f"B={self.B} simulated reference sets, k = 1..{len(self.Tab)}"
        title = f'Clustering Gap statistic ["clusGap"] from call:\n{self.call}\n'
        return f'{title}{sizes}; spaceH0="{self.spaceH0}"\n'

    def _table(self) -> str:
        """The table."""
        return format_matrix(np.asarray(self.Tab), row_numbers(len(self.Tab)), COLUMNS)


def clusGap(
    x: ArrayLike,
    FUNcluster: Callable[..., Mapping[str, Any]],
    K_max: float,
    B: float = 100,
    d_power: float = 1,
    spaceH0: str = "scaledPCA",
    verbose: bool = False,
    *,
    rng: RRandom | None = None,
    call: str | None = None,
    **arguments: Any,
) -> GapTable:
    """Gap statistic of the numbers of clusters, as R's ``cluster::clusGap``.

    Parameters
    ----------
    x : array_like or data frame of shape (n, p)
        Data.
    FUNcluster : callable
        Function such as `kmeans` or `pam`: called with data, a number of clusters and the further arguments,
        it gives a mapping with the field "cluster" (or one that begins so) of n labels.
    K_max : int
        Largest number of clusters, at least 2; a fraction is cut off.
    B : int, default=100
        Number of reference data sets.
    d_power : float, default=1
        Power of the distances that are summed, dimensionless; Tibshirani et al. have 2.
    spaceH0 : {"scaledPCA", "original"}, default="scaledPCA"
        Where reference data are drawn: in the box of the principal axes, or in the box of the columns. May
        be abbreviated.
    verbose : bool, default=False
        Whether the logger "sparsek" tells of the progress.
    rng : RRandom, optional
        R's stream, which `FUNcluster` gets too where it has this argument; by default the one that `set_seed`
        acts on.
    call : str, optional
    **arguments : object
        Further arguments of `FUNcluster`.

    Returns
    -------
    GapTable
        The fields are described there.

    Raises
    ------
    RError
        With R's message: no function, x is not a matrix, `K_max` below 2, `B` not a positive whole number,
        unknown `spaceH0`, values that are not finite with `spaceH0="scaledPCA"`, a result without fields,
        whatever `FUNcluster` raises.
    ValueError
        Labels of another length than x has rows.

    Warns
    -----
    BlasDependentWarning
        With `spaceH0="scaledPCA"`, where rounding decides on the sign or direction of an axis, as of the last
        one where x has at most as many rows as columns: R with another BLAS may have another one.

    See Also
    --------
    maxSE : Place of a maximum, standard errors respected.
    sparsek.PermutationGap : Choose parameters by the permutation gap statistic.

    Notes
    -----
    With `spaceH0="scaledPCA"` the numbers are those of R with the reference BLAS. Where x has more than
    128 rows and more than 128 columns, the last digits may differ.

    References
    ----------
    Tibshirani, R., Walther, G. & Hastie, T. (2001). Estimating the number of data clusters via the gap
    statistic. Journal of the Royal Statistical Society B 63, 411-423.

    Examples
    --------
    >>> from sparsek.rcompat import clusGap, kmeans, set_seed
    >>> x = [[0.0], [0.2], [0.3], [0.5], [4.0], [4.1], [4.3], [4.6]]
    >>> set_seed(1)
    >>> gap = clusGap(x, kmeans, 3, B=5, nstart=3)
    >>> maxSE(gap.Tab[:, 2], gap.Tab[:, 3])
    2
    """
    data, most, number, space = _checked(x, FUNcluster, K_max, B, spaceH0)
    stream, power = resolve_rng(rng), as_number(d_power, "d_power")
    if "rng" in inspect.signature(FUNcluster).parameters:
        arguments["rng"] = stream

    def logarithms(part: FloatArray) -> list[float]:
        return [_log_dispersion(part, k, power, FUNcluster, arguments) for k in range(1, most + 1)]

    observed = np.array(logarithms(data))
    box = box_around(data, principal=space == "scaledPCA")
    reference = np.empty((number, most))
    for b in range(number):
        reference[b] = logarithms(box.draw(stream))
        if verbose:
            _log.info("clusGap: reference data set %d of %d", b + 1, number)
    with np.errstate(invalid="ignore"):
        expected = column_means(reference, drop_missing=False)
        errors = [math.sqrt((1 + 1 / number) * float(var(column))) for column in reference.T]
        table = np.stack([observed, expected, expected - observed, errors], axis=1)
    fields = {"Tab": RArray(table, dimnames=(None, COLUMNS)), "call": Call(call or CALL), "spaceH0": space}
    return GapTable(fields | {"n": len(data), "B": number, "FUNcluster": FUNcluster})


def _checked(x: Any, function: Any, K_max: Any, B: Any, spaceH0: Any) -> tuple[FloatArray, int, int, str]:
    """The data, the largest number of clusters, the number of data sets, and the space."""
    if not callable(function):
        raise RError(
            "is.function(FUNcluster) is not TRUE", f"FUNcluster must be a function; got {function!r}"
        )
    if len(shape_of(x, "x")) != 2:
        raise RError("length(dim(x)) == 2 is not TRUE", "x must be a matrix: give a column as x[:, None]")
    space = partial_match(spaceH0, SPACES)
    if space is None:
        choices = ", ".join(f"“{choice}”" for choice in SPACES)
        raise RError(f"'arg' should be one of {choices}", f"got spaceH0={spaceH0!r}")
    most, number = as_number(K_max, "K_max"), as_number(B, "B")
    if not most >= 2:
        raise RError("K.max >= 2 is not TRUE", f"got K_max={K_max!r}")
    if math.isnan(number):
        raise RError(UNDECIDED, "B must be a positive whole number")
    if number <= 0 or number != math.trunc(min(number, 2.0**31)):
        raise RError("'B' has to be a positive integer", f"got B={B!r}")
    require_runs(number, "B")
    require_entries("the table of reference data", number, most)
    return as_matrix(x).values, int(most), int(number), space


def _log_dispersion(
    x: FloatArray, k: int, power: float, function: Callable[..., Any], arguments: dict[str, Any]
) -> float:
    """Logarithm of half the sum over the clusters of the summed distances, divided by their sizes."""
    labels = np.ones(len(x)) if k == 1 else _labels(_fit(function, x, k, arguments), len(x))
    sums = []
    for label in np.unique(labels):
        rows = x[labels == label]
        distances = pair_distances(rows, "euclidean", 2)
        with np.errstate(over="ignore", under="ignore"):
            sums.append(long_sum((distances if power == 1 else powers(distances, power)) / len(rows)))
    total = 0.5 * long_sum(np.array(sums))
    return log(total) if 0 < total < math.inf else -math.inf if total == 0 else total


def _fit(function: Callable[..., Any], x: FloatArray, k: int, arguments: dict[str, Any]) -> Any:
    """What the function gives; an error that names it where it does not take these arguments."""
    try:
        return function(x, k, **arguments)
    except TypeError as error:
        named = ", ".join(arguments) or "no others"
        raise TypeError(f"FUNcluster, called with x, {k} and {named}, failed: {error}") from error


def _labels(fit: Any, n: int) -> Any:
    """The clusters of a fit."""
    name = partial_match("cluster", fit) if isinstance(fit, Mapping) else None
    if name is None:
        raise RError("$ operator is invalid for atomic vectors", "FUNcluster must give the field cluster")
    labels = as_labels(fit[name], name)
    if len(labels) != n:
        raise ValueError(f"FUNcluster gave {len(labels)} labels for {n} rows of data")
    return labels


def _method(method: Any) -> str:
    """The whole name of a method of `maxSE`."""
    full = partial_match(method, METHODS)
    if full is None:
        choices = ", ".join(f"“{choice}”" for choice in METHODS)
        raise RError(f"'arg' should be one of {choices}", f"got method={method!r}")
    return full


def maxSE(f: ArrayLike, SE_f: ArrayLike, method: str = "firstSEmax", SE_factor: float = 1) -> int | None:
    """Place of a maximum, standard errors respected, as R's ``cluster::maxSE``.

    Parameters
    ----------
    f : array_like of shape (K,)
        Values, such as gap statistics.
    SE_f : array_like of shape (K,)
        Their standard errors, not negative.
    method : str, default="firstSEmax"
        "globalmax": the largest value; "firstmax": the first that the next one does not exceed; "globalSEmax"
        and "firstSEmax": the first that is at most `SE_factor` standard errors below that; "Tibs2001SEmax":
        the first that is at most `SE_factor` standard errors of the next one below the next one. May be
        abbreviated.
    SE_factor : float, default=1
        Number of standard errors, not negative, dimensionless.

    Returns
    -------
    int or None
        The place, from 1; None from "globalmax" where every value is missing.

    Raises
    ------
    RError
        With R's message: unknown method, no values, standard errors that are missing, negative or of another
        number, `SE_factor` negative, missing values that bear on the result.
    TypeError, ValueError
        Arguments that are no vectors of real numbers.

    Warns
    -----
    RWarning
        Before the error of "globalSEmax" where every value is missing.

    See Also
    --------
    clusGap : R's gap statistic of the number of clusters.

    References
    ----------
    Tibshirani, R., Walther, G. & Hastie, T. (2001). Estimating the number of data clusters via the gap
    statistic. Journal of the Royal Statistical Society B 63, 411-423.

    Examples
    --------
    >>> maxSE([2, 3, 5, 4, 7, 8, 5, 4], [0.5, 0.5, 1, 0.5, 0.5, 1.5, 0.5, 0.5])
    3
    """
    full = _method(method)
    values, errors, factor = as_vector(f, "f"), as_vector(SE_f, "SE_f"), as_number(SE_factor, "SE_factor")
    _check_errors(values, errors, factor)
    with np.errstate(invalid="ignore"):
        errors = factor * errors
        if full == "Tibs2001SEmax":
            return _first(values[:-1], values[1:] - errors[1:], len(values))
        if full.startswith("first"):
            top = _first(np.zeros(len(values) - 1), np.diff(values), len(values))
        elif np.isnan(values).all():
            if full == "globalmax":
                return None
            warnings.warn("first element used of 'length.out' argument", RWarning, stacklevel=2)
            raise RError("argument must be coercible to non-negative integer", "every value is missing")
        else:
            top = int(np.nanargmax(values)) + 1
        if "SE" not in full:
            return top
        return _first(values[: top - 1], np.full(top - 1, values[top - 1] - errors[top - 1]), top)


def _check_errors(values: FloatArray, errors: FloatArray, factor: float) -> None:
    """R's checks of the arguments of `maxSE`."""
    verb = "are not all" if len(errors) > 1 else "is not"
    for holds, condition in (
        (len(values) >= 1, "(K <- length(f)) >= 1 is not"),
        (len(values) == len(errors), "K == length(SE.f) is not"),
        (bool((errors >= 0).all()), f"SE.f >= 0 {verb}"),
        (factor >= 0, "SE.factor >= 0 is not"),
    ):
        if not holds:
            found = f"f has {len(values)} values; SE_f is {errors}, SE_factor is {factor:g}"
            raise RError(f"{condition} TRUE", found)


def _first(values: FloatArray, bounds: FloatArray, otherwise: int) -> int:
    """Place, from 1, of the first value that reaches its bound; R's error where that cannot be told."""
    reached = np.flatnonzero(values >= bounds)
    if len(reached):
        return int(reached[0]) + 1
    if np.isnan(values - bounds).any():
        raise RError(UNDECIDED, "f must not have missing values there")
    return otherwise


@dataclass(frozen=True, slots=True)
class Box:
    """A box around data, along their columns or their principal axes."""

    n: int  # Number of rows of the data
    middle: FloatArray  # (p,): means of the columns, in the unit of the data
    low: FloatArray  # low, high: (q,): limits along each axis, the middle taken off, in the unit of the data
    high: FloatArray
    axes: FloatArray | None  # (q, p): the principal axes in rows; None for the columns

    def draw(self, stream: RRandom) -> FloatArray:
        """Draw n rows, one axis after the other."""
        limits = zip(self.low, self.high, strict=True)
        drawn = np.stack([stream.runif(self.n, *pair) for pair in limits], axis=1)
        return (drawn if self.axes is None else ordered_product(drawn, self.axes)) + self.middle


def box_around(data: FloatArray, principal: bool) -> Box:
    """Give the box of the columns, or of the principal axes.

    Shapes: data (n, p).

    RError for data that are not finite, where the principal axes are wanted; BlasDependentWarning where
    rounding decides on the sign or direction of an axis.
    """
    middle, axes = column_means(data, drop_missing=False), None
    with np.errstate(over="ignore", invalid="ignore"):
        along = data - middle
    if principal:
        if not np.isfinite(along).all():
            raise RError("infinite or missing values in 'x'", "drop or impute them")
        found = singular_vectors(along)
        warn_unsettled(found.unsettled, len(found.values), "axes", stacklevel=4)
        axes = found.right
        along = ordered_product(along, axes.T)
    return Box(len(data), middle, along.min(axis=0), along.max(axis=0), axes)
