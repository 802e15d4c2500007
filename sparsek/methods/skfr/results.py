"""What a fit of SKFR tells beside its attributes: starts, certificate, summary, comparison of new rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from sparsek.core.steps import Array, Labels
from sparsek.inputs.mixed import Coding
from sparsek.methods.shared.clusterer.saved import NearestRule, SavedRule
from sparsek.methods.shared.selection import SparseClusterer
from sparsek.methods.skfr.algorithm import as_tuples
from sparsek.methods.skfr.certificate import Certificate, certify
from sparsek.methods.skfr.losses import Absolute, Projected, Squared


class SKFRResults(SavedRule, SparseClusterer):
    """Results of a fit by cluster, by variable and by start; new rows are compared by the loss of the fit."""

    _columns: Array  # features of the columns of `_centers`
    _limits: tuple[Array, Array] | None  # limits of `winsorize`
    scope: str
    tss_: float
    _gap: float | None  # Where features in `never` take part in `tss_` and `objective_`
    objective_: float
    feature_gains_: Array
    selected_features_: Array

    @property
    def gap_objective_(self) -> float:
        """Explained sum of squares: the sum of the selected gains."""
        return self.tss_ - self.objective_ if self._gap is None else self._gap

    @property
    def restart_table_(self) -> pd.DataFrame:
        """Result of every start, one row each."""
        converged, selected = zip(*self._start_details, strict=True)
        return pd.DataFrame(
            {
                "objective": self.start_objectives_,
                "n_iter": self.start_n_iter_,
                "converged": converged,
                "selected": [as_tuples(features) for features in selected],
            }
        )

    def certificate(self, X: ArrayLike, *, max_nodes: int = 1000) -> Certificate:
        """Bound how far the fit can be from the best labels and features.

        Nothing is fitted again: an upper bound of what any labels and any features explain is compared with
        what the fit explains. A fit can be a best one although the bound is not reached.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data of the fit, which the estimator does not keep; dense and complete.
        max_nodes : int, default=1000
            Largest number of steps of branch and bound over the features, which is done for up to 64
            features; 0 for none. More steps make the bound smaller, until it is the largest of the bounds of
            single sets.

        Returns
        -------
        Certificate
            The bound and what it says of the fit; ``print`` shows it in words.

        Raises
        ------
        NotFittedError
            Before `fit`.
        ValueError
            The loss is not "squared", the scope is not "global", there is a projection or there are groups,
            X has missing values or is not the data of the fit.
        TypeError
            X is sparse, a file or a Dask collection.

        See Also
        --------
        Certificate : What it returns, field by field.
        SKFR.score : Minus the objective of new data.

        References
        ----------
        Wang, H. and Song, M. (2011). Ckmeans.1d.dp: optimal k-means clustering in one dimension by dynamic
        programming. The R Journal 3(2), 29-33.

        Ding, C. and He, X. (2004). K-means clustering via principal component analysis. ICML 21, Theorem 3.1.

        Examples
        --------
        >>> import numpy as np
        >>> from sparsek import SKFR
        >>> X = np.random.default_rng(0).normal(size=(60, 20))
        >>> X[:30, :3] += 4
        >>> model = SKFR(n_clusters=2, n_features_to_select=3, random_state=0).fit(X)
        >>> print(f"{model.certificate(X).ratio:.3f}")
        0.993
        """
        check_is_fitted(self)
        if self._coding is not None:
            raise ValueError(
                "a certificate is of fits to numbers, and this one has categories: leave them out"
            )
        return certify(self, X, max_nodes)

    def _selected(self) -> NDArray[np.bool_]:
        return self._support if self._coding is None else self._support[self._coding.firsts]

    def _explained(self) -> Any:
        """The gains, and the total of each feature in the same unit."""
        return self._gains()[0], self._by_variable(self._in_square_units(self._column_total))

    def _gains(self) -> Any:
        """The gains, summed over clusters, for the summary."""
        gains = self.feature_gains_.sum(axis=0) if self.scope == "local" else self.feature_gains_
        return gains, f"gain: {self._loss.gain_text}"

    def _group_columns(self) -> dict[str, Array]:
        """What the summary shows of the groups."""
        gains = self.group_gains_
        return {"gain per degree": gains.max(axis=0) if gains.ndim == 2 else gains}

    def _attributes_by_cluster(self) -> tuple[str, ...]:
        if self.scope == "global":
            return self._by_cluster
        sets = ("selected_features_",) if self.projection is None else ()  # a projection has one for all
        groups = () if self.groups is None else ("group_gains_", "selected_groups_")
        return (*self._by_cluster, "feature_gains_", "feature_weights_", *sets, *groups)

    def _store_variables(self, coding: Coding, gains: Array, used: NDArray[np.bool_], total: Array) -> None:
        """Gains, weights and features by variable in place of columns, of which `used` is the mask."""
        total = coding.totals(total)
        self.feature_gains_ = coding.totals(self.feature_gains_)
        shares = coding.totals(gains) / np.where(total > 0, total, 1)
        self.feature_weights_ = np.where(used[..., coding.firsts], shares, 0)
        self.selected_features_ = self._variables(self.selected_features_)

    @property
    def _loss(self) -> Squared:
        """How rows are compared with the centres."""
        raise NotImplementedError

    def _read(self, X: Any, reset: bool) -> Array:
        data = super()._read(X, reset)
        if reset:
            self._loss.check(data)
        return data

    def _refuse_far_rows(self, X: Array, rows: Any = None) -> None:
        if not self._loss.own_scale:  # those are checked where rows are read
            super()._refuse_far_rows(self._clipped(X), rows)

    def _clipped(self, X: Array) -> Array:
        """The data within the limits of `winsorize`."""
        return X if self._limits is None else np.clip(X, *self._limits)

    def _coordinates(self, X: Array) -> Array:
        return self._scaling.apply(self._clipped(X), self._columns)

    def _nearest_rule(self) -> NearestRule:
        loss = self._loss
        if type(loss) not in (Squared, Projected, Absolute):
            raise ValueError(f"loss={self.loss!r} does not compare scaled columns; use pickle")
        distance = "euclidean" if loss.power == 2 else "manhattan"
        return NearestRule(self._columns, self._centers, None, self._limits, distance, loss.reads_holes)

    def _observable(self) -> Array:
        return self._columns

    def _compared(self, X: Array) -> Any:
        """The rows as the loss compares them with the centres."""
        return self._loss.rows(self._clipped(X), self._scaling, self._columns)

    def _nearest(self, X: Array) -> Labels:
        return self._loss.nearest(self._compared(X), self._centers)

    def _distances(self, X: Array) -> Array:
        return np.asarray(self._in_units(self._loss.distances(self._compared(X), self._centers)))

    def _row_losses(self, X: Array) -> Array:
        return self._loss.losses(self._clipped(X), self._scaling, self._columns, self._centers)
