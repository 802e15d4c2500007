"""Selected features, as a mask, as indices and as names."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from sparsek.core.steps import Array
from sparsek.inputs.in_use import in_use
from sparsek.methods.shared.base import CentroidClusterer


class SelectedFeatures:
    """Gives an estimator `get_support` and `get_selected_names`; a subclass implements `_selected`."""

    n_features_in_: int

    def _selected(self) -> NDArray[np.bool_]:
        """Mask of the selected features, shape (n_features,)."""
        raise NotImplementedError

    def get_support(self, indices: bool = False) -> NDArray[Any]:
        """Mask, or indices, of the selected features.

        Where features have weights, one whose weight is less than a millionth of the largest is not selected.
        `predict` still counts such a weight.

        Parameters
        ----------
        indices : bool, default=False
            Return sorted integer indices instead of a mask.

        Returns
        -------
        ndarray of shape (n_features,), bool, or of shape (n_selected,), int
            The selected features.
        """
        check_is_fitted(self)
        selected = self._selected()
        return np.flatnonzero(selected) if indices else selected.copy()

    def get_selected_names(self) -> NDArray[np.object_]:
        """Names of the selected features, in the order of the columns.

        Returns
        -------
        ndarray of shape (n_selected,), object
            Column names of X, or x0, x1, ... where it had none.
        """
        support = self.get_support()
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        selected: NDArray[np.object_] = np.asarray(names, dtype=object)[support]
        return selected


class SparseClusterer(SelectedFeatures, CentroidClusterer):
    """Base of the estimators that select features.

    A subclass sets in `fit`, besides what `CentroidClusterer` needs,

    - ``feature_weights_`` : ndarray of shape (n_features,), not negative;
    - ``_support`` : ndarray of shape (n_features,), bool, the features that distances need.
    """

    _support: NDArray[np.bool_]
    feature_weights_: Array

    def _selected(self) -> NDArray[np.bool_]:
        return in_use(self.feature_weights_)
