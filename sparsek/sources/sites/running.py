"""What a site keeps during one fit: rows, labels and coordinates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sparsek.core.exact_sums import Extremes, Grid, sum_grid
from sparsek.core.scaling import Scaling
from sparsek.core.steps import Array, ClusterSums, Labels, nearest_center
from sparsek.sources.blocks import DenseSteps
from sparsek.sources.local import LocalRows, RowReader
from sparsek.sources.sites.question import MOST_NAMES, Question
from sparsek.sources.source import ArraySource


class SiteFit:
    """What a site keeps during one fit: rows of positive weight, labels and coordinates by their names."""

    def __init__(
        self, X: Array, weights: Array | None, n_rows: int, heaviest: float | None, n_clusters: int
    ) -> None:
        # The grid of all sites rests on their number of rows and their largest weight.
        own = 0.0 if weights is None else float(np.max(weights, initial=0))
        if len(X) > n_rows or own > (own if heaviest is None else heaviest):
            raise ValueError(
                f"n={n_rows} and heaviest={heaviest} must be those of all sites; this one has more rows, or "
                "a larger weight"
            )
        self.X, self.weights, self.n_rows = X, weights, n_rows
        self.heaviest, self.n_clusters = heaviest, n_clusters
        self.ends = Extremes.of(X)
        self.held: dict[int, Labels] = {}
        self._readers: dict[int, RowReader] = {}
        self._current: tuple[int, int] = (-1, -1)  # names of the coordinates and labels of `_rows`
        self._rows: LocalRows | None = None
        self.known: ClusterSums | None = None  # sums of `_rows`
        self._nearest: tuple[Array, Array] | None = None  # columns and centres of the last assignment

    @property
    def heaviest_weight(self) -> Array | None:
        """The largest weight of all sites, as an array of weights; None for rows without weights."""
        return None if self.heaviest is None else np.array([self.heaviest])

    def labels(self, name: int) -> Labels:
        """Labels by their name."""
        if name not in self.held:
            raise ValueError(f"this site holds no labels of the name {name}; ask 'labels' or 'assign' first")
        return self.held[name]

    def reader(self, asked: Question) -> RowReader:
        """The rows in the coordinates that a question names; it describes them at first use."""
        name, p = asked.number("coordinates", MOST_NAMES), self.X.shape[1]
        if "offset" in asked:
            parts = [asked.array(part, (p,)) for part in ("unit", "offset", "spread", "reach")]
            if (parts[0] <= 0).any() or (parts[2] <= 0).any():
                raise ValueError(f"units and spreads of the coordinates {name} must be positive")
            unit, offset, spread = (part.astype(self.X.dtype) for part in parts[:3])
            scaling = Scaling(unit, offset, spread).gridded(self.ends.top, self.ends.bottom, self.n_rows)
            assert scaling.grid is not None  # just set
            # Rows beyond the agreed reach would not fit the grid that all sites share.
            if len(self.X) and not (scaling.grid.reach <= parts[3]).all():
                raise ValueError(f"rows of this site lie beyond the reach of the coordinates {name}")
            scaling = replace(scaling, grid=Grid.of_rows(parts[3], self.n_rows))
            steps = DenseSteps(
                scaling, self.n_clusters, sum_grid(parts[3], self.n_rows, self.heaviest_weight)
            )
            source = ArraySource(self.X, self.weights, np.ones(len(self.X), bool))
            self._readers[name] = RowReader(source.read, steps, source.cache, self.weights)
        if name not in self._readers:
            raise ValueError(f"this site knows no coordinates of the name {name}; describe them first")
        return self._readers[name]

    def at(self, asked: Question, name: int) -> tuple[LocalRows, ClusterSums]:
        """Rows with the labels of this name, and their sums."""
        reader, place = self.reader(asked), (asked.number("coordinates", MOST_NAMES), name)
        if self._rows is None or self.known is None or place != self._current:
            self._rows = LocalRows(reader, self.labels(name))
            self.known, self._current = self._rows.sums(), place
        return self._rows, self.known

    def assign(self, rows: LocalRows, centers: Array, columns: Array) -> bool:
        """Label every row, if there are any, with its nearest centre; whether one moved."""
        return len(self.X) > 0 and rows.assign(centers, columns)

    def moved_to(self, name: int, rows: LocalRows, known: ClusterSums, nearest: tuple[Array, Array]) -> None:
        """Note the labels after an assignment, and their sums."""
        self.held[name], self.known, self._nearest = rows.labels, known, nearest
        self._current = (self._current[0], name)

    def nearest(self, X: Array) -> Labels:
        """Nearest clusters of other rows, by the centres of the last assignment."""
        if self._nearest is None:
            raise ValueError("no row has been assigned at this site; ask 'assign' first")
        columns, centers = self._nearest
        dtype = self.X.dtype
        scaling = self._readers[self._current[0]].steps.scaling
        rows = scaling.apply(np.ascontiguousarray(X, dtype), columns)
        return nearest_center(rows, centers.astype(dtype))
