"""Transformers that keep some of the columns, and tables of features by rank."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.feature_selection import SelectorMixin

from sparsek.inputs.containers import holds_sparse, numbers
from sparsek.inputs.validation import reject_dask, reject_stored
from sparsek.summary.features import heading


class ColumnSelector(SelectorMixin):
    """Base of the transformers that keep columns; a subclass implements `_get_support_mask`."""

    def transform(self, X: ArrayLike) -> Any:
        """The selected features of new rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data with the features of the training data.

        Returns
        -------
        ndarray of shape (n_samples, n_selected)
            Their columns.
        """
        reject_dask(X)
        reject_stored(X)
        data = X if holds_sparse(X) else numbers(X, "X", holes=True)
        with np.errstate(over="ignore", invalid="ignore"):  # scikit-learn adds up X to look for infinities
            return super().transform(data)


def ranked_features(
    model: Any, order: NDArray[np.intp], values: dict[str, NDArray[np.float64]]
) -> pd.DataFrame:
    """The features of a fitted selector in this order, with values and whether they are selected."""
    p = model.n_features_in_
    names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(p)])
    ranked = {name: column[order] for name, column in values.items()}
    return pd.DataFrame(
        {"rank": np.arange(1, p + 1), "feature": np.asarray(names)[order]}
        | ranked
        | {"selected": model.get_support()[order]}
    )


def first_features(features: pd.DataFrame, count: int) -> dict[str, pd.DataFrame]:
    """The table of the first features of a summary, by its title."""
    shown = features.head(count)
    return {heading("Features", len(shown), len(features)): shown}
