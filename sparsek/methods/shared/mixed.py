"""Estimators that take tables with categories, each of which becomes a group of scaled indicators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from sparsek.core.steps import Array
from sparsek.inputs.containers import column_labels, holds_sparse, is_table
from sparsek.inputs.features import feature_mask
from sparsek.inputs.mixed import CodedRows, Coding, as_columns, coding_of
from sparsek.inputs.validation import check_data, is_dask, require_array
from sparsek.methods.shared.groups import Grouping
from sparsek.methods.shared.weighted import WeightedClusterer
from sparsek.sources.source import ArraySource
from sparsek.summary.features import names_of_features


class MixedInput(WeightedClusterer):
    """Estimators that take categories: p variables of the user are q columns of the algorithm.

    A subclass that takes them has the parameter `categories`. Its public results by feature are by variable.
    """

    _coding: Coding | None = None  # None where all columns are numbers
    _holes: bool
    _source: Callable[..., Any]
    _degrees: Array  # (p,): degrees of freedom of the variables

    def _code(self, X: Any) -> Coding | None:
        """How the columns of X become numbers; None where all are numbers, or X is none that may have others.

        Raises ValueError, TypeError as `coding_of`, and for `categories` of data that are not in memory.
        """
        if "categories" not in self._parameter_constraints:
            return None
        if isinstance(X, CodedRows):
            return X.coding
        declared = self.categories
        if declared is not None and (is_dask(X) or holds_sparse(X) or _is_stored(X)):
            raise ValueError(
                f"categories={declared!r} needs a data frame or a dense array in memory; got "
                f"{type(X).__name__}: load the data, or leave categories out"
            )
        if declared is None and not is_table(X):
            return None
        labels = column_labels(X) if is_table(X) else None
        p = len(labels) if labels is not None else as_columns(X, "X").shape[1]
        named = labels is not None and all(isinstance(label, str) for label in labels)
        return coding_of(X, feature_mask(declared, "categories", p, labels if named else None))

    def _coded_source(self, X: Any, sample_weight: ArrayLike | None, coding: Coding) -> ArraySource:
        """The rows of a table with categories."""
        if coding.is_level.any():
            self._refuse_options_of_numbers()
        table = self._read(coding.table(X), reset=True)
        values = coding.expand(table)
        source = ArraySource(*self._weighted_rows(values, sample_weight), holes=self._holes)
        source.levels = coding.is_level
        self._degrees = coding.degrees(source.array)
        return source

    def _in_memory_source(self, X: Any, sample_weight: ArrayLike | None = None) -> ArraySource:
        """The rows of an array, a sparse matrix or a table, with categories or without."""
        if issparse(X):
            of_matrix: ArraySource = self._source(X, sample_weight)
            return of_matrix
        self._coding = self._code(X)
        if self._coding is not None:
            return self._coded_source(X, sample_weight, self._coding)
        found: ArraySource = self._array_source(require_array(X, holes=True), sample_weight)
        return found

    def _coded_groups(self, coding: Coding, own: Grouping | None) -> Grouping | None:
        """The columns of each variable or, with groups of variables, of each of these; None for numbers."""
        if own is None and not coding.is_level.any():
            return None
        if own is None:
            return Grouping(np.arange(len(coding.columns)), coding.columns, self._degrees)
        columns = tuple(np.concatenate([coding.columns[j] for j in some]) for some in own.columns)
        return Grouping(own.names, columns, own.totals(self._degrees))

    def _refuse_options_of_numbers(self) -> None:
        """Raise ValueError for options that indicators of levels do not bear."""

    def _validate_new(self, X: Any) -> Any:
        if self._coding is None:
            return super()._validate_new(X)
        check_is_fitted(self)
        check_columns(self, X)
        data = self._coding.expand(self._read(self._coding.table(X), reset=False))
        self._refuse_far_rows(data)
        return data

    def _firsts(self) -> Any:
        """One column of the algorithm for each variable."""
        return slice(None) if self._coding is None else self._coding.firsts

    def _by_variable(self, values: NDArray[Any]) -> NDArray[Any]:
        """Sums over the columns of each variable."""
        return values if self._coding is None else self._coding.totals(values)

    def _center_table(self, features: pd.DataFrame, n_features: int) -> pd.DataFrame | None:
        """Means of numbers and shares of levels in the clusters, by batch, of the first features in use."""
        if self._coding is None:
            return None
        used = features[features["selected"]] if "selected" in features else features
        names = names_of_features(self)
        places = [names.index(name) for name in used["feature"].head(n_features)]
        if not places:
            return None
        columns = np.concatenate([self._coding.columns[place] for place in places])
        several = getattr(self, "batch_centers_", None)
        parts = []
        for b, centers in enumerate([self.cluster_centers_] if several is None else several.swapaxes(0, 1)):
            table = pd.DataFrame({"column": self._coding.names[columns]})
            if several is not None:
                table["batch"] = self.batches_[b]
            own = np.asarray(centers, dtype=np.float64)[:, columns]
            parts.append(table.assign(**{f"cluster {k}": row for k, row in enumerate(own)}))
        return pd.concat(parts, ignore_index=True)


def check_columns(estimator: Any, X: Any) -> None:
    """Raise ValueError for columns whose names, number or order are not those of the fit."""
    if is_table(X):
        header: Any = pd.DataFrame([[0.0] * len(column_labels(X))])
        header.columns = pd.Index(column_labels(X))
    else:
        header = np.empty((1, (X if isinstance(X, CodedRows) else as_columns(X, "X")).shape[1]))
    check_data(estimator, header, reset=False, skip_check_array=True)


def _is_stored(X: Any) -> bool:
    """Whether X is a path, or an array that is read by blocks."""
    from sparsek.sources.files.opening import as_reader  # a fit to an array loads no file formats

    return not isinstance(X, np.ndarray) and as_reader(X) is not None
