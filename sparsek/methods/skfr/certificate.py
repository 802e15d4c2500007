"""How far a fit of SKFR can be from the best one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.inputs.arguments import check_arguments, count
from sparsek.inputs.containers import holds_sparse
from sparsek.inputs.threads import thread_control
from sparsek.inputs.validation import is_dask
from sparsek.methods.skfr.bounds import BOUNDS, Bound, Explained, RankedColumns, largest_eigenvalues
from sparsek.methods.skfr.one_dimension import EPS, GRID_TERMS, ROUNDINGS, best_gains
from sparsek.summary.tables import wrapped

Array = NDArray[Any]

BLOCK_ENTRIES = 16_000
"""Entries of columns that are worked on side by side: a few arrays of this size stay in the cache."""
MOST_EIGENVALUES = 1000
"""With more selected features and rows than this, eigenvalues take too long."""
MOST_PRODUCTS = 5e9
"""With more multiplications than this, the matrix of products takes too long."""
SAME = 1e-4
"""Data are refused as not those of the fit where sums of squares differ by more than this, relatively."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """How far a fit of `SKFR` can be from the best labels and features.

    All bounds hold for the data as the fit standardises them, for any `n_clusters` clusters and any set of
    as many features. They have been raised by more than rounding can have lowered them. Numbers above the
    largest double are infinite.

    The parameters are attributes too.

    Parameters
    ----------
    explained : float
        Sum of squares that the clusters explain in the selected features, ``tss_ - objective_`` of the fit,
        squared standardised units.
    explained_bound : float
        No labels and no features explain more; the same unit.
    objective : float
        `objective_` of the fit, the same unit.
    objective_bound : float
        No labels and no features have a smaller objective; the same unit.
    ratio : float
        ``explained / explained_bound``, dimensionless, from 0 to 1; 1 if `optimal`.
    excess : float
        ``objective / objective_bound - 1``, dimensionless; 0 if `optimal`, infinite where that bound is 0.
        Features that are not selected are in both, so with many of them it is small for any fit.
    optimal : bool
        Whether the bound is reached, but for twice the margin: no labels and features are better.
    bound_from : {"intervals", "pairs", "eigenvalues", "branches"}
        Which bound is the smallest: that of single features, of the products of pairs of features, of the
        eigenvalues of all features, or of branch and bound over sets of features.
    ratio_selected : float
        The ratio to the bound of the selected features alone: other labels, the same features. At least
        `ratio`.
    feature_bounds : ndarray of shape (n_features,)
        What any labels explain at most of each feature, squared standardised units.
    margin : float
        How much `explained_bound` was raised for rounding, the same unit.
    n_clusters, n_selected : int
        Numbers of clusters and of selected features.

    See Also
    --------
    SKFR.certificate : The certificate of a fit.
    """

    explained: float
    explained_bound: float
    objective: float
    objective_bound: float
    ratio: float
    excess: float
    optimal: bool
    bound_from: str
    ratio_selected: float
    feature_bounds: NDArray[np.float64] = field(repr=False)
    margin: float
    n_clusters: int
    n_selected: int

    def __str__(self) -> str:
        p, few = len(self.feature_bounds), f"No {self.n_clusters} clusters"
        if self.n_selected < p:
            few += f" and no {self.n_selected} of the {p} features"
        lines = [
            f"The clusters explain {self.explained:.5g} in the selected features.",
            f"{few} explain more than {_upwards(self.explained_bound)}, by {BOUNDS[self.bound_from]}.",
        ]
        if self.optimal:
            return "\n".join(map(wrapped, [*lines, "So nothing is better than the fit."]))
        also = f", and its objective is at most {_percent(self.excess, np.ceil)} above the least possible"
        lines += [
            f"So the fit explains at least {_percent(self.ratio, np.floor)} of the best possible"
            f"{also if self.excess < np.inf else ''}.",
            f"With the same features, any clusters: at least {_percent(self.ratio_selected, np.floor)}.",
        ]
        return "\n".join(map(wrapped, lines))


def _percent(share: float, rounded: Callable[[float], float]) -> str:
    """A share in percent with one digit, rounded in the cautious direction."""
    return f"{rounded(share * 1000) / 10:.1f} %"


def _upwards(value: float) -> str:
    """A positive number with five digits, rounded up."""
    if not 0 < value < np.inf:
        return f"{value:.5g}"
    unit = 10.0 ** (np.floor(np.log10(value)) - 4)
    return f"{np.ceil(value / unit) * unit:.5g}"


def certify(model: Any, X: Any, max_nodes: int) -> Certificate:
    """The certificate of a fitted `SKFR`; TypeError or ValueError for fits and data that it does not take."""
    rows = _checked_rows(model, X, max_nodes)
    k, selected, totals = int(model.n_clusters), model._columns, model._column_total
    s, total, convert = len(selected), float(totals.sum()), model._in_square_units
    fit = Explained(float(model.feature_weights_ @ totals), float(np.sort(totals)[-s:].sum()))
    with thread_control().limit(limits=1):
        gains, errors = rows.best_gains(k)
        best = Bound.of_intervals(gains, errors, s)
        if not best.is_reached_by(fit) and rows.data.size * float(len(gains)) <= MOST_PRODUCTS:
            best = rows.all_columns(gains, s, k).least(best, fit, max_nodes)
        # The bound for all sets of features holds for the selected ones too.
        given = min(best.value, rows.bound_of(selected, gains, k))
    optimal, least = best.is_reached_by(fit), max(total - best.value, 0.0)
    return Certificate(
        explained=float(convert(fit.value)),
        explained_bound=float(convert(best.value)),
        objective=model.objective_,
        objective_bound=float(convert(least)),
        ratio=1.0 if optimal else fit.value / best.value,
        excess=0.0 if optimal else (total - fit.value) / least - 1 if least > 0 else np.inf,
        optimal=optimal,
        bound_from=best.source,
        ratio_selected=1.0 if optimal or given <= 0 else min(fit.value / given, 1.0),
        feature_bounds=convert(gains),
        margin=float(convert(best.margin)),
        n_clusters=k,
        n_selected=s,
    )


def _checked_rows(model: Any, X: Any, max_nodes: int) -> FittedRows:
    """The rows of positive weight of the fit; TypeError or ValueError for what has no certificate."""
    check_arguments("certificate", {"max_nodes": [count(0)]}, max_nodes=max_nodes)
    for name, wanted in (("loss", "squared"), ("projection", None), ("scope", "global"), ("groups", None)):
        if getattr(model, name) != wanted:
            raise ValueError(
                f"a certificate bounds the squared loss with one set of ranked features; got "
                f"{name}={getattr(model, name)!r}: fit with {name}={wanted!r}"
            )
    data = None if is_dask(X) or holds_sparse(X) else model._validate_new(X)
    if not isinstance(data, np.ndarray):
        raise TypeError(
            f"a certificate needs the data of the fit as a dense array in memory; got {type(X).__name__}: "
            "load it, or convert it with '.toarray()' or '.compute()'"
        )
    if np.isnan(data).any():
        row, column = np.argwhere(np.isnan(data))[0].tolist()
        raise ValueError(
            f"X[{row}, {column}] is NaN, and a certificate bounds the loss of complete data; impute first, "
            "for example with KPod(...).fit(X).impute(), and fit again"
        )
    weights = model._fit_weights
    if weights is not None and len(weights) != len(data):
        raise ValueError(f"X has {len(data)} rows, and the fit had {len(weights)}; pass the X of the fit")
    kept = slice(None) if weights is None else weights > 0
    return FittedRows(model, model._clipped(data[kept]), None if weights is None else weights[kept])


@dataclass(frozen=True, slots=True)
class FittedRows:
    """Rows of a fit, of which some columns are prepared at a time."""

    model: Any  # the fitted SKFR
    data: Array  # (n, p), of positive weight
    weights: Array | None  # (n,)

    def columns(self, chosen: Array) -> Array:
        """These columns as the fit compares them, (n, m) float64."""
        prepared: Array = self.model._scaling.apply(self.data, chosen)[:, :-1]
        return prepared.astype(np.float64)

    def best_gains(self, n_clusters: int) -> tuple[Array, Array]:
        """`best_gains` of all columns; ValueError if they are not those of the fit."""
        n, p = self.data.shape
        found = np.empty((2, p))
        step = max(1, BLOCK_ENTRIES // n)
        for start in range(0, p, step):
            some = np.arange(start, min(start + step, p))
            Z = self.columns(some)
            self._check(Z, some)
            found[:, some] = best_gains(Z, self.weights, n_clusters)
        return found[0], found[1]

    def _check(self, Z: Array, chosen: Array) -> None:
        """ValueError if the sums of squares of some columns are not those of the fit up to rounding."""
        scaling, total = self.model._scaling, self.model._column_total[chosen]
        w = np.ones(len(Z)) if self.weights is None else self.weights
        squares = w @ np.square(Z)
        # A rounded mean moves all rows alike, and the root of their sum of squares by sqrt(n) times that.
        last_place = np.finfo(scaling.offset.dtype).eps * np.abs(scaling.offset / scaling.spread)[chosen]
        rounding = SAME * np.sqrt(total) + ROUNDINGS * last_place * np.sqrt(w.sum())
        other = np.flatnonzero(~(np.abs(np.sqrt(squares) - np.sqrt(total)) <= rounding))
        if len(other):
            j = int(other[0])
            raise ValueError(
                f"column {chosen[j]} of X has the sum of squares {squares[j]:.6g} in the scale of the fit, "
                f"and in the fit it had {total[j]:.6g}; pass the X of the fit"
            )

    def scaled(self, chosen: Array, n_clusters: int) -> tuple[Array, float]:
        """Scale some columns by the roots of the weights; bound what rounding takes from their eigenvalues.

        That is rounding, and what the means of the columns, which are 0 up to rounding, would explain.
        """
        Z = self.columns(chosen)
        w = np.ones(len(Z)) if self.weights is None else self.weights.astype(np.float64)
        means = float((np.square(w @ Z) / w.sum()).sum())
        # With the roots of the weights as factors, sums of squares of the rows are weighted ones.
        Z *= np.sqrt(w)[:, None]
        share = ROUNDINGS * (sum(Z.shape) + GRID_TERMS) * EPS
        return Z, n_clusters * share * float(np.square(Z).sum()) + means

    def bound_of(self, chosen: Array, gains: Array, n_clusters: int) -> float:
        """What any labels explain at most in these features."""
        bound = float(gains[chosen].sum())
        if min(len(self.data), len(chosen)) > MOST_EIGENVALUES:
            return bound
        Z, error = self.scaled(chosen, n_clusters)
        # Both products have the same positive eigenvalues; the smaller one is cheaper.
        products = Z.T @ Z if Z.shape[1] <= len(Z) else Z @ Z.T
        return min(bound, largest_eigenvalues(products, n_clusters - 1) + error)

    def all_columns(self, gains: Array, n_selected: int, n_clusters: int) -> RankedColumns:
        """All columns, those with the largest gains first."""
        order = np.argsort(-gains, kind="stable")
        Z, error = self.scaled(order, n_clusters)
        return RankedColumns(Z, gains[order], n_selected, n_clusters - 1, error)
