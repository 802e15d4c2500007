"""Python calls for the SKFR authors' functions: sparsek's SKFR from given labels."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from sparsek.core.scaling import column_squares, prepare
from sparsek.methods.skfr.algorithm import skfr, sparse_means
from sparsek.sources.local import array_rows


def _sparsekmeans(local: bool) -> Callable[..., Any]:
    """A function of the SKFR authors, with their field names."""

    def call(x: np.ndarray, class_: np.ndarray, classes: float, sparsity: float) -> dict[str, Any]:
        """Sparse k-means with feature ranking from given labels, as the authors' function."""
        k = int(classes)
        Z, _ = prepare(x, None, standardize=True)
        tss = float(column_squares(Z, None).sum())
        labels = np.asarray(class_).astype(np.int32) - 1
        rank = partial(sparse_means, n_selected=int(sparsity), local=local)
        fit = skfr(array_rows(Z, labels, k), rank, tss=tss)
        centers = np.zeros((k, x.shape[1]))
        centers[:, fit.params.columns] = fit.params.centers
        squares = ((Z[:, :-1] - centers[fit.labels]) ** 2).sum(axis=1)
        selected = fit.params.selected + 1.0
        if local:
            selected[np.bincount(fit.labels, minlength=k) == 0] = np.nan
        return {
            "m1": fit.labels + 1,
            "m2": centers.T,
            "WSS": np.bincount(fit.labels, squares, k),
            "TSS": tss,
            "selected": selected,
        }

    return call


CALLS = {"sparsekmeans1": _sparsekmeans(local=False), "sparsekmeans2": _sparsekmeans(local=True)}
"""Calls, by the name of the R function."""
