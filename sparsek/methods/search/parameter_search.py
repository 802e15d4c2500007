"""What the searches over parameters share: grids, data, the best estimator's methods, a verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClusterMixin
from sklearn.utils import get_tags
from sklearn.utils._set_output import _safe_set_output
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from sparsek.core.steps import Array
from sparsek.core.tasks import configured_copy, draw_seed, last_step
from sparsek.inputs.arguments import Described
from sparsek.methods.search.base import Search
from sparsek.methods.search.gap_tasks import parameter_grid
from sparsek.methods.search.row_arguments import RowArguments, of_new_rows
from sparsek.methods.search.verdicts import beyond_the_ends, setting, verdict
from sparsek.summary.estimators import FitSummaryMixin, summarise
from sparsek.summary.results import Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _best_has(method: str) -> Callable[[ParameterSearch], bool]:
    """Check that the best estimator (before `fit`: the estimator) has a method; else AttributeError."""

    def check(self: ParameterSearch) -> bool:
        if not self.refit:
            raise AttributeError(f"{method} needs the best estimator; fit with refit=True")
        estimator = getattr(self, "best_estimator_", self.estimator)
        getattr(last_step(estimator) if method == "get_support" else estimator, method)
        return True

    return check


def _are_names(given: Any) -> bool:
    """Whether the value is a name, or a sequence of different names."""
    if isinstance(given, str):
        return True
    several = isinstance(given, Sequence) or (isinstance(given, np.ndarray) and given.ndim == 1)
    if not several or not all(isinstance(name, str) for name in given):
        return False
    return 0 < len(set(given)) == len(given)


ParamName = Annotated[
    str | Sequence[str],
    Described(
        "a name or a sequence of different names, at least one",
        _are_names,
        "l1_bound",
        ("n_clusters", "l1_bound"),
    ),
]


class ParameterSearch(ClusterMixin, Search):
    """Base of the searches that fit an estimator with every value of a parameter and choose one.

    A subclass sets in `fit` ``results_`` and ``best_params_``, and with `refit` ``best_estimator_``.
    """

    _texts: ClassVar = {
        "labels_": "Labels of `best_estimator_`.",
        "refit": "Fit the estimator with the chosen values to X, as `best_estimator_`.",
        "param_range_": (
            "The values, ascending and without repeats, or in a grid all combinations as tuples, the last "
            "parameter changing fastest; the order of all that follows."
        ),
        "best_params_": "Names and chosen values of the parameters.",
        "best_estimator_": "Fitted to X with the chosen values. Only with ``refit=True``.",
        "[of the best]": (
            "`predict`, `transform`, `get_support` and `get_feature_names_out` are those of "
            "`best_estimator_`."
        ),
    }

    param_name: str | Sequence[str]
    param_range: Any
    rule: str
    refit: bool
    best_estimator_: Any
    _criterion = "Criterion"  # the heading of the summary
    _named_by = "param_name"  # what the user calls the parameters

    def summary(self, n_features: int = 10) -> Summary:
        """The criterion at every value, and the summary of the chosen fit.

        Parameters
        ----------
        n_features : int, default=10

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        tables = self._tables()
        best = last_step(self.best_estimator_) if self.refit else None
        title = f"{type(self).__name__}: {type(last_step(self.estimator)).__name__}"
        if not isinstance(best, FitSummaryMixin):
            return Summary(title, tables, pd.DataFrame(), (), self._verdict())
        inner = summarise(best, n_features, search=self)
        lead = f"{self._verdict()}\nThe chosen fit: {inner.lead}"
        return Summary(title, tables | inner.tables, inner.features, inner.notes, lead, inner.groups)

    def _verdict(self) -> str:
        """What was chosen, and how sure it is."""
        text = verdict(self.results_, self.best_params_, self.rule)
        model = last_step(self.best_estimator_ if self.refit else self.estimator)
        shape = self._n_rows, getattr(model, "n_features_in_", self.n_features_in_)
        return " ".join([text, *beyond_the_ends(self.results_, self.best_params_, model, shape)])

    def _tables(self) -> dict[str, pd.DataFrame]:
        """What the summary shows above that of the best estimator, by heading."""
        heading = f"{self._criterion}: {setting(self.best_params_)} by rule {self.rule}"
        return {heading: _with_one_name(self.results_)}

    def plot(self, ax: Axes | None = None) -> Any:
        """Draw the criterion and its standard errors, or a grid as a heat map; see `sparsek.plots.plot_gap`.

        Parameters
        ----------
        ax : matplotlib Axes, optional

        Returns
        -------
        matplotlib Axes
            The axes drawn on.
        """
        from sparsek.plots import plot_gap

        return plot_gap(self, ax=ax)

    @property
    def labels_(self) -> NDArray[Any]:
        """Labels of `best_estimator_`."""
        labels: NDArray[Any] = last_step(self.best_estimator_).labels_
        return labels

    @available_if(_best_has("predict"))
    def predict(self, X: ArrayLike, batch: ArrayLike | None = None) -> NDArray[Any]:
        """Clusters of new rows, by `best_estimator_`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data in the units of the training data.
        batch : array-like of shape (n_samples,) or None
            [batch of new rows]

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels from 0.
        """
        check_is_fitted(self)
        labels: NDArray[Any] = self.best_estimator_.predict(X, **of_new_rows(batch))
        return labels

    @available_if(_best_has("transform"))
    def transform(self, X: ArrayLike, batch: ArrayLike | None = None) -> Any:
        """Distances of new rows to the cluster centres, by `best_estimator_`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data in the units of the training data.
        batch : array-like of shape (n_samples,) or None
            [batch of new rows]

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            Distances, as `best_estimator_` defines them.
        """
        check_is_fitted(self)
        return self.best_estimator_.transform(X, **of_new_rows(batch))

    @available_if(_best_has("transform"))
    def fit_transform(self, X: ArrayLike, y: object = None) -> Any:
        """Fit to the data and transform them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.
        y : None
            Ignored.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            As `transform` gives.
        """
        return self.fit(X).transform(X)

    @available_if(_best_has("get_feature_names_out"))
    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Names of the columns that `transform` gives.

        Parameters
        ----------
        input_features : array-like of str or None
            Passed on to `best_estimator_`.

        Returns
        -------
        ndarray of str
            Names.
        """
        check_is_fitted(self)
        names: NDArray[Any] = self.best_estimator_.get_feature_names_out(input_features)
        return names

    @available_if(_best_has("get_support"))
    def get_support(self, indices: bool = False) -> NDArray[Any]:
        """Features that `best_estimator_` uses.

        Parameters
        ----------
        indices : bool, default=False
            Return sorted integer indices instead of a mask.

        Returns
        -------
        ndarray of shape (n_features,), bool, or of shape (n_selected,), int
            Mask or indices.
        """
        check_is_fitted(self)
        support: NDArray[Any] = last_step(self.best_estimator_).get_support(indices)
        return support

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose the container that `transform` gives, as in scikit-learn's transformers.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"} or None
            The container; None changes nothing.

        Returns
        -------
        ParameterSearch
            This object.
        """
        for estimator in (self.estimator, getattr(self, "best_estimator_", None)):
            if estimator is not None:
                _safe_set_output(estimator, transform=transform)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags = get_tags(self.estimator).transformer_tags if self.refit else None
        return tags

    def _names_and_ranges(self) -> tuple[str | Sequence[str], Any]:
        """One name and its values, or several names and values of each."""
        return self.param_name, self.param_range

    def _check_parameters(self) -> None:
        self._validate_params()
        given = self._names_and_ranges()[0]
        names = [given] if isinstance(given, str) else list(given)
        known = self.estimator.get_params()
        unknown = [name for name in names if name not in known]
        if unknown:
            raise ValueError(
                f"{self._named_by} must be a parameter of the estimator: one of {', '.join(sorted(known))}; "
                f"got {unknown[0]!r}"
            )

    def _checked(self, X: ArrayLike) -> tuple[Array, list[dict[str, Any]]]:
        """Checked data, which are in memory, and the parameters of every fit; `param_range_` is set."""
        data = self._read_rows(X)
        self._n_rows = data.shape[0]
        self._warn_of_lost_entries(data)
        given, ranges = self._names_and_ranges()
        grid = parameter_grid(given, ranges, data.shape[1])
        points = list(product(*grid.values()))
        self.param_range_ = [point[0] for point in points] if isinstance(given, str) else points
        return data, [dict(zip(grid, point, strict=True)) for point in points]

    def _refit_best(self, X: ArrayLike, given: RowArguments, rng: np.random.Generator) -> None:
        """With `refit`, fit the estimator with the chosen values to X as given, with its column names."""
        if self.refit:
            best = configured_copy(self._refitted, self.best_params_, draw_seed(rng))
            self.best_estimator_ = best.fit(X, **given.for_fit())


def _with_one_name(table: pd.DataFrame) -> pd.DataFrame:
    """The table of a search, without the name of what a fit minimises for what the gap compares."""
    return table.rename(columns={"objective": "compared"})
