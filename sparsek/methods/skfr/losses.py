"""The losses of SKFR: each turns data into a problem, and compares rows with the centres of a fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from scipy.spatial.distance import cdist

from sparsek.core.exact_sums import Moments
from sparsek.core.scaling import Divisor, Scaling, divides
from sparsek.core.steps import Array, Labels, nearest_center
from sparsek.methods.shared.parameters import AUTO, is_auto
from sparsek.methods.skfr.bregman import (
    DIVERGENCES,
    LARGEST,
    BregmanData,
    Divergence,
    as_shares,
    bregman_data,
    divergence_problem,
    least_divergent,
    packed,
    row_divergences,
    row_losses,
)
from sparsek.methods.skfr.cosine import cosine_problem, unit_rows, zero_rows
from sparsek.methods.skfr.median import absolute_problem
from sparsek.methods.skfr.missing import observed_problem
from sparsek.methods.skfr.problem import RankedProblem
from sparsek.methods.skfr.projection import Projection, as_projection, rank_projected
from sparsek.sources.local import array_rows
from sparsek.sources.partial import nearest_observed
from sparsek.sources.source import ArraySource, RowProblem


@dataclass(frozen=True, slots=True)
class Squared:
    """Squared differences from cluster means, over the observed entries; the base of all losses."""

    # The loss of an entry is its absolute difference to this power; 2 for a divergence
    power: ClassVar[int] = 2
    metric: ClassVar[Any] = "euclidean"  # The distance, by the name that scipy gives it
    # Whether entries must lie in a domain without negative numbers, and are taken as they are
    has_domain: ClassVar[bool] = False
    own_scale: ClassVar[bool] = False  # Whether rows are taken as they are, in no unit of a column
    scales_rows: ClassVar[bool] = False  # Whether rows are brought to one length
    fits_sparse: ClassVar[bool] = False  # Whether sparse rows need no copy that is dense
    fits_holes: ClassVar[bool] = True  # Whether the data of a fit may have NaN
    refines: ClassVar[bool] = True  # Whether the loss is that of moves of single rows
    least: ClassVar[int] = 1  # Fewest features that tell clusters apart
    most_weight: ClassVar[float] = np.inf  # Largest weight of a feature
    # What gains are, with their unit
    gain_text: ClassVar[str] = "sum of squares that the clusters explain, in squared standardised units"

    @property
    def reads_holes(self) -> bool:
        """Whether new rows may have NaN."""
        return True

    def refuse(self, options: Mapping[str, Any], has_holes: bool) -> None:
        """Raise ValueError for options, or missing values, that the loss does not bear."""

    def check(self, X: Array, name: str = "X") -> None:
        """Raise ValueError for entries outside the domain."""

    def problem(
        self, source: Any, moments: Moments, n_clusters: int, divisor: Divisor, ddof: int, fill: bool
    ) -> RankedProblem:
        """The rows of a fit; with `fill`, holes are filled from the centres before every step."""
        if np.isnan(moments.top).any():
            return observed_problem(source, n_clusters, divisor, ddof, fill, self)
        return RankedProblem.of(source, moments, n_clusters, divisor, ddof)

    def error_scaling(
        self, X: Array, weights: Array | None, divisor: Divisor, ddof: int, levels: Array | None = None
    ) -> Scaling:
        """Scale in which predictions of entries that are held out from X are compared with them.

        `levels` is a mask of the columns that are indicators of levels.
        """
        source = ArraySource(X, weights, np.ones(len(X), bool), holes=True, levels=levels)
        found = RowProblem.of(source, source.moments(), 1, divisor, ddof).scaling
        # Held-out entries are compared where they are observed, so that holes must stay NaN.
        return replace(found, fills=False)

    def rows(self, X: Array, scaling: Scaling, columns: Array) -> Any:
        """Some columns of new rows as the next two methods take them."""
        return scaling.apply(X, columns)

    def nearest(self, rows: Any, centers: Array) -> Labels:
        """Label of the nearest centre of each row; ties go to the lowest."""
        block = rows[:, :-1]
        holes = np.isnan(block)
        if holes.any():
            return nearest_observed(np.where(holes, 0, block), 1.0 - holes, centers)
        return nearest_center(rows, centers)

    def distances(self, rows: Any, centers: Array) -> Array:
        """Distances of the rows to the centres over their observed entries, (n, n_clusters)."""
        block = rows[:, :-1]
        if not np.isnan(block).any():
            return np.asarray(cdist(block, centers, self.metric))
        sums = [np.nansum(np.abs(block - center) ** self.power, axis=1) for center in centers]
        return np.asarray(np.column_stack(sums) ** (1 / self.power))

    def losses(self, X: Array, scaling: Scaling, columns: Array, centers: Array) -> Array:
        """Loss of each row at its nearest centre over all features, which is 0 outside these columns."""
        rest = scaling.apply(X, np.delete(np.arange(X.shape[1]), columns))[:, :-1]
        terms = np.square(rest) if self.power == 2 else np.abs(rest)
        unselected = terms.sum(axis=1, dtype=np.float64)
        # The sum of a row with holes is NaN; only these rows are summed again, without the holes.
        holed = np.isnan(unselected)
        unselected[holed] = np.nansum(terms[holed], axis=1, dtype=np.float64)
        found = self.distances(self.rows(X, scaling, columns), centers)
        return np.asarray(found.min(axis=1) ** self.power + unselected)

    def whole_centers(self, scaling: Scaling, columns: Array, centers: Array) -> tuple[Array, Array]:
        """The centres in all columns, (n_clusters, p): in coordinates, and in the units of X."""
        theta = np.zeros((len(centers), len(scaling.offset)), scaling.offset.dtype)
        theta[:, columns] = centers
        return theta, scaling.invert(theta)


@dataclass(frozen=True, slots=True)
class Projected(Squared):
    """The squared loss with projected cluster means in place of a ranking."""

    project: Projection  # ``project(means, counts) -> centres``
    fits_holes: ClassVar[bool] = False
    refines: ClassVar[bool] = False

    def problem(self, source: Any, moments: Moments, *args: Any, **options: Any) -> RankedProblem:
        """The rows of a fit."""
        found = Squared.problem(self, source, moments, *args, **options)
        prepared: dict[str, Any] = {"weights": source.weights, "grid": found.scaling.grid}
        Z = found.scaling.apply(source.dense())  # all columns are used in every step
        rows = partial(array_rows, Z, n_clusters=found.n_clusters, **prepared)
        return replace(found, rows=rows, rank=partial(rank_projected, project=self.project))


class Absolute(Squared):
    """Absolute differences from cluster medians."""

    power = 1
    metric = "cityblock"
    gain_text = "sum of absolute differences that the clusters explain"
    fits_holes = False
    refines = False

    def problem(
        self, source: Any, moments: Moments, n_clusters: int, divisor: Divisor, ddof: int, fill: bool
    ) -> RankedProblem:
        """The rows of a fit."""
        return absolute_problem(source, moments, n_clusters, divisor, ddof, self)

    def nearest(self, rows: Any, centers: Array) -> Labels:
        """Label of the nearest centre of each row; ties go to the lowest."""
        labels: Labels = self.distances(rows, centers).argmin(axis=1).astype(np.int32)
        return labels


@dataclass(frozen=True, slots=True)
class Bregman(Squared):
    """A Bregman divergence from cluster means."""

    name: str  # Its name
    divergence: Divergence  # Its formulas
    has_domain: ClassVar[bool] = True
    own_scale: ClassVar[bool] = True
    refines: ClassVar[bool] = False
    gain_text: ClassVar[str] = "divergence that the clusters explain"

    @property
    def reads_holes(self) -> bool:
        """Whether new rows may have NaN."""
        return not self.divergence.of_shares

    def refuse(self, options: Mapping[str, Any], has_holes: bool) -> None:
        """Raise ValueError for options, or missing values, that the loss does not bear."""
        of_shares = self.divergence.of_shares
        if divides(options["standardize"]) and not is_auto(options["standardize"]):
            raise ValueError(
                f"loss={self.name!r} takes the data as they are, and standardize=True would make entries "
                "negative; set standardize=False"
            )
        if of_shares and options["winsorize"] is not None:
            raise ValueError(
                f"winsorize={options['winsorize']!r} would change the totals of the rows, by which "
                f"loss={self.name!r} divides; leave it at None, or use loss='poisson'"
            )
        if has_holes and of_shares:
            raise ValueError(
                f"X has missing values (NaN), so the totals of rows, by which loss={self.name!r} divides, "
                "are unknown; use loss='poisson', or leave the rows out"
            )
        if has_holes and options["missing"] == "mm":
            raise ValueError(
                f"missing='mm' goes with loss='squared' only; got loss={self.name!r}; set 'observed'"
            )

    def check(self, X: Array, name: str = "X") -> None:
        """Raise ValueError for entries, or rows, that the loss is not defined for; NaN passes."""
        divergence = self.divergence
        with np.errstate(invalid="ignore"):
            bad = (X < 0) | (np.abs(X) > LARGEST) | ((X != 0) & (np.abs(X) < 1 / LARGEST))
            if not divergence.takes_zero:
                bad |= X == 0
        if bad.any():
            row, column = np.argwhere(bad)[0].tolist()
            kind = "Negative values in data" if X[row, column] < 0 else "Value outside the domain"
            zero = "0 or " if divergence.takes_zero else "positive, "
            raise ValueError(
                f"{kind}: loss={self.name!r} takes entries that are {zero}from {1 / LARGEST:.3g} to "
                f"{LARGEST:.3g}; got {X[row, column]:.6g} in row {row}, column {column} of {name}"
            )
        if divergence.of_shares and not X.any(axis=1).all():
            row = int(np.argmin(X.any(axis=1)))
            raise ValueError(
                f"row {row} of {name} sums to 0, so it has no shares, which loss={self.name!r} needs; "
                "leave it out"
            )

    def problem(
        self, source: Any, moments: Moments, n_clusters: int, divisor: Divisor, ddof: int, fill: bool
    ) -> RankedProblem:
        """The rows of a fit."""
        return divergence_problem(source, n_clusters, self.divergence, self)

    def error_scaling(
        self, X: Array, weights: Array | None, divisor: Divisor, ddof: int, levels: Array | None = None
    ) -> Scaling:
        """The same: squared differences are in variances of the divergence."""
        ones = np.ones(X.shape[1])
        spread = self.divergence.deviation(bregman_data(X, weights, self.divergence).overall)
        return Scaling(ones, np.zeros(X.shape[1]), np.where(spread > 0, spread, 1))

    def rows(self, X: Array, scaling: Scaling, columns: Array | slice) -> Any:
        """Some columns of new rows beside the overall means of the fit, and by how much each row counts."""
        self.check(X)
        shares, totals = as_shares(X) if self.divergence.of_shares else (X, np.ones(len(X)))
        return BregmanData(self.divergence, packed(shares[:, columns]), scaling.offset[columns]), totals

    def nearest(self, rows: Any, centers: Array) -> Labels:
        """Label of the least divergent centre of each row."""
        return least_divergent(rows[0], centers)

    def distances(self, rows: Any, centers: Array) -> Array:
        """Divergences of the rows from the centres, (n, n_clusters)."""
        return np.asarray(row_divergences(rows[0], centers) * rows[1][:, None])

    def losses(self, X: Array, scaling: Scaling, columns: Array, centers: Array) -> Array:
        """Loss of each row at its nearest centre over all features."""
        data, totals = self.rows(X, scaling, slice(None))
        whole = self.whole_centers(scaling, columns, centers)[1]
        return np.asarray(totals * row_losses(data, least_divergent(data, centers, columns), whole))

    def whole_centers(self, scaling: Scaling, columns: Array, centers: Array) -> tuple[Array, Array]:
        """Differences of the centres from the overall mean, and the centres, whose zeros are exact."""
        whole = np.tile(scaling.offset, (len(centers), 1))
        whole[:, columns] = centers
        return whole - scaling.offset, whole


class Cosine(Squared):
    """Cosine distance of rows, scaled to unit length, from cluster directions."""

    own_scale = True
    scales_rows = True
    fits_sparse = True
    fits_holes = False
    refines = False
    least = 2
    most_weight = 1.0
    gain_text = "sum of cosines that the clusters explain beyond the mean direction"

    @property
    def reads_holes(self) -> bool:
        """Whether new rows may have NaN."""
        return False

    def refuse(self, options: Mapping[str, Any], has_holes: bool) -> None:
        """Raise ValueError for options, or missing values, that the loss does not bear."""
        if divides(options["standardize"]) and not is_auto(options["standardize"]):
            raise ValueError(
                "loss='cosine' takes the rows as they are, and standardize=True would change the angles "
                "between them; set standardize=False"
            )
        if options["groups"] is not None:
            raise ValueError(
                "loss='cosine' ranks single features, whose gains depend on the others; leave groups out, or "
                "use loss='squared'"
            )
        if options["winsorize"] is not None:
            raise ValueError(
                f"winsorize={options['winsorize']!r} would change the angles between rows, which "
                "loss='cosine' compares; leave it at None, and take logarithms of counts (np.log1p) instead"
            )

    def check(self, X: Array, name: str = "X") -> None:
        """Raise ValueError for missing values and for rows of zeros."""
        if isinstance(X, np.ndarray) and np.isnan(X).any():
            raise ValueError(
                f"{name} has missing values (NaN), so the lengths of rows, by which loss='cosine' divides, "
                "are unknown; leave the rows out, or use loss='squared'"
            )
        rows = zero_rows(X)
        if len(rows):
            shown = ", ".join(map(str, rows[:5])) + (f" and {len(rows) - 5} more" if len(rows) > 5 else "")
            raise ValueError(
                f"{name} has {len(rows)} rows of zeros ({shown}), which have no direction, so that "
                "loss='cosine' cannot compare them; leave them out"
            )

    def problem(
        self, source: Any, moments: Moments, n_clusters: int, divisor: Divisor, ddof: int, fill: bool
    ) -> RankedProblem:
        """The rows of a fit."""
        return cosine_problem(source, n_clusters)

    def rows(self, X: Array, scaling: Scaling, columns: Array) -> Any:
        """Some columns of new rows of unit length, and the cosine distance that is left in the others."""
        self.check(X)
        unit = unit_rows(X)
        others = scaling.apply(unit, np.delete(np.arange(X.shape[1]), columns))[:, :-1]
        return scaling.apply(unit, columns), np.square(others).sum(axis=1, dtype=np.float64)

    def nearest(self, rows: Any, centers: Array) -> Labels:
        """Label of the centre of the smallest angle."""
        return nearest_center(rows[0], centers)

    def distances(self, rows: Any, centers: Array) -> Array:
        """Cosine distances of the rows from the centres, (n, n_clusters)."""
        found = cdist(rows[0][:, :-1], centers, "sqeuclidean")
        return np.asarray(found + rows[1][:, None])

    def losses(self, X: Array, scaling: Scaling, columns: Array, centers: Array) -> Array:
        """Cosine distance of each row at its nearest centre."""
        found: Array = self.distances(self.rows(X, scaling, columns), centers).min(axis=1)
        return found

    def whole_centers(self, scaling: Scaling, columns: Array, centers: Array) -> tuple[Array, Array]:
        """Differences of the centres from the mean direction, and the centres."""
        whole = Squared.whole_centers(self, scaling, columns, centers)[1]
        return whole - scaling.offset, whole


LOSSES: dict[str, Squared] = {
    "squared": Squared(),
    "absolute": Absolute(),
    "cosine": Cosine(),
    **{name: Bregman(name, divergence) for name, divergence in DIVERGENCES.items()},
}
"""The losses by the names that `loss` takes."""
PLAIN = {
    "winsorize": None,
    "loss": "squared",
    "projection": None,
    "missing": "observed",
    "refine": False,
    "batch_centers": "common",
}
"""Options that need a dense array in memory, except at these values."""


def chosen_loss(options: Mapping[str, Any], has_holes: bool) -> Squared:
    """The loss to minimise; ValueError for options that exclude each other, or missing values."""
    loss = LOSSES[options["loss"]] if options["projection"] is None else _projected(options)
    loss.refuse(options, has_holes)
    if options["refine"] and (has_holes or not loss.refines):
        found = "missing values (NaN) in X" if has_holes else "another loss, or a projection"
        raise ValueError(
            f"refine=True moves rows by squared distances to cluster means over complete rows; got {found}; "
            "use refine=False"
        )
    if has_holes and not loss.fits_holes:
        raise ValueError(
            "X has missing values (NaN), which loss='absolute' and projection do not take; "
            "impute them first, for example with KPod(...).fit(X).impute()"
        )
    return loss


def _projected(options: Mapping[str, Any]) -> Projected:
    """The squared loss with the projection of the options, or ValueError."""
    if options["loss"] != PLAIN["loss"]:
        raise ValueError(f"projection goes with loss='squared' only; got loss={options['loss']!r}")
    if options["n_features_to_select"] not in (None, AUTO):
        raise ValueError(
            "projection takes the place of the ranking; leave n_features_to_select out "
            f"(got {options['n_features_to_select']})"
        )
    for name in ("groups", "always", "never"):
        if options[name] is not None:
            raise ValueError(f"projection takes the place of the ranking; leave {name} out")
    return Projected(as_projection(options["projection"]))


def not_plain(options: Mapping[str, Any], allowed: tuple[str, ...] = ()) -> list[tuple[str, Any, Any]]:
    """Name, value and default of the options at values that need a dense array in memory."""
    given = [(name, options[name], plain) for name, plain in PLAIN.items() if name not in allowed]
    return [entry for entry in given if entry[1] != entry[2]]
