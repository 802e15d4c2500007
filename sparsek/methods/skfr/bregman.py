"""SKFR under Bregman divergences: Poisson, multinomial and Itakura-Saito.

Minimises sum_i w_i sum_l d(x_il, theta_label(i),l), where theta is the overall mean m_l outside the selected
features and d(x, y) = phi(x) - phi(y) - phi'(y) (x - y). The mean is the best centre for every convex phi:

    sum_i w_i d(x_i, y) = sum_i w_i d(x_i, mean) + (sum_i w_i) d(mean, y).

So cluster k gains n_k d(mean_kl, m_l) from feature l, and ranking keeps the largest gains.

Sources: Zhang, Lange and Xu (2020), Section 5; Banerjee, Merugu, Dhillon and Ghosh (2005), JMLR 6, 1705-1749.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import kl_div

from sparsek.core.exact_sums import row_chunks
from sparsek.core.scaling import Scaling, identity
from sparsek.core.steps import Array, ClusterSums, Labels, nonzero, used_features
from sparsek.methods.skfr.algorithm import Ranked, select_features
from sparsek.methods.skfr.problem import LossProblem
from sparsek.sources.local import AssignedRows, prepared_reader
from sparsek.sources.partial import pack
from sparsek.sources.protocol import Subspace
from sparsek.sources.source import ArraySource, RowProblem

CLOSE = 4 * float(np.sqrt(np.finfo(np.float64).eps))
"""Means that differ by less than this share are equal: their divergence is rounding error."""
LARGEST = np.float64(2.0**500)
"""Entries are 0 or from 1 / LARGEST to LARGEST, so that their sums and products stay finite."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """A Bregman divergence of numbers, d(x, y) = phi(x) - phi(y) - phi'(y) (x - y)."""

    # ``between(x, y)`` gives d entry by entry, exact and perhaps infinite where an argument is 0
    between: Callable[[Array, Array], Array]
    slope: Callable[[Array], Array]  # phi', -inf where a positive x has infinite divergence from y
    # y phi'(y) - phi(y), so that d(x, y) = phi(x) - x phi'(y) + intercept(y)
    intercept: Callable[[Array], Array]
    # A map of the data after which squared differences are about proportional to d, for starts
    stabilize: Callable[[Array], Array]
    # phi''(y) ** -0.5, up to a constant the standard deviation that d stands for
    deviation: Callable[[Array], Array]
    takes_zero: bool = True  # Whether 0 is in the domain; negative numbers never are
    of_shares: bool = False  # Whether rows are divided by their totals, which become weights


def _itakura_saito(x: Array, y: Array) -> Array:
    """x / y - log(x / y) - 1."""
    ratio = x / y
    return np.asarray(ratio - np.log(ratio) - 1)


def _log(y: Array) -> Array:
    """The logarithm, -inf at 0 without a warning."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(y))


DIVERGENCES = {
    # phi(y) = y log y - y has the slope log y and the intercept y.
    "poisson": Divergence(kl_div, _log, np.positive, np.sqrt, np.sqrt),
    "multinomial": Divergence(kl_div, _log, np.positive, np.sqrt, np.sqrt, of_shares=True),
    # phi(y) = -log y has the slope -1 / y and the intercept log y - 1, without its constant.
    "itakura-saito": Divergence(
        _itakura_saito, lambda y: -1 / y, _log, np.log, np.positive, takes_zero=False
    ),
}
"""The divergences by the name of their `loss`. An intercept may leave out a constant."""


@dataclass(frozen=True, slots=True)
class BregmanData:
    """Data of one fit."""

    divergence: Divergence  # The loss
    # (n, p + 1) or (n, 2 p + 1) float64: the values, with holes 1 where observed and 0 where not (values in
    # holes are 0), then ones
    rows: Array
    overall: Array  # (p,): weighted means of the observed values of the columns

    @property
    def values(self) -> Array:
        """Values with 0 in the holes, (n, p)."""
        return self.rows[:, : len(self.overall)]

    @property
    def observed(self) -> Array | None:
        """A mask (n, p), which is 1 where a value is observed and 0 in a hole; None without holes."""
        p = len(self.overall)
        return self.rows[:, p:-1] if self.rows.shape[1] > p + 1 else None

    @property
    def completed(self) -> Array:
        """Values with the overall means in the holes, (n, p)."""
        seen = self.observed
        return self.values if seen is None else np.where(seen > 0, self.values, self.overall)


def as_shares(X: Array, weights: Array | None = None) -> tuple[Array, Array]:
    """Rows divided by their totals, and the totals times the weights; rows of zeros have no weight."""
    totals = X.sum(axis=1, dtype=np.float64)
    return (X / nonzero(totals)[:, None]).astype(X.dtype), totals if weights is None else totals * weights


def packed(X: Array) -> Array:
    """Values, NaN in holes, in the form of `BregmanData.rows`."""
    values = X.astype(np.float64)
    return pack(values).filled if np.isnan(values).any() else np.column_stack([values, np.ones(len(X))])


def bregman_data(X: Array, weights: Array | None, divergence: Divergence) -> BregmanData:
    """Check the values, with NaN in holes, and find their overall means.

    A column without values has the mean 0, or 1 where the domain has no 0.
    """
    mass = _mass(X, weights)
    rows = packed(X)
    counts = mass @ ~np.isnan(X)
    overall = (mass @ rows[:, : X.shape[1]]) / nonzero(counts)
    if not divergence.takes_zero:
        # A column without any value needs some mean of its domain; it has no gain in any case.
        overall[counts == 0] = 1
    return BregmanData(divergence, rows, overall)


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenRows(RowProblem):
    """Rows that centres given by the user label by their divergence."""

    data: BregmanData  # The rows
    # ``check(centers, "init")`` raises ValueError for centres outside the domain
    check: Callable[[Array, str], None]

    def nearest(self, subspace: Subspace, centers: Array) -> Labels:
        """Labels of the least divergent centres."""
        self.check(centers, "init")
        columns, everything = subspace.columns, len(subspace.columns) == len(self.data.overall)
        return least_divergent(self.data, centers, None if everything else columns)


def divergence_problem(
    source: ArraySource, n_clusters: int, divergence: Divergence, loss: Any
) -> LossProblem:
    """Rows under a divergence; starts are drawn where squared distances are about proportional to it."""
    X, weights = source.dense(), source.weights
    if divergence.of_shares:
        X, weights = as_shares(X, weights)
    data = bregman_data(X, weights, divergence)
    completed = data.completed
    stable = ArraySource(divergence.stabilize(completed), weights, source.kept)
    drawn = RowProblem.of(stable, stable.moments(), n_clusters, divisor=False)
    rows = partial(BregmanRows, data, n_clusters=n_clusters, weights=weights)
    total, ones = column_totals(data, weights), np.ones(X.shape[1])
    same, plain = ArraySource(completed, weights, source.kept), identity(X.shape[1], np.float64)
    given = GivenRows(same, n_clusters, drawn.moments, plain, total, rows, data=data, check=loss.check)
    scaling = Scaling(ones, data.overall, ones)
    rank, own = partial(rank_bregman, data=data), ArraySource(X, weights, source.kept)
    more: dict[str, Any] = {"rank": rank, "loss": loss, "drawn": drawn, "given": given}
    return LossProblem(own, n_clusters, drawn.moments, scaling, total, rows, **more)


def column_totals(data: BregmanData, weights: Array | None) -> Array:
    """Weighted divergence of each column from its overall mean, (p,)."""
    total, mass = np.zeros(len(data.overall)), _mass(data.rows, weights)
    for rows, found in _divergences(data, np.zeros(len(mass), np.int32), data.overall[None]):
        total += mass[rows] @ found
    return total


def row_losses(data: BregmanData, labels: Labels, centers: Array) -> Array:
    """Divergence of each row from the centre of its label, shape (n,)."""
    return np.concatenate([found.sum(axis=1) for _, found in _divergences(data, labels, centers)])


def row_divergences(data: BregmanData, centers: Array) -> Array:
    """Divergence of each row from each of the centres, shape (n, n_clusters)."""
    n = len(data.rows)
    return np.column_stack([row_losses(data, np.full(n, k, np.int32), centers) for k in range(len(centers))])


def _mass(X: Array, weights: Array | None) -> Array:
    """The weights of the rows of X as numbers."""
    return np.ones(len(X)) if weights is None else weights.astype(np.float64)


def _divergences(data: BregmanData, labels: Labels, centers: Array) -> Iterator[tuple[slice, Array]]:
    """Slices of rows with the divergences (m, p) of their observed entries from the centres of the labels."""
    for rows in row_chunks(data.rows):
        seen = None if data.observed is None else data.observed[rows] > 0
        target = centers[labels[rows]]
        # Holes take the value of the centre, whose divergence from itself is finite in every domain.
        values = data.values[rows] if seen is None else np.where(seen, data.values[rows], target)
        found = data.divergence.between(values, target)
        yield rows, found if seen is None else np.where(seen, found, 0)


def rank_bregman(sums: ClusterSums, *, data: BregmanData, **ranking: Any) -> Ranked:
    """The s features with the largest gains n_k d(mean_kl, m_l), and the cluster means there.

    With holes n_k is the weight of the observed entries of the feature in the cluster. Elsewhere, and in
    clusters without a row, the centre is the overall mean.
    """
    overall, p = data.overall, len(data.overall)
    counts = sums.counts[:, None] if data.observed is None else sums.sums[:, p:-1]
    means = sums.sums[:, :p] / nonzero(counts)
    # The divergence of close means is quadratic in their difference: below sqrt(eps) it is only rounding.
    differs = (counts > 0) & (np.abs(means - overall) > CLOSE * overall)
    means = np.where(differs, means, overall)
    gains = np.where(
        differs, counts * data.divergence.between(means, np.broadcast_to(overall, means.shape)), 0
    )
    selected, columns, theta, explained = select_features(gains, means, **ranking)
    if ranking["local"]:
        theta = np.where(used_features(selected, p), means, overall)[:, columns]
    return Ranked(selected, columns, theta, explained, gains)


class BregmanRows(AssignedRows):
    """Rows with a label each, assigned by their divergence from the centres.

    Shapes: labels (n,) int32, weights (n,).
    """

    def __init__(
        self, data: BregmanData, labels: Labels, n_clusters: int, weights: Array | None = None
    ) -> None:
        super().__init__(prepared_reader(data.rows, n_clusters, weights), labels)
        self.data = data

    def _nearest(self, centers: Array, columns: Array | None) -> Labels:
        return least_divergent(self.data, centers, columns)


def least_divergent(data: BregmanData, centers: Array, columns: Array | None = None) -> Labels:
    """Index of the centre with the smallest divergence over the columns; ties go to the lowest index.

    Divergences that differ by no more than their rounding errors may be equal, and count as ties.
    Of centres that are all infinitely far those come first that have a 0 for the smallest sum of entries.
    Scores are divergences less those from the overall mean, which is the same for all centres.
    """
    chosen = slice(None) if columns is None else columns
    values, overall, divergence = data.values[:, chosen], data.overall[chosen], data.divergence
    slopes, slope = divergence.slope(centers), divergence.slope(overall)
    intercepts, intercept = divergence.intercept(centers), divergence.intercept(overall)
    # A positive entry is infinitely far from a centre of 0. Such pairs are counted apart, below.
    impossible = np.isneginf(slopes)
    sizes = np.abs(np.where(impossible, 0, slopes)).max(axis=0) + np.where(np.isinf(slope), 0, np.abs(slope))
    constants = np.abs(intercepts).max(axis=0) + np.abs(intercept)
    with np.errstate(invalid="ignore"):  # -inf - -inf in columns of zeros
        slopes = np.where(impossible, 0, slopes - slope)
    intercepts = intercepts - intercept
    if data.observed is None:
        scores, size = intercepts.sum(axis=1) - values @ slopes.T, constants.sum() + values @ sizes
    else:
        seen = data.observed[:, chosen]
        scores, size = seen @ intercepts.T - values @ slopes.T, seen @ constants + values @ sizes
    if impossible.any():
        lost = values @ impossible.T.astype(values.dtype)
        scores = np.where(lost > lost.min(axis=1, keepdims=True), np.inf, scores)
    # A sum of m products is exact up to m roundings of the sum of their sizes; a slope has few of its own.
    error = (len(overall) + 4) * np.finfo(np.float64).eps * size
    labels: Labels = (scores <= (scores.min(axis=1) + error)[:, None]).argmax(axis=1).astype(np.int32)
    return labels
