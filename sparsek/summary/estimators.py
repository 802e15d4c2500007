"""The method `summary` of estimators, and how the summary of a fit is put together."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from sparsek.engine import NamesEngine
from sparsek.summary import facts
from sparsek.summary.features import cut, features_of, groups_of, heading, heading_of, shown_features
from sparsek.summary.results import Summary

NO_RESULTS = ("n_jobs", "verbose")
"""Parameters that change no result."""


class SummaryMixin:
    """Gives an estimator the method `summary`. A class names the attributes that its summary shows."""

    _facts: ClassVar = {"Objective": "objective_", "Inertia": "inertia_", "Iterations": "n_iter_"}  # numbers
    _counts: ClassVar[dict[str, str]] = {}  # masks, of which the true entries are counted
    _feature_columns: ClassVar[dict[str, str]] = {}  # one number for each feature
    _cluster_columns: ClassVar[dict[str, str]] = {}  # one number for each cluster
    _scaling: Any
    standardize: bool
    cluster_centers_: Any

    def summary(self, n_features: int = 10) -> Summary:
        """Summarise the fit: sizes, criterion, features with weights and gains, agreement of the starts.

        Parameters
        ----------
        n_features : int, default=10
            Number of features to show, the most important first; `Summary.features` has all of them.

        Returns
        -------
        Summary
            Printed as text; ``as_html()`` and ``as_latex()`` give the other forms.
        """
        check_is_fitted(self)
        return summarise(self, n_features)

    def _cautions(self) -> list[str]:
        """Notes that come before those on the columns."""
        return facts.cautions_of(self)

    def _weights_by_cluster(self) -> Any:
        """Feature weights of shape (p,) or (n_clusters, p), or None."""
        return getattr(self, "feature_weights_", None)

    def _explained(self) -> Any:
        """Sums of squares of the features that the clusters explain, and in all; None where not known."""
        totals = getattr(self, "_column_total", None)
        if totals is None:
            return None
        gains, exponent = self._between()
        units = np.frexp(self._scaling.unit)[1] - 1  # powers of two
        with np.errstate(under="ignore", over="ignore", invalid="ignore"):
            own = np.ldexp(gains, 2 * (exponent + units)) / np.square(self._scaling.spread, dtype=float)
        return self._by_variable(own), self._by_variable(totals)

    def _by_variable(self, values: Any) -> Any:
        """Values of the columns of the algorithm, summed over those of each feature."""
        return values

    def _center_table(self, features: pd.DataFrame, n_features: int) -> pd.DataFrame | None:
        """Centres that the summary shows of the first features, or None."""
        return None

    def _between(self) -> tuple[Any, int]:
        """Sums of squares between the centres, divided by 4**e, and e."""
        column = "weight of rows" if facts.row_weights(self) is not None else "rows"
        sizes = facts.sizes_of(self)[column].to_numpy(float)
        centers = np.asarray(self.cluster_centers_, dtype=np.float64)
        used = sizes > 0
        # Squares of numbers around 1 do not overflow; a power of two changes no digit.
        exponent = int(np.frexp(np.max(np.abs(centers), initial=0.0, where=np.isfinite(centers)))[1])
        scaled = np.ldexp(centers[used], -exponent)
        mean = np.average(scaled, axis=0, weights=sizes[used])
        with np.errstate(under="ignore"):
            return sizes[used] @ (scaled - mean) ** 2, exponent

    def _gains(self) -> Any:
        """Part of each feature explained by the clusters, with a note; None without centres in its units."""
        if not hasattr(self, "cluster_centers_"):
            return None
        gains, exponent = self._between()
        unit = "squared units of the data"
        with np.errstate(over="ignore", under="ignore"):  # the sum itself can be beyond all doubles
            coded = getattr(self, "_coding", None) is not None
            divided = hasattr(self, "_scaling") and bool(np.any(self._scaling.spread != 1))
            if divided or (coded and hasattr(self, "_scaling")):
                exponent += np.frexp(self._scaling.unit)[1] - 1
                gains = gains / np.square(self._scaling.spread, dtype=float)
                unit = f"in squared units of the columns {facts.scaling_of(self)}"
            gains = self._by_variable(np.ldexp(gains, 2 * exponent))
        return gains, f"gain: sum over clusters of size * (centre - mean)^2, {unit}"


class FitSummaryMixin(NamesEngine, SummaryMixin):
    """Gives a clusterer the method `summary`, which can show how sure the fit is."""

    def summary(
        self, n_features: int = 10, *, uncertainty: str | None = None, X: ArrayLike | None = None
    ) -> Summary:
        """Summarise the fit: sizes, criterion, features with weights and gains, agreement of the starts.

        Parameters
        ----------
        n_features : int, default=10
            Number of features to show, the most important first; `Summary.features` has all of them.
        uncertainty : {"bootstrap", "subsampling"} or None, default=None
            Add intervals of the weights, shares of selections and membership of the rows, from fits to 100
            resamples by `FitUncertainty`, whose seed is the estimator's `random_state`.
        X : array-like of shape (n_samples, n_features) or None, default=None
            The data of the fit, which the estimator does not keep; for `uncertainty`.

        Returns
        -------
        Summary
            Printed as text; ``as_html()`` and ``as_latex()`` give the other forms.

        Raises
        ------
        ValueError
            For `uncertainty` without X, or an X that is not the data of the fit.
        """
        check_is_fitted(self)
        if uncertainty is None:
            return summarise(self, n_features)
        if X is None:
            raise ValueError(f"uncertainty={uncertainty!r} fits resamples of the data; give them as X")
        from sparsek import FitUncertainty  # a search, which is above this module

        seed = getattr(self, "random_state", None)
        sure = FitUncertainty(self, uncertainty, random_state=seed)._of_fit(self, X)
        return summarise(self, n_features, sure)


def summarise(estimator: Any, n_features: int, sure: Any = None, search: Any = None) -> Summary:
    """The summary of a fitted estimator.

    Parameters
    ----------
    estimator : estimator
        With `SummaryMixin`, fitted.
    n_features : int
        Number of features to show.
    sure : FitUncertainty or None
        Fits to resamples, whose intervals, shares and membership are added.
    search : estimator or None
        What drew the estimator's seed; its own seed, which the user gave, is shown instead.

    Returns
    -------
    Summary
        Its summary.

    Raises
    ------
    TypeError
        For an estimator without a summary, or a `sure` that is no fitted `FitUncertainty`.
    ValueError
        If `n_features` is not a positive integer.

    See Also
    --------
    Summary : The summary as tables.
    """
    if not isinstance(estimator, SummaryMixin):
        raise TypeError(f"estimator must be a fitted estimator with a summary; got {estimator!r:.60}")
    check_is_fitted(estimator)
    if sure is not None and not (hasattr(sure, "membership_") and hasattr(sure, "selection_frequencies_")):
        raise TypeError(f"sure must be a fitted FitUncertainty or None; got {sure!r:.60}")
    if search is not None and not isinstance(search, SummaryMixin):
        raise TypeError(f"search must be an estimator with a summary or None; got {search!r:.60}")
    if isinstance(n_features, bool) or not isinstance(n_features, int | np.integer) or n_features < 1:
        raise ValueError(f"n_features must be an integer of at least 1; got {n_features!r}")
    features, notes = features_of(estimator, sure)
    tables = {
        "": facts.head_of(estimator, features, estimator if search is None else search),
        "Clusters": facts.sizes_of(estimator),
    }
    notes = estimator._cautions() + notes
    if hasattr(estimator, "family_choice_"):  # of `sparsek.cluster`
        notes.insert(0, str(estimator.family_choice_))
    if sure is not None:
        tables["Clusters"]["membership"] = facts.mean_membership(sure, len(tables["Clusters"]))
        notes.append("membership: share of the resamples with a row that put it into its cluster, mean")
    groups = groups_of(estimator)
    if len(groups):
        some = groups[groups["selected"]].drop(columns="selected").head(n_features)
        some = some.assign(features=[cut(text) for text in some["features"]])
        tables[heading("Selected groups", len(some), int(groups["selected"].sum()))] = some
    shown = shown_features(features).head(n_features)
    if len(shown):
        tables[heading_of(features, len(shown))] = shown
    centers = estimator._center_table(features, n_features)
    if centers is not None:
        tables["Centres"] = centers
        notes.append("centres: means of numbers, and shares of the levels of categories")
    if np.size(getattr(estimator, "start_objectives_", ())) > 1:
        tables["Starts"] = facts.starts_of(estimator)
        notes.append("reached best: starts that ended with the best objective, to a millionth of it")
    left_out = NO_RESULTS if search is None else (*NO_RESULTS, "random_state")
    lead = facts.settings_of(estimator, left_out)
    return Summary(type(estimator).__name__, tables, features, tuple(notes), lead, groups)
