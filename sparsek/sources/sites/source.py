"""The rows of some sites as a source of a fit: questions go out, counts and exact sums come back.

What the sites answer is added in whole numbers, so that every result is the same however the rows are split.
It is that of one site with all rows, and of the same rows in an array.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.core.exact_sums import Extremes, Grid, Moments, MomentSums, sum_grid
from sparsek.core.scaling import Scaling
from sparsek.core.steps import Array, ClusterSums, Labels, length
from sparsek.inputs.containers import numbers
from sparsek.inputs.validation import check_array
from sparsek.sources.protocol import NO_LABELS, Subspace
from sparsek.sources.sites.coordinator import Answers, Coordinator, answers_to, describe

SPREAD_BITS = 22
"""Where columns have agreed bounds, rounding must leave this many bits of their variance."""
NO_ROWS = (
    "init has row numbers, but the rows stay at their sites; give centres of shape (n_clusters, n_features), "
    "or a label for each row"
)
ROOM = 1 + 2.0**-20
"""A bound is multiplied by this, so that rounding cannot make it too small."""


class SiteSource:
    """The rows of all sites; see `sparsek.sources.source.Source`. Nothing here holds a row.

    Shapes: X (n, p), bounds (2, p).
    """

    sample_entries: float | None = None
    rescales = True
    holes = False
    levels: Array | None = None
    batches: Labels | None = None
    weights: Array | None = None

    _extremes: Extremes  # set by `begin`
    _bounds: Array | None  # (2, p), set by `begin`
    told_sizes: Array  # (n_clusters,): sizes of the clusters, or their weights, that the sites told last

    def __init__(self, sites: Coordinator, n_clusters: int) -> None:
        self.sites, self.n_clusters = sites, n_clusters
        self._begun = len(sites.rounds)
        found = describe(sites)
        self.names, self.shape, self.weighted = found.names, (found.n_rows, found.n_columns), found.weighted
        self.dtype = np.dtype(np.float32 if found.single else np.float64)
        self.heaviest = np.array([found.heaviest]) if found.weighted else None
        self.kept: NDArray[np.bool_] = np.broadcast_to(True, sum(found.sizes))
        self._sizes, self._n_names = found.sizes, 0

    @property
    def n_passes(self) -> int:
        """How many questions were asked."""
        return len(self.sites.rounds) - self._begun

    def new_name(self) -> int:
        """A number that names labels or coordinates at the sites."""
        self._n_names += 1
        return self._n_names

    def begin(self, bounds: Array | None = None) -> None:
        """Begin a fit at the sites, which tell the extremes of their columns if these have no bounds."""
        parts: dict[str, Any] = {
            "n": self.shape[0],
            "n_clusters": self.n_clusters,
            "single": int(self.dtype == np.float32),
            "weighted": int(self.weighted),
            "heaviest": 1.0 if self.heaviest is None else float(self.heaviest[0]),
        }
        self._bounds = bounds
        if bounds is not None:
            low, high = bounds
            answers_to(self.sites, "begin", low=low, high=high, **parts)
        else:
            answers = answers_to(self.sites, "begin", **parts)
            shape = (self.shape[1],)
            high = np.max(answers.arrays("top", shape, "f"), axis=0)
            low = np.min(answers.arrays("bottom", shape, "f"), axis=0)
        self._extremes = Extremes(high.astype(self.dtype), low.astype(self.dtype))

    def moments(self, unit: Array | None = None) -> Moments:
        """Column statistics; on request of x * unit."""
        n, ends = self.shape[0], self._extremes
        if unit is not None:
            ends = Extremes(ends.top * unit, ends.bottom * unit)
        parts: dict[str, Any] = {} if unit is None else {"unit": unit}
        answers = answers_to(self.sites, "moments", top=ends.top, bottom=ends.bottom, **parts)
        sums = answers.added("sums", (2, self.shape[1]))
        count = float(n)
        if self.heaviest is not None:
            count = float(Grid.of(self.heaviest[0], n).values(answers.added("weight", ())))
        with np.errstate(over="ignore", invalid="ignore"):
            # The grid follows from what all sites share, so that their whole numbers have one unit.
            second = MomentSums.of(ends, n, self.heaviest)
            found = second.moments(sums, count)
        if self._bounds is not None:
            self._refuse_narrow(found, second)
        return found

    def _refuse_narrow(self, found: Moments, second: MomentSums) -> None:
        """Raise ValueError for a column whose variance is lost in the rounding that its bounds lead to."""
        # Each squared term is rounded by up to a unit, and so many bits of their sum must remain.
        least = second.second.unit * 2.0**SPREAD_BITS * found.count
        if (found.squares < least).any():
            column = int(np.argmax(found.squares < least))
            called = column if self.names is None else f"{column} ({self.names[column]!r})"
            raise ValueError(
                f"column {called}, counted from 0, hardly varies beside its bounds; agree on narrower "
                "bounds, or leave the column out"
            )

    def take(self, rows: Array) -> Any:
        """Rows stay at their sites: ValueError."""
        raise ValueError(NO_ROWS)

    def labelled(self, scaling: Scaling, n_clusters: int) -> Callable[[Any], SiteRows]:
        """Labelled rows in these coordinates."""
        return partial(SiteRows, self, Coordinates(self, scaling))

    def name_labels(self, labels: Array) -> int:
        """Send each site the labels of its rows; their name."""
        name = self.new_name()
        parts = np.split(labels, np.cumsum(self._sizes)[:-1])
        answers_to(self.sites, "labels", own=[{"labels": part} for part in parts], name=name)
        return name

    def sizes(self, labels: Any, n_clusters: int) -> Array:
        """Sizes of the clusters that the sites told last; not told again, because they may be too small."""
        return self.told_sizes

    def keep(self, labels: int) -> None:
        """End the fit: each site keeps the labels of its rows."""
        answers_to(self.sites, "keep", name=labels)


def checked_bounds(bounds: Any, p: int) -> Array:
    """Limits (2, p) of the columns; ValueError where they are not finite or not ascending."""
    given: Array = check_array(
        numbers(bounds, "bounds"), ensure_2d=False, dtype=np.float64, input_name="bounds"
    )
    if given.shape not in ((2,), (2, p)):
        raise ValueError(f"bounds must have shape (2,) or (2, {p}); got {given.shape}")
    found = np.broadcast_to(given[:, None] if given.ndim == 1 else given, (2, p))
    wrong = found[0] >= found[1]
    if wrong.any():
        j = int(wrong.argmax())
        raise ValueError(
            f"bounds of column {j}, counted from 0, must ascend; got {found[0, j]:.6g} and {found[1, j]:.6g}"
        )
    return found


class Coordinates:
    """Prepared coordinates as the sites know them: by a name, and described at first use."""

    def __init__(self, source: SiteSource, scaling: Scaling) -> None:
        assert scaling.grid is not None  # always set for the rows of a source
        self.name, self.reach = source.new_name(), scaling.grid.reach
        self.grid = sum_grid(self.reach, source.shape[0], source.heaviest)
        self._scaling, self._known = scaling, False

    def parts(self) -> dict[str, Any]:
        """What a question says of them."""
        s, first, self._known = self._scaling, not self._known, True
        described = {"unit": s.unit, "offset": s.offset, "spread": s.spread, "reach": self.reach}
        return {"coordinates": self.name, **(described if first else {})}


class SiteRows:
    """Rows of the sites with a label each; see `sparsek.sources.protocol.Rows`. `labels` is their name."""

    def __init__(
        self, source: SiteSource, place: Coordinates, labels: Any, subspace: Subspace | None = None
    ) -> None:
        self.source, self._place, self._subspace = source, place, subspace
        self.labels: Any = source.name_labels(labels) if isinstance(labels, np.ndarray) else labels
        n_columns = source.shape[1] if subspace is None else len(subspace.columns)
        self.shape = (source.shape[0], n_columns)
        self._answers: Any = None  # those to the last `assign`, and the sums in them
        self._sums: ClusterSums | None = None
        self._before = -1
        self._n_told = 0

    def sums(self) -> ClusterSums:
        """Cluster sums of the labels, over all columns."""
        answers = answers_to(self.source.sites, "sums", name=self.labels, **self._place.parts())
        self._n_told = 1
        return self._as_sums(answers)

    def assign(self, centers: Array, columns: Array | None = None, fill: bool = False) -> bool:
        """Label every row with its nearest centre; whether one moved."""
        if columns is None:
            columns = np.arange(self.shape[1]) if self._subspace is None else self._subspace.columns
        before = -1 if self.labels is None else self.labels
        name, forgotten = self.source.new_name(), self._before
        self._answers = answers_to(
            self.source.sites,
            "assign",
            may_refuse=True,
            columns=columns,
            centers=centers,
            before=before,
            name=name,
            forget=forgotten,
            **self._place.parts(),
        )
        self.labels, self._before = name, before
        self._sums = None if before < 0 or self._answers.refused else self._as_sums(self._answers)
        return before < 0 or bool(self._answers.added("moved", ()))

    def moved_sums(self, previous: ClusterSums) -> ClusterSums:
        """Cluster sums after the last `assign`, which the sites told with it."""
        self._answers.refuse(
            f"; {self._n_told} iterations were answered, after which max_iter={self._n_told} ends the fit"
        )
        assert self._sums is not None  # told, as no site refused
        self._n_told += 1
        return self._sums

    def _as_sums(self, answers: Answers) -> ClusterSums:
        whole = answers.added("sums", (self.source.n_clusters, self.source.shape[1] + 1))
        found = ClusterSums(NO_LABELS, self._place.grid.values(whole), whole=whole)
        self.source.told_sizes = found.counts
        return found

    def narrowed(self, subspace: Subspace, sums: ClusterSums | None) -> SiteRows:
        """The same rows and labels in the columns of a subspace."""
        return SiteRows(self.source, self._place, self.labels, subspace)

    def scatter(self, centers: Array) -> float:
        """Sum of the squared distances to the centres of the labels; NaN where a site does not tell it."""
        columns = np.arange(self.shape[1]) if self._subspace is None else self._subspace.columns
        longest = float(np.sqrt(np.square(centers.astype(np.float64)).sum(axis=1).max(initial=0)))
        # No row is farther from its centre than both lengths together: a bound on the terms of the sum.
        most = (length(self._place.reach[columns]) + longest) ** 2 * ROOM
        if self.source.heaviest is not None:
            most *= float(self.source.heaviest[0])
        parts = {"columns": columns, "centers": centers, "most": most, **self._place.parts()}
        answers = answers_to(self.source.sites, "scatter", may_refuse=True, name=self.labels, **parts)
        if answers.refused:
            return float("nan")
        return float(Grid.of(np.asarray(most), self.shape[0]).values(answers.added("sum", ())))
