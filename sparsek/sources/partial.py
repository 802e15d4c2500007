"""Rows in memory with missing entries (holes), which are left out of sums and distances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsek.core.exact_sums import Grid
from sparsek.core.steps import Array, Labels, Ties, length
from sparsek.sources.local import AssignedRows, prepared_reader


@dataclass(frozen=True, slots=True)
class PartialData:
    """Standardised data with holes."""

    # (n, 2 p + 1): the values with 0 in the holes, then 1 where observed and 0 where not, then a column of
    # ones
    filled: Array
    n_features: int  # Number p of features
    tss: float  # Sum of squares of the observed values

    @property
    def values(self) -> Array:
        """Values with 0 in the holes, (n, p)."""
        return self.filled[:, : self.n_features]

    @property
    def observed(self) -> Array:
        """1 where observed, 0 in the holes, (n, p)."""
        return self.filled[:, self.n_features : -1]

    def of(self, columns: Array, weights: Array | None = None) -> PartialData:
        """Some of the features, with the sample weights of the rows."""
        seen = self.observed[:, columns] != 0
        return pack(np.where(seen, self.values[:, columns], np.nan), weights)


def pack(Z: Array, weights: Array | None = None) -> PartialData:
    """Standardised data (n, p) with NaN as `PartialData`."""
    n, p = Z.shape
    filled = np.ones((n, 2 * p + 1), dtype=Z.dtype)
    observed = ~np.isnan(Z)
    filled[:, p:-1] = observed
    filled[:, :p] = np.where(observed, Z, 0)
    squares = np.einsum("ij,ij->i", filled[:, :p], filled[:, :p], dtype=np.float64)
    return PartialData(filled, p, float(squares.sum() if weights is None else weights @ squares))


class ObservedRows(AssignedRows):
    """Rows with holes and a label each: cluster sums and distances use the observed entries only.

    Shapes: labels (n,) int32, weights (n,).

    Cluster sums have 2 p + 1 columns: sums of the observed values, their numbers, and the cluster size.
    """

    def __init__(
        self,
        data: PartialData,
        labels: Labels,
        n_clusters: int,
        weights: Array | None = None,
        grid: Grid | None = None,
    ) -> None:
        # The columns of the mask hold 0 and 1, whose sums count the observed values of each cluster.
        both = None if grid is None else Grid.of_rows(observed_reach(grid), len(data.filled))
        super().__init__(prepared_reader(data.filled, n_clusters, weights, both), labels)
        known = self.reader.steps.scaling.grid
        assert known is not None  # always set for prepared rows
        self.data, self.reach = data, known.reach[: data.n_features]

    def _nearest(self, centers: Array, columns: Array | None) -> Labels:
        chosen = slice(None) if columns is None else columns
        values, observed = self.data.values[:, chosen], self.data.observed[:, chosen]
        return nearest_observed(values, observed, centers, length(self.reach[chosen]))


def observed_reach(grid: Grid) -> Array:
    """How far the values with this grid reach, and then 1 for each column of the mask of observed values."""
    return np.concatenate([grid.reach, np.ones(len(grid.reach))])


def nearest_observed(values: Array, observed: Array, centers: Array, size: float | None = None) -> Labels:
    """Index of the centre with the smallest squared distance over the observed features of each row.

    Values are 0 in the holes. `size` bounds the lengths of the rows; None: they are measured.
    """
    centers = centers.astype(values.dtype, copy=False)
    if size is None:
        size = float(np.sqrt(np.einsum("ij,ij->i", values, values).max(initial=0)))
    # A centre's length counts only where the row is observed, so that it comes from a product with the mask.
    scores = observed @ (0.5 * centers * centers).T
    scores -= values @ centers.T
    labels: Labels = scores.argmin(axis=1).astype(np.int32)
    ties = Ties.of(centers, size, lambda rows: values[rows], lambda rows: observed[rows])
    ties.settle(scores.T, scores.min(axis=1), labels)
    return labels


def observed_loss(data: PartialData, labels: Labels, centers: Array, weights: Array | None) -> float:
    """Sum over the observed entries of the squared differences from the centres (n_clusters, p)."""
    difference = (data.values - centers[labels]) * data.observed
    squares = np.einsum("ij,ij->i", difference, difference, dtype=np.float64)
    return float(squares.sum() if weights is None else weights @ squares)
