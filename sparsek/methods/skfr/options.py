"""What SKFR's options mean for checks, prediction and distances."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist

from sparsek.methods.shared.base import SparseClusterer, check_choice, check_integer, check_real
from sparsek.methods.shared.scaling import Scaling, column_squares
from sparsek.methods.shared.sums import Array, Labels
from sparsek.methods.skfr.median import nearest_absolute
from sparsek.methods.skfr.missing import nearest_observed
from sparsek.methods.skfr.projection import Projection, make_projection


class RankingClusterer(SparseClusterer):
    """Base of SKFR: its options checked, and rows compared with centres in the loss that is minimised.

    A subclass sets, besides what `SparseClusterer` asks for, ``_scaling``, ``_columns`` (the columns of
    ``_centers``) and ``_limits`` (of `winsorize`, or None).
    """

    scope: str
    init_on: str
    power: int
    ddof: int
    max_iter: int
    missing: str
    loss: str
    winsorize: float | None
    projection: Any
    n_features_to_select: int | float | None
    _finite = "allow-nan"
    _takes_sparse = True
    _scaling: Scaling
    _columns: Array
    _limits: tuple[Array, Array] | None
    feature_gains_: Array
    _start_details: list[tuple[bool, Any]]

    @property
    def restart_table_(self) -> pd.DataFrame:
        """What every start came to."""
        converged, selected = zip(*self._start_details, strict=True)
        return pd.DataFrame(
            {
                "objective": self.start_objectives_,
                "n_iter": self.start_n_iter_,
                "converged": converged,
                "selected": [_as_tuples(features) for features in selected],
            }
        )

    def _gains(self) -> Any:
        """The gains, summed over clusters, for the summary."""
        gains = self.feature_gains_.sum(axis=0) if self.scope == "local" else self.feature_gains_
        return gains, "gain: d_l, what the clusters explain of the feature, squared standardised units"

    def _check_parameters(self) -> None:
        check_choice("scope", self.scope, ("global", "local"))
        check_choice("init_on", self.init_on, ("raw", "standardized"))
        check_choice("power", self.power, (1, 2))
        check_choice("ddof", self.ddof, (0, 1))
        check_choice("missing", self.missing, ("observed", "mm"))
        check_choice("loss", self.loss, ("squared", "absolute"))
        check_integer("max_iter", self.max_iter, 1)
        if self.winsorize is not None:
            check_real("winsorize", self.winsorize, 0)
            if self.winsorize == 0:
                raise ValueError("winsorize must be positive; 4 is usual, None switches it off")
        self._projection()

    def _projection(self) -> Projection | None:
        """The projection as a function."""
        if self.projection is None or callable(self.projection):
            return self.projection
        if isinstance(self.projection, str):
            return make_projection(self.projection)
        if not isinstance(self.projection, tuple | list) or not self.projection:
            raise TypeError(
                "projection must be None, a name, a tuple of name and numbers, or a callable; "
                f"got {self.projection!r}"
            )
        return make_projection(*self.projection)

    def _refuse_combinations(self, data: Array) -> None:
        """Options that do not go together."""
        if self.projection is not None and self.loss == "absolute":
            raise ValueError("projection goes with loss='squared' only; got loss='absolute'")
        if self.projection is not None and self.n_features_to_select is not None:
            raise ValueError(
                "projection takes the place of the ranking; leave n_features_to_select at None "
                f"(got {self.n_features_to_select})"
            )
        if np.isnan(data).any() and (self.loss == "absolute" or self.projection is not None):
            raise ValueError(
                "X has missing values (NaN), which loss='absolute' and projection do not take; "
                "impute them first, for example with KPod(...).fit(X).impute()"
            )

    def _refuse_for_sparse(self) -> None:
        """Refuse what would need a dense copy."""
        chosen = {"winsorize": None, "loss": "squared", "projection": None, "anneal": False}
        for name, default in chosen.items():
            value = getattr(self, name)
            if value != default:
                raise ValueError(
                    f"{name}={value!r} needs dense data; leave it at {default!r}, or use '.toarray()'"
                )

    def _n_selected(self, p: int) -> int:
        """Number s of features, at most p."""
        wanted = self.n_features_to_select
        if wanted is None:
            return max(1, p // 2)
        if isinstance(wanted, Integral) and not isinstance(wanted, bool):
            if wanted < 1:
                raise ValueError(
                    f"n_features_to_select must lie in [1, n_features = {p}]; got {wanted}; "
                    "None selects half of the features"
                )
            return min(int(wanted), p)
        check_real("n_features_to_select", wanted, 0)
        if not 0 < wanted <= 1:
            raise ValueError(
                f"n_features_to_select as a fraction must lie in (0, 1]; got {wanted}; "
                "give an integer for a number of features"
            )
        return max(1, int(p * wanted))

    def _check_sizes(self, p: int, weights: Array | None, stacklevel: int) -> None:
        """Number of features and sum of the weights."""
        self._n_selected(p)
        self._warn_of_excess(p, stacklevel)
        if weights is not None and weights.sum() <= self.ddof and self.standardize:
            raise ValueError(
                f"sample_weight sums to {weights.sum():.6g}, which must exceed ddof={self.ddof}; "
                "weights are numbers of repetitions: rescale them or set ddof=0"
            )

    def _warn_of_excess(self, p: int, stacklevel: int) -> None:
        """Warn where more features are wanted than there are."""
        wanted = self.n_features_to_select
        if isinstance(wanted, Integral) and wanted > p:
            warnings.warn(
                f"n_features_to_select={wanted} is more than n_features={p}: all {p} features are selected",
                UserWarning,
                stacklevel,
            )

    def _clipped(self, X: Array) -> Array:
        """The data within the limits of `winsorize`."""
        return X if self._limits is None else np.clip(X, *self._limits)

    def _coordinates(self, X: Array) -> Array:
        return self._scaling.apply(self._clipped(X), self._columns)

    def _nearest(self, X: Array) -> Labels:
        block = self._coordinates(X)
        holes = np.isnan(block[:, :-1])
        if holes.any():
            return nearest_observed(np.where(holes, 0, block[:, :-1]), 1.0 - holes, self._centers)
        if self.loss == "absolute":
            return nearest_absolute(block[:, :-1], self._centers)
        return super()._nearest(X)

    def _distances(self, X: Array) -> Array:
        block = self._coordinates(X)[:, :-1]
        holes = np.isnan(block)
        if self.loss == "absolute":
            return cdist(block, self._centers, "cityblock") * self._length_unit
        if not holes.any():
            return cdist(block, self._centers) * self._length_unit
        squares = [np.where(holes, 0, (block - center) ** 2).sum(axis=1) for center in self._centers]
        return np.sqrt(np.column_stack(squares)) * self._length_unit

    def _inertia(self, X: Array, weights: Array | None) -> float:
        if self.loss == "squared" and not np.isnan(X).any():
            return super()._inertia(X, weights)
        closest = (self._distances(X) / self._length_unit).min(axis=1) ** (
            1 if self.loss == "absolute" else 2
        )
        rest = self._scaling.apply(self._clipped(X), np.flatnonzero(~self._support))[:, :-1]
        rest = np.abs(rest) if self.loss == "absolute" else np.square(rest)
        closest = closest + np.nansum(rest, axis=1)
        return float(self._in_square_units(closest.sum() if weights is None else weights @ closest))

    def _in_square_units(self, values: Any) -> Any:
        if self.loss == "absolute":
            return np.multiply(values, self._length_unit)
        return super()._in_square_units(values)

    def _unselected_scatter(self, X: Array, weights: Array | None) -> float:
        rest = self._scaling.apply(self._clipped(X), np.flatnonzero(~self._support))
        return float(column_squares(rest, weights).sum())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


def _as_tuples(selected: Any) -> tuple[Any, ...]:
    """Selected features as a tuple, or a tuple of tuples."""
    rows = np.asarray(selected, dtype=np.intp)
    return tuple(map(tuple, rows.tolist())) if rows.ndim == 2 else tuple(rows.tolist())
