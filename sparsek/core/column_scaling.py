"""The scale of the columns, chosen while an estimator is fitted.

A scale is a unit times a spread. Columns of one unit, such as gene expression, differ in spread only, and
wide ones hold the clusters; columns of many units say nothing by their size. How much the logarithms of the
ranges vary tells the two apart: what is beyond the variance of columns of one unit is the variance of the
units. Shrinkage takes the unit out of a range (James and Stein 1961), all of it where ranges differ by
magnitudes. Ranges are used and not deviations, because a deviation is larger beside its range where a column
has two peaks (Steinley and Brusco 2008). Where few features carry the clusters of a standardised fit, the
others would outweigh them in any other scale, and that fit stays.

``python -m validation real`` judges the rule on data that nobody here made.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy.sparse import diags_array
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import _check_n_features, check_array

from sparsek.core.scaling import Scaling
from sparsek.core.steps import Array
from sparsek.errors import SelectionWarning, callers_level

SPARSE = 1 / 3
"""At most this part of the features carries the clusters of sparse data."""
ONE_UNIT = 0.6
"""Standard deviation of the logarithms of the ranges of columns of one unit: a factor of 1.8."""
MANY_UNITS, ONLY_UNITS = 1.0, 2.0
"""From the first of these variances of log ranges on, units explain more and more of it; from the second,
all."""
WIDEST = 2 * ONE_UNIT
"""A logarithm that is left keeps at most this distance from the median of all. One column of years beside
many columns of grades is an exception that the variance does not see."""
DISAGREEMENT = 0.4
"""A warning says so where two clusterings have a smaller adjusted Rand index than this."""
FLOATS = (np.float64, np.float32)
"""Data of these types keep their type; all others become the first one."""
DIGITS = 2.0**30
"""Divisors have thirty binary digits, so that they depend on no last digit of a logarithm."""


@dataclass(eq=False)
class ColumnScaling(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """What the columns of a fit were divided by, and why: `scaling_` of an estimator.

    It is a transformer, which needs no fit, for pipelines with any other method.
    """

    # (n_features,): what each column, less its mean, was divided by; units of X
    divisors: Array
    # "none", "standardized", "range", "shrunken range" or "given"
    method: str
    # Power of the ranges by which columns were divided, in [0, 1]; None if nothing was chosen
    alpha: float | None = None
    # Part of the features that carry the clusters of the standardised data; None if nothing was chosen
    carrying: float | None = None
    # Adjusted Rand index of the clusters with those of the standardised data; None where these are the fit,
    # or were found on a sample
    agreement: float | None = None

    @property
    def n_features_in_(self) -> int:
        """The number of columns."""
        return len(self.divisors)

    def __sklearn_is_fitted__(self) -> bool:
        """The divisors are known."""
        return True

    def fit(self, X: Any, y: object = None) -> Self:
        """Check the number of columns; the divisors stay."""
        self._checked(X)
        return self

    def transform(self, X: Any) -> Any:
        """Columns divided by the divisors, sparse ones too; centre them where that matters."""
        found: Any = self._checked(X)
        if isinstance(found, np.ndarray):
            return found / self.divisors
        by: Any = diags_array(1 / self.divisors)  # no division of a sparse matrix by a row keeps it sparse
        return found @ by

    def _checked(self, X: Any) -> Any:
        found = check_array(
            X, accept_sparse="csr", ensure_all_finite="allow-nan", dtype=FLOATS, input_name="X"
        )
        _check_n_features(self, found, reset=False)
        return found

    def in_short(self) -> str:
        """How the columns were scaled."""
        if self.method != "shrunken range":
            return SAID[self.method]
        return "as given" if self.alpha == 0 else f"by ranges^{self.alpha:.2g}"

    def in_words(self) -> str:
        """What was chosen and why."""
        if self.carrying is None:
            return self.in_short()
        share = f"{self.carrying:.0%} of the features carry the clusters of standardised columns"
        if self.alpha is None:
            return f"standardize='auto' divided by standard deviations: {share}"
        took = "took the columns as they are, because their ranges are alike"
        if self.alpha > 0:
            took = f"divided by ranges^{self.alpha:.2g}"
        also = "" if self.agreement is None else f", whose index with these is {self.agreement:.2f}"
        return f"standardize='auto' {took}; {share}{also}"


SAID = {
    "none": "as given",
    "standardized": "standardised",
    "range": "by ranges",
    "given": "by given numbers",
}
"""The ways in the words of the summary."""


def shrunken_ranges(top: Array, bottom: Array, deviation: Array, power: float = 1.0) -> tuple[Array, float]:
    """Give what each column is divided by, and the power of its range that this amounts to.

    What is not taken for units stays as the scale of the divided columns, to the given power. Their mean
    variance is 1. Constant columns take no part.

    Shapes: top, bottom, deviation (p,): extremes and standard deviations, units of X; returns (p,).
    """
    half = top / 2 - bottom / 2  # whole ranges may overflow
    varies = (half > 0) & (deviation > 0)
    divisors = np.ones(len(top))
    if not varies.any():
        return divisors, 0.0
    # The logarithm of the range is that of its half plus log 2.
    ranges = np.log(half[varies]) + np.log(2)
    alpha = unit_part(ranges)
    left = power * np.clip((1 - alpha) * (ranges - np.median(ranges)), -WIDEST, WIDEST)
    logs = ranges - left
    # Variances of the divided columns; sorted, so that their mean does not depend on the order of columns.
    spread = np.exp(2 * (np.log(deviation[varies]) - logs))
    fraction, exponent = np.frexp(np.exp(logs + np.log(np.sort(spread).mean()) / 2))
    divisors[varies] = np.ldexp(np.rint(fraction * DIGITS) / DIGITS, exponent)
    return divisors, 1 - power * (1 - alpha)


def unit_part(ranges: Array) -> float:
    """Part of the logarithms of ranges that is taken for units: all of it where they vary much."""
    variance = float(np.sort(ranges).var())
    if variance <= ONE_UNIT**2:
        return 0.0
    # James and Stein (1961): this is the part of the variance that one unit does not explain.
    linear = 1 - ONE_UNIT**2 / variance
    beyond = min(max((variance - MANY_UNITS) / (ONLY_UNITS - MANY_UNITS), 0.0), 1.0)
    return linear + (1 - linear) * beyond


@dataclass(frozen=True, slots=True)
class ScaleChoice:
    """The choice of a fit."""

    divisor: Any  # What the columns are divided by: True for their deviations, or an array (p,)
    carrying: float  # as in `ColumnScaling`
    alpha: float | None = None  # as in `ColumnScaling`
    labels: Any = None  # of the standardised path, during a fit; None where it ran on a sample
    agreement: float | None = None  # as in `ColumnScaling`

    def compared(self, index: float) -> ScaleChoice:
        """The same with the index of the clusters of the standardised data; warns of a small one."""
        if index < DISAGREEMENT:
            took = (
                "left the columns as they are" if self.alpha == 0 else f"divided by ranges^{self.alpha:.2g}"
            )
            warnings.warn(
                f"standardize='auto' {took}, and on standardised columns the clusters differ: index "
                f"{index:.2f}. Look at both, and say standardize=True, False or 'range' if you know "
                "the units",
                SelectionWarning,
                stacklevel=callers_level(),
            )
        return replace(self, labels=None, agreement=index)


def choose_scale(problem: Any, choice: Any, columns: Array, power: float) -> ScaleChoice | None:
    """Choose the scale for the rows of a standardised problem; None where the data do not tell.

    `columns` are those that may be used; the others keep their deviations.
    """
    if choice.carrying is None:
        return None
    if choice.carrying <= SPARSE:
        return ScaleChoice(True, choice.carrying)
    scaling: Scaling = problem.scaling
    top, bottom = problem.moments.ends(np.float64)
    with np.errstate(over="ignore"):
        # Spreads are those of x * unit; divided by the unit they are in the units of X.
        divisors = scaling.spread.astype(np.float64) / scaling.unit
        if not np.isfinite(divisors).all():  # deviations beyond all doubles stay in their own units
            return None
        # Columns that may not be used have no say in how much the ranges vary.
        found, alpha = shrunken_ranges(top[columns], bottom[columns], divisors[columns], power)
    if not (np.isfinite(found) & (found > 0)).all():
        return None
    divisors[columns] = found
    return ScaleChoice(divisors, choice.carrying, alpha, choice.labels)


def column_scaling(scaling: Scaling, given: Any, choice: ScaleChoice | None) -> ColumnScaling:
    """What `scaling_` says of a fit with this value of `standardize`."""
    with np.errstate(over="ignore"):
        divisors = scaling.spread.astype(np.float64) / scaling.unit
    if choice is not None:
        method = "standardized" if choice.alpha is None else "shrunken range"
        return ColumnScaling(divisors, method, choice.alpha, choice.carrying, choice.agreement)
    if isinstance(given, ColumnScaling):
        return given
    if isinstance(given, str):
        return ColumnScaling(divisors, "range" if given == "range" else "standardized")
    if np.ndim(given):
        return ColumnScaling(divisors, "given")
    return ColumnScaling(divisors, "standardized" if given else "none")
